import { fileURLToPath } from 'node:url'
import { refuse } from '../http/HttpError.js'
import type { Exchange, Route } from '../http/Route.js'
import { baseOf } from '../http/behindProxy.js'
import { type CachedFile, FileCache, immutable, sendFile } from './fileRoutes.js'

/** The folder into which `npm run build` puts the screens. */
const usualFolder = fileURLToPath(new URL('../../dist/screens', import.meta.url))

export const screenPrefix = '/app/'
/** The paths at which people begin: both lead to the screens. They are the same for everybody, with or without a login. */
export const doorPaths: readonly string[] = ['/', '/app']

/** Below it is the page of each link for guests. */
export const guestPrefix = 'guest/'

/** `frames`: the origins of pages that may show the page in a frame. */
const policy = (frames: readonly string[]) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${frames.length === 0 ? "'none'" : frames.join(' ')}`,
    "require-trusted-types-for 'script'",
  ].join('; ')

const baseHeaders = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}
const securityHeaders = {
  ...baseHeaders,
  'content-security-policy': policy([]),
  'x-frame-options': 'DENY',
  // Some browsers send neither `Sec-Fetch-Site` nor `Origin`; then `Referer` shows that the service's own page asks.
  'referrer-policy': 'same-origin',
}

/** A page for guests says nowhere where it was: whoever has its address may see it. `X-Frame-Options` knows no list. */
const guestHeaders = (frames: readonly string[]) => ({
  ...baseHeaders,
  ...(frames.length === 0 && { 'x-frame-options': 'DENY' }),
  'content-security-policy': policy(frames),
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
})

const fileForm = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/

/** Makes addresses that begin with `./` mean the folder `/app/`, however deep the page's own address is. */
const below = (page: CachedFile, depth: number): CachedFile => {
  if (depth === 0) return page
  const html = page.plain.toString().replaceAll('="./', `="${'../'.repeat(depth)}`)
  return { type: page.type, hash: `${page.hash}-${depth}`, plain: Buffer.from(html), packed: {} }
}

const notBuilt = 'The screens have not been built: run npm run build -w server in the folder of waymark.\n'

/**
 * Serves the screens: one page for every path below `/app/`, and the files that it loads. `framesOf` finds who may show
 * the page of a link in a frame.
 */
export const screenRoutes = (
  folder: string,
  framesOf: (id: string) => Promise<readonly string[]>,
): Route[] => {
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
    const isOfGuest = name.startsWith(guestPrefix)
    sendFile(exchange, file ?? below(found, name.split('/').length - 1), {
      'cache-control': isAsset ? immutable : 'no-cache',
      ...(isOfGuest ? guestHeaders(await framesOf(name.split('/')[1]!)) : securityHeaders),
    })
    return undefined
  }

  const redirect = ({ request, response }: Exchange) => {
    const base = baseOf(request)
    // Without a base it is relative, because a proxy may have removed a prefix that the service does not know.
    const location = base === '' ? 'app/' : `${base}/app/`
    response.writeHead(302, { location, 'content-length': 0 }).end()
    return Promise.resolve(undefined)
  }

  return (['GET', 'HEAD'] as const).flatMap((method) => [
    ...doorPaths.map((path) => ({ method, path, handle: redirect })),
    { method, path: `${screenPrefix}{name...}`, handle },
  ])
}
