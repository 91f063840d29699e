import type { IncomingMessage } from 'node:http'
import { lakehouseError, refuse } from '../http/HttpError.js'
import type { Exchange, Route } from '../http/Route.js'
import { LibraryFiles, type Encoding, type LibraryFile } from './LibraryFiles.js'

/** Where the files lie: `/waymark.iife.js`, or `/waymark.iife.0123456789abcdef.js`. */
export const filePrefix = '/waymark.'

const form = /^\/waymark\.([a-z-]+)(?:\.([0-9a-f]{16}))?\.js(\.map)?$/

/** A page without a hash looks for a new version this often. */
const freshSeconds = 3600
const yearSeconds = 31_536_000

const encodings: readonly Encoding[] = ['br', 'gzip']

/** The smallest form that the client takes. */
const choose = ({ headers }: IncomingMessage, { plain, packed }: LibraryFile) => {
  const taken = (headers['accept-encoding'] ?? '')
    .split(',')
    .filter((each) => !/;\s*q=0(\.0*)?\s*$/.test(each))
    .map((each) => each.split(';', 1)[0]!.trim().toLowerCase())
  const encoding = encodings.find((each) => packed[each] !== undefined && taken.includes(each))
  return { encoding, bytes: encoding === undefined ? plain : packed[encoding]! }
}

/** A file whose address holds its own hash never changes. */
const cacheControl = (asked: string | null, { hash }: LibraryFile) => {
  if (!asked) return `public, max-age=${freshSeconds}`
  return asked === hash ? `public, max-age=${yearSeconds}, immutable` : 'no-cache'
}

/**
 * The library's own files, so that a site needs to pass on one path alone. A page of any origin may load them, also by a
 * tag with `integrity`, and on a page that embeds only what allows it (`Cross-Origin-Embedder-Policy`).
 */
export const fileRoutes = (folder: string): Route[] => {
  const files = new LibraryFiles(folder)
  const handle = async ({ request, response, path, search }: Exchange) => {
    const [, name, inName, map = ''] = form.exec(path) ?? []
    const file = name && (await files.find(`waymark.${name}.js${map}`))
    if (!file) {
      const message = `There is no file ${path.slice(0, 200)}. The library's files are taken from the folder given by --files.`
      throw refuse(404, 'not-found', message)
    }
    const { encoding, bytes } = choose(request, file)
    const tag = `"${file.hash}${encoding === undefined ? '' : `-${encoding}`}"`
    const isKnown = request.headers['if-none-match']?.includes(tag) === true
    response.writeHead(isKnown ? 304 : 200, {
      'content-type': file.type,
      'cache-control': cacheControl(inName ?? new URLSearchParams(search).get('v'), file),
      etag: tag,
      vary: 'Accept-Encoding',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      ...(isKnown ? {} : { 'content-length': bytes.length }),
      ...(encoding !== undefined && !isKnown && { 'content-encoding': encoding }),
    })
    response.end(isKnown || request.method === 'HEAD' ? undefined : bytes)
    return undefined
  }
  const path = `${filePrefix}{file}`
  return (['GET', 'HEAD'] as const).map((method) => ({ method, path, handle, writeError: lakehouseError }))
}
