import { once } from 'node:events'
import { createServer } from 'node:http'
import { freePort } from '../../scripts/setup/freePort.mjs'
import { answerTo, readEvents } from './protocols.mjs'

/** A service for every peer: answers what each takes for success, notes what came, and can go away. */
export async function createPeerSink() {
  /** @type {{ id: string, messageId: string | undefined }[]} */
  let arrivals = []
  let requests = 0
  let bytes = 0
  let preflights = 0
  /** What it answers to events instead of what each library takes for success. @type {number | undefined} */
  let fault
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://sink')
    const headers = {
      'Access-Control-Allow-Origin': request.headers.origin ?? '*',
      'Access-Control-Allow-Credentials': 'true',
      'Access-Control-Allow-Headers': request.headers['access-control-request-headers'] ?? '*',
      'Access-Control-Max-Age': '600',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      Vary: 'Origin',
    }
    if (request.method === 'OPTIONS') {
      preflights++
      response.writeHead(204, headers).end()
      return
    }
    const chunks = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      // The browser was killed, or the sink went away, in the middle of a body.
      return
    }
    const body = Buffer.concat(chunks)
    if (fault) {
      response.writeHead(fault, headers).end()
      return
    }
    const events = request.method === 'POST' ? readEvents(body) : []
    if (events.length > 0) {
      arrivals.push(...events)
      requests++
      bytes += body.length
    }
    const { status, body: answer } = answerTo(pathname)
    const type = answer.startsWith('{') ? 'application/json' : 'text/plain'
    response.writeHead(status, { ...headers, 'Content-Type': type }).end(answer)
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
    arrivals: () => arrivals,
    /** What has come since the last call of `forget`. */
    counts: () => ({ events: arrivals.length, requests, bytes, preflights }),
    forget() {
      arrivals = []
      requests = 0
      bytes = 0
      preflights = 0
    },
    /** A status that refuses all from now on; none ends that. */
    answer: (/** @type {number | undefined} */ status) => void (fault = status),
    goAway,
    comeBack: listen,
    async close() {
      if (server.listening) await goAway()
    },
  }
}

/** @typedef {Awaited<ReturnType<typeof createPeerSink>>} PeerSink */
