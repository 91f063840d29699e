import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { acceptsCoding } from '../http/codings.js'
import type { Exchange } from '../http/Route.js'

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

export type Encoding = 'br' | 'gzip'

export interface CachedFile {
  type: string
  /** The first 16 digits of its SHA-256. */
  hash: string
  plain: Buffer
  /** The compressed forms; a source map or an image has none. */
  packed: Partial<Record<Encoding, Buffer>>
}

const types: Readonly<Record<string, { type: string; isPacked: boolean }>> = {
  '.js': { type: 'text/javascript; charset=utf-8', isPacked: true },
  '.css': { type: 'text/css; charset=utf-8', isPacked: true },
  '.html': { type: 'text/html; charset=utf-8', isPacked: true },
  '.svg': { type: 'image/svg+xml', isPacked: true },
  '.md': { type: 'text/markdown; charset=utf-8', isPacked: true },
  '.txt': { type: 'text/plain; charset=utf-8', isPacked: true },
  '.map': { type: 'application/json', isPacked: false },
  '.png': { type: 'image/png', isPacked: false },
  '.woff2': { type: 'font/woff2', isPacked: false },
}

const load = async (path: string): Promise<CachedFile | undefined> => {
  const form = types[extname(path)]
  if (form === undefined) return undefined
  const plain = await readFile(path)
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, 16)
  if (!form.isPacked) return { type: form.type, hash, plain, packed: {} }
  const [br, gzipped] = await Promise.all([promisify(brotliCompress)(plain), promisify(gzip)(plain)])
  return { type: form.type, hash, plain, packed: { br, gzip: gzipped } }
}

/** The files of one folder. Each is read and compressed once. */
export class FileCache {
  readonly #folder: string
  readonly #loaded = new Map<string, Promise<CachedFile | undefined>>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Finds a file; undefined when it does not exist. The caller makes sure that the name does not lead out of the folder. */
  async find(name: string): Promise<CachedFile | undefined> {
    const known = this.#loaded.get(name)
    if (known !== undefined) return known
    const loading = load(join(this.#folder, name)).catch(() => undefined)
    this.#loaded.set(name, loading)
    const found = await loading
    // Missing files are not remembered: requests for made-up names would fill the memory.
    if (found === undefined) this.#loaded.delete(name)
    return found
  }
}
