import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const script = readFileSync(new URL('page/peerPage.js', import.meta.url))
const blank = '<!doctype html><meta charset="utf-8"><title>Blank</title>'

/**
 * Serves a page for each peer and hears what it says. The page is isolated, because only then does it get timers of five
 * microseconds.
 * @param {Map<string, Uint8Array>} bundles by the peer's name
 */
export async function servePeers(bundles) {
  const said = new EventEmitter().setMaxListeners(0)
  /** A peer's script, with the time that it takes to run. */
  const timed = (/** @type {string} */ name) => {
    const bundle = bundles.get(name)
    if (!bundle) return ''
    const text = Buffer.from(bundle).toString()
    return `window.evaluateMs=performance.now();${text};window.evaluateMs=performance.now()-window.evaluateMs;`
  }
  const html = (/** @type {string} */ peer) =>
    `<!doctype html><meta charset="utf-8"><title>${peer}</title><link rel="icon" href="data:,">` +
    `<script src="/peer/${peer}.js"></script><script src="/peerPage.js"></script>`

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://bench')
    const send = (/** @type {string} */ type, /** @type {string | Buffer} */ body) => {
      response.writeHead(200, {
        'Content-Type': type,
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Cross-Origin-Embedder-Policy': 'require-corp',
      })
      response.end(body)
    }
    const [, peer] = /^\/peer\/(\w+)\.js$/.exec(pathname) ?? []
    if (peer) send('text/javascript', timed(peer))
    else if (pathname === '/peerPage.js') send('text/javascript', script)
    else if (pathname === '/blank') send('text/html; charset=utf-8', blank)
    else if (pathname === '/page')
      send('text/html; charset=utf-8', html(JSON.parse(searchParams.get('plan') ?? '{}').peer))
    else if (pathname === '/say') {
      said.emit('said', Object.fromEntries(searchParams))
      send('text/plain', '')
    } else response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    /** An origin of its own, so that no peer finds what another one stored. */
    originOf: (/** @type {string} */ name) => `http://${name}.localhost:${port}`,
    /** Resolves when a peer's page says so. */
    heard: (/** @type {string} */ what, /** @type {string} */ peer, withinMs = 60_000) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          said.off('said', hear)
          reject(new Error(`The page of ${peer} did not say "${what}" within ${withinMs} ms`))
        }, withinMs)
        const hear = (/** @type {Record<string, string>} */ message) => {
          if (message.what !== what || message.peer !== peer) return
          clearTimeout(timer)
          said.off('said', hear)
          resolve(message)
        }
        said.on('said', hear)
      }),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** @typedef {Awaited<ReturnType<typeof servePeers>>} PeerPages */
