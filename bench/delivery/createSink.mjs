import { once } from 'node:events'
import { createServer } from 'node:http'

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
  const listen = async (/** @type {number} */ port) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return /** @type {import('node:net').AddressInfo} */ (server.address()).port
  }
  const port = await listen(0)
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
    comeBack: () => listen(port),
    close: async () => {
      if (server.listening) await goAway()
    },
  }
}

/** @typedef {Awaited<ReturnType<typeof createSink>>} Sink */
