import { existsSync } from 'node:fs'
import { join, extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { refuse } from '../http/HttpError.js'
import type { Exchange, Route } from '../http/Route.js'
import { acceptsCoding } from '../http/headers.js'

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

type Encoding = 'br' | 'gzip'

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

/** The folder into which `npm run build` puts the docs. */
const usualFolder = fileURLToPath(new URL('../../docs', import.meta.url))

const pageForm = /^[\w-]+\.md$/

/** Serves the docs as Markdown at `/docs/…`, and their list at `/llms.txt`, for agents and for whoever has no other copy. */
export const docRoutes = (folder = usualFolder): Route[] => {
  const files = new FileCache(folder)
  const send = async (exchange: Exchange, name: string) => {
    const file = await files.find(name)
    if (file === undefined)
      throw refuse(404, 'not-found', `There is no page ${name.slice(0, 200)}; /llms.txt lists them.`)
    sendFile(exchange, file, { 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' })
    return undefined
  }
  const page = (exchange: Exchange) => {
    const name = exchange.parameters[0]!
    return send(exchange, pageForm.test(name) ? name : '')
  }
  return (['GET', 'HEAD'] as const).flatMap((method) => [
    {
      method,
      path: '/llms.txt',
      handle: (exchange: Exchange) => send(exchange, 'llms.txt'),
    },
    { method, path: '/docs/{page}', handle: page },
  ])
}

/** The start of the files' paths: `/waymark.iife.js`, or `/waymark.iife.0123456789abcdef.js` with a hash. */
export const filePrefix = '/waymark.'

const form = /^\/waymark\.([a-z-]+)(?:\.([0-9a-f]{16}))?\.js(\.map)?$/

/** A page that names a file without its hash looks for a new version this often. */
const freshSeconds = 3600

/** The folder into which this repository builds the library comes first, because packed files may be older; then the folder of a published service. */
const usualFolders = ['../../../dist', '../../browser'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

const cacheControl = (namedHash: string | null, { hash }: CachedFile) => {
  if (!namedHash) return `public, max-age=${freshSeconds}`
  return namedHash === hash ? immutable : 'no-cache'
}

/**
 * Serves the library's files, so that a proxy has to pass on only the service. Pages of any origin may load them, with
 * `integrity` and under `Cross-Origin-Embedder-Policy`, too. Without a folder the files that come with the service are
 * served.
 */
export const fileRoutes = (given: string): Route[] => {
  const folder = given || usualFolders.find((each) => existsSync(join(each, 'waymark.iife.js')))
  const files = folder === undefined ? undefined : new FileCache(folder)
  const handle = async (exchange: Exchange) => {
    const { path, search } = exchange
    const [, name, hashInName, map = ''] = form.exec(path) ?? []
    const file = name && (await files?.find(`waymark.${name}.js${map}`))
    if (!file) {
      const message = `There is no file ${path.slice(0, 200)}. The library's files are taken from the folder given by --files.`
      throw refuse(404, 'not-found', message)
    }
    sendFile(exchange, file, {
      'cache-control': cacheControl(hashInName ?? new URLSearchParams(search).get('v'), file),
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    })
    return undefined
  }
  const path = `${filePrefix}{file}`
  return (['GET', 'HEAD'] as const).map((method) => ({ method, path, handle }))
}
