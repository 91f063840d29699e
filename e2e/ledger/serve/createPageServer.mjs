import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, request as ask } from 'node:http'

const script = readFileSync(new URL('../page/ledgerPage.js', import.meta.url))
const worker = readFileSync(new URL('../page/serviceWorker.js', import.meta.url))
const blank = '<!doctype html><meta charset="utf-8"><title>Blank</title>'

/** @param {string} title @param {string} body */
const toHtml = (title, body) => `<!doctype html><meta charset="utf-8"><title>${title}</title>${body}`

/**
 * Serves the test pages, hears what they say, and is the HTTP proxy through which plain-http names are reached:
 * `app.example.test` is this server, `api-PORT.example.test` the fault proxy on that port.
 * @param {string} libraryPath the script-tag build under test
 */
export async function createPageServer(libraryPath) {
  const library = readFileSync(libraryPath)
  const said = new EventEmitter().setMaxListeners(0)

  /** @param {URL} url @returns {{ type: string, body: string | Buffer, headers?: Record<string, string> } | undefined} */
  const serve = (url) => {
    const html = 'text/html; charset=utf-8'
    if (url.pathname === '/waymark.iife.js') return { type: 'text/javascript', body: library }
    if (url.pathname === '/ledgerPage.js') return { type: 'text/javascript', body: script }
    if (url.pathname === '/blank') return { type: html, body: blank }
    // Its scope is `/behind/`: the pages of the other scenarios are not behind it.
    if (url.pathname === '/behind/serviceWorker.js') return { type: 'text/javascript', body: worker }
    if (/^(\/behind)?\/page$/.test(url.pathname)) {
      const scripts = '<script src="/waymark.iife.js"></script><script src="/ledgerPage.js"></script>'
      // A sandboxed page has an opaque origin: IndexedDB is refused to it, in every engine.
      const headers = url.searchParams.has('sandbox')
        ? { 'Content-Security-Policy': 'sandbox allow-scripts' }
        : undefined
      return { type: html, body: toHtml('Page', scripts), ...(headers && { headers }) }
    }
    if (url.pathname === '/frames') {
      const frames = url.searchParams
        .getAll('frame')
        .map((plan) => `<iframe src="/page?plan=${encodeURIComponent(plan)}"></iframe>`)
      return { type: html, body: toHtml('Frames', frames.join('')) }
    }
    return undefined
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
    const api = /^api-(\d+)\.example\.test$/.exec(url.hostname)
    if (api) {
      const { method, headers } = request
      const path = url.pathname + url.search
      const outgoing = ask({ host: '127.0.0.1', port: Number(api[1]), path, method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      outgoing.on('error', () => response.destroy())
      request.pipe(outgoing)
      return
    }
    if (url.pathname === '/say') {
      said.emit('said', Object.fromEntries(url.searchParams))
      // A page that says it in its last task waits for an answer that never comes.
      if (url.searchParams.has('last')) return
      response.writeHead(204, { 'Access-Control-Allow-Origin': '*' }).end()
      return
    }
    const isOurs = /^(127\.0\.0\.1|localhost|app\.example\.test)$/.test(url.hostname)
    const found = isOurs ? serve(url) : undefined
    if (!found) {
      response.writeHead(404).end()
      return
    }
    // A page from the HTTP cache would hide a reload.
    response
      .writeHead(200, { 'Content-Type': found.type, 'Cache-Control': 'no-cache', ...found.headers })
      .end(found.body)
  })
  // A browser's own errands over https end here.
  server.on('connect', (_request, socket) => socket.destroy())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())

  return {
    port,
    /**
     * Hears what pages say until the returned function is called.
     * @param {(message: Record<string, string>) => void} listen
     */
    hear(listen) {
      said.on('said', listen)
      return () => void said.off('said', listen)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  }
}

/** @typedef {Awaited<ReturnType<typeof createPageServer>>} PageServer */
