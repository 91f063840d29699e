import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'

export type Encoding = 'br' | 'gzip'

export interface LibraryFile {
  type: string
  /** The first 16 digits of its SHA-256. */
  hash: string
  plain: Buffer
  /** Smaller forms; a source map has none. */
  packed: Partial<Record<Encoding, Buffer>>
}

/** Beside a published service, or where this repository builds the library. */
const usualFolders = ['../../browser', '../../../dist'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

const load = async (path: string): Promise<LibraryFile | undefined> => {
  if (!existsSync(path)) return undefined
  const plain = await readFile(path)
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, 16)
  if (path.endsWith('.map')) return { type: 'application/json', hash, plain, packed: {} }
  const [br, gzipped] = await Promise.all([promisify(brotliCompress)(plain), promisify(gzip)(plain)])
  return { type: 'text/javascript; charset=utf-8', hash, plain, packed: { br, gzip: gzipped } }
}

/** The library's files for script tags, read and compressed once each. */
export class LibraryFiles {
  readonly #folder: string | undefined
  readonly #loaded = new Map<string, Promise<LibraryFile | undefined>>()

  /** Without a folder it takes the files that come with this service. */
  constructor(folder = '') {
    this.#folder = folder || usualFolders.find((each) => existsSync(join(each, 'waymark.iife.js')))
  }

  /** Undefined when there is no such file. The name must not lead out of the folder. */
  async find(name: string): Promise<LibraryFile | undefined> {
    if (this.#folder === undefined) return undefined
    const known = this.#loaded.get(name)
    if (known !== undefined) return known
    const loading = load(join(this.#folder, name))
    this.#loaded.set(name, loading)
    const found = await loading.catch(() => undefined)
    // Nobody fills the memory with names of files that are not there.
    if (found === undefined) this.#loaded.delete(name)
    return found
  }
}
