import { fileURLToPath } from 'node:url'
import { lakehouseError, refuse } from '../http/HttpError.js'
import type { Exchange, Route } from '../http/Route.js'
import { baseOf } from '../http/withoutBase.js'
import { type CachedFile, FileCache } from './FileCache.js'
import { immutable, sendFile } from './sendFile.js'

/** The folder into which `npm run build` puts the screens. */
const usualFolder = fileURLToPath(new URL('../../dist/screens', import.meta.url))

export const screenPrefix = '/app/'
/** The paths at which people begin: both lead to the screens. They are the same for everybody, with or without a login. */
export const doorPaths: readonly string[] = ['/', '/app']

const securityHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // Some browsers send neither `Sec-Fetch-Site` nor `Origin`; then `Referer` shows that the service's own page asks.
  'referrer-policy': 'same-origin',
}

const fileForm = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/

/** Makes addresses that begin with `./` mean the folder `/app/`, however deep the page's own address is. */
const below = (page: CachedFile, depth: number): CachedFile => {
  if (depth === 0) return page
  const html = page.plain.toString().replaceAll('="./', `="${'../'.repeat(depth)}`)
  return { type: page.type, hash: `${page.hash}-${depth}`, plain: Buffer.from(html), packed: {} }
}

const notBuilt = 'The screens have not been built: run npm run build -w server in the folder of waymark.\n'

/** Serves the screens: one page for every path below `/app/`, and the files that it loads. */
export const screenRoutes = (folder: string): Route[] => {
  const files = new FileCache(folder || usualFolder)

  const handle = async (exchange: Exchange) => {
    const { request, response } = exchange
    const name = exchange.parameters[0]!
    const file = fileForm.test(name) ? await files.find(name) : undefined
    const isAsset = name.startsWith('assets/')
    if (isAsset && file === undefined)
      throw refuse(404, 'not-found', `There is no file ${name.slice(0, 200)}.`)
    const found = file ?? (await files.find('index.html'))
    if (found === undefined) {
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' })
      response.end(request.method === 'HEAD' ? undefined : notBuilt)
      return undefined
    }
    sendFile(exchange, file ?? below(found, name.split('/').length - 1), {
      'cache-control': isAsset ? immutable : 'no-cache',
      ...securityHeaders,
    })
    return undefined
  }

  const redirect = ({ request, response }: Exchange) => {
    const base = baseOf(request)
    // Else it is relative, because a proxy may have removed a prefix that the service does not know.
    const location = base === '' ? 'app/' : `${base}/app/`
    response.writeHead(302, { location, 'content-length': 0 }).end()
    return Promise.resolve(undefined)
  }

  return (['GET', 'HEAD'] as const).flatMap((method) => [
    ...doorPaths.map((path) => ({ method, path, handle: redirect, writeError: lakehouseError })),
    { method, path: `${screenPrefix}{name...}`, handle, writeError: lakehouseError },
  ])
}
