import { createServer } from 'node:http'
import { once } from 'node:events'
import { readAsset } from './readAsset.mjs'
import { layout } from './pages/layout.mjs'
import { notFound, pages } from './pages/pages.mjs'
import { answerSwitch } from './answerSwitch.mjs'

/** @typedef {import('./pages/layout.mjs').Settings} Settings */

/** @param {string} endpoint */
const securityHeaders = (endpoint) => ({
  'content-security-policy':
    `default-src 'self'; connect-src 'self' ${endpoint}; base-uri 'none'; form-action 'self'; ` +
    `frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
})

/** Every address of the machine. */
const wildcards = new Set(['0.0.0.0', '::', '[::]'])

/**
 * Where a page reaches a service that listens at every address: at the one by which the page was reached itself.
 * @param {string} endpoint
 * @param {string} [host] of the page's request
 */
function endpointFor(endpoint, host) {
  const url = new URL(endpoint)
  if (wildcards.has(url.hostname) && host && URL.canParse(`http://${host}`))
    url.hostname = new URL(`http://${host}`).hostname
  return url.origin
}

/**
 * Serves the shop. `serviceSwitch` is what lets a page stop and start the service.
 * @param {{ port?: number, host?: string, settings: Settings, serviceSwitch?: import('./answerSwitch.mjs').Switch }} options
 */
export async function startDemo({ port = 0, host = '127.0.0.1', settings, serviceSwitch }) {
  const server = createServer(async (request, response) => {
    const endpoint = endpointFor(settings.endpoint, request.headers.host)
    const security = securityHeaders(endpoint)
    const { pathname } = new URL(request.url ?? '/', 'http://demo')
    const send = (
      /** @type {number} */ status,
      /** @type {Record<string, string>} */ headers,
      /** @type {string | Uint8Array} */ body,
    ) =>
      response
        .writeHead(status, { ...security, ...headers })
        .end(request.method === 'HEAD' ? undefined : body)

    if (pathname === '/demo/service' && serviceSwitch) return answerSwitch({ request, serviceSwitch, send })
    if (request.method !== 'GET' && request.method !== 'HEAD') return send(405, { allow: 'GET, HEAD' }, '')
    const asset = await readAsset(pathname)
    if (asset)
      return send(
        200,
        { 'content-type': asset.type, 'cache-control': 'no-cache', ...asset.headers },
        asset.body,
      )
    const page = pages.get(pathname)
    const shown = { ...settings, endpoint }
    const document = layout(shown, (page ?? notFound)(shown)).markup
    return send(
      page ? 200 : 404,
      { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' },
      document,
    )
  })

  server.listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  const taken = typeof address === 'object' && address ? address.port : port
  return {
    url: `http://${host}:${taken}`,
    /** Stops at once, open connections included. */
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
