import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { acceptsCoding } from '../http/acceptsCoding.js'
import type { Exchange } from '../http/Route.js'
import type { CachedFile, Encoding } from './FileCache.js'

const yearSeconds = 31_536_000
/** The `Cache-Control` of a file whose address holds its hash: such a file never changes. */
export const immutable = `public, max-age=${yearSeconds}, immutable`

const encodings: readonly Encoding[] = ['br', 'gzip']

/** Chooses the smallest form that the client takes. */
const choose = ({ headers }: IncomingMessage, { plain, packed }: CachedFile) => {
  const accepted = headers['accept-encoding']?.toString()
  const encoding = encodings.find((each) => packed[each] !== undefined && acceptsCoding(accepted, each))
  return { encoding, bytes: encoding === undefined ? plain : packed[encoding]! }
}

/** Answers with a file, or with 304 when the client has it already. */
export const sendFile = (
  { request, response }: Exchange,
  file: CachedFile,
  headers: OutgoingHttpHeaders,
): void => {
  const { encoding, bytes } = choose(request, file)
  const tag = `"${file.hash}${encoding === undefined ? '' : `-${encoding}`}"`
  const isKnown = request.headers['if-none-match']?.includes(tag) === true
  response.writeHead(isKnown ? 304 : 200, {
    'content-type': file.type,
    etag: tag,
    vary: 'Accept-Encoding',
    'x-content-type-options': 'nosniff',
    ...headers,
    ...(isKnown ? {} : { 'content-length': bytes.length }),
    ...(encoding !== undefined && !isKnown && { 'content-encoding': encoding }),
  })
  response.end(isKnown || request.method === 'HEAD' ? undefined : bytes)
}
