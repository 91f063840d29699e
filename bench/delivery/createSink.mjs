import { once } from 'node:events'
import { createServer } from 'node:http'
import { freePort } from '../../scripts/setup/freePort.mjs'

/** A service that takes everything at once, and can go away. */
export async function createSink() {
  let payloads = 0
  let requests = 0
  const server = createServer((request, response) => {
    const headers = {
      'Access-Control-Allow-Origin': request.headers.origin ?? '*',
      'Access-Control-Allow-Credentials': 'true',
      'Access-Control-Allow-Headers': 'content-type',
      'Access-Control-Max-Age': '600',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'Content-Type': 'application/json',
      Vary: 'Origin',
    }
    let body = ''
    request.setEncoding('utf8').on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      if (request.method === 'POST') {
        requests++
        payloads += JSON.parse(body).length
      }
      response.writeHead(200, headers).end('{"ok":true,"task_id":"sink","error_code":null}')
    })
  })
  // Nobody else gets it while the sink is away.
  const port = await freePort()
  const listen = async () => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen()
  const goAway = () =>
    new Promise((resolve) => {
      server.close(resolve)
      server.closeAllConnections()
    })

  return {
    url: `http://127.0.0.1:${port}`,
    /** What has come so far. */
    counts: () => ({ payloads, requests }),
    goAway,
    comeBack: listen,
    close: async () => {
      if (server.listening) await goAway()
    },
  }
}

/** @typedef {Awaited<ReturnType<typeof createSink>>} Sink */
