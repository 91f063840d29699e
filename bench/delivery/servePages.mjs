import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const read = (/** @type {string} */ path) => readFileSync(new URL(path, import.meta.url))

/** Serves the bench page; isolated, because only then does a page get timers of five microseconds. */
export async function servePages() {
  const scripts = new Map([
    ['/waymark.iife.js', read('../../dist/waymark.iife.js')],
    ['/bareQueue.js', read('bareQueue.js')],
    ['/benchPage.js', read('benchPage.js')],
  ])
  // The bench comes first: it watches timers from before the library is there.
  const tags = ['/benchPage.js', '/bareQueue.js', '/waymark.iife.js'].map(
    (path) => `<script src="${path}"></script>`,
  )
  const page = `<!doctype html><meta charset="utf-8"><title>Bench</title>${tags.join('')}`
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://bench')
    const script = scripts.get(pathname)
    if (!script && pathname !== '/page') {
      response.writeHead(404).end()
      return
    }
    response.writeHead(200, {
      'Content-Type': script ? 'text/javascript' : 'text/html; charset=utf-8',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Embedder-Policy': 'require-corp',
    })
    response.end(script ?? page)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
