import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { Exchange } from '../http/Route.js'
import type { CachedFile, Encoding } from './FileCache.js'

const yearSeconds = 31_536_000
/** For a file whose address holds its own hash, so that it never changes. */
export const immutable = `public, max-age=${yearSeconds}, immutable`

const encodings: readonly Encoding[] = ['br', 'gzip']

/** The smallest form that the client takes. */
const choose = ({ headers }: IncomingMessage, { plain, packed }: CachedFile) => {
  const taken = (headers['accept-encoding'] ?? '')
    .split(',')
    .filter((each) => !/;\s*q=0(\.0*)?\s*$/.test(each))
    .map((each) => each.split(';', 1)[0]!.trim().toLowerCase())
  const encoding = encodings.find((each) => packed[each] !== undefined && taken.includes(each))
  return { encoding, bytes: encoding === undefined ? plain : packed[encoding]! }
}

/** Answers with a file, or with 304 where the client has it. */
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
