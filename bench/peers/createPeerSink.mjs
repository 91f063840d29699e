import { once } from 'node:events'
import { createServer } from 'node:http'
import { answerTo, readEvents } from './protocols.mjs'

/** A service for every peer: answers what each takes for success, notes what came, and can go away. */
export async function createPeerSink() {
  /** @type {{ id: string, messageId: string | undefined }[]} */
  let arrivals = []
  let requests = 0
  let bytes = 0
  /** Paths that nobody sends events to, by how often they were asked for. @type {Map<string, number>} */
  const others = new Map()
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
    const events = request.method === 'POST' ? readEvents(body) : []
    if (events.length === 0) others.set(pathname, (others.get(pathname) ?? 0) + 1)
    else {
      arrivals.push(...events)
      requests++
      bytes += body.length
    }
    const { status, body: answer } = answerTo(pathname)
    const type = answer.startsWith('{') ? 'application/json' : 'text/plain'
    response.writeHead(status, { ...headers, 'Content-Type': type }).end(answer)
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
    arrivals: () => arrivals,
    /** What has come since the last call of `forget`. */
    counts: () => ({ events: arrivals.length, requests, bytes }),
    others,
    forget() {
      arrivals = []
      requests = 0
      bytes = 0
    },
    goAway,
    comeBack: () => listen(port),
    async close() {
      if (server.listening) await goAway()
    },
  }
}

/** @typedef {Awaited<ReturnType<typeof createPeerSink>>} PeerSink */
