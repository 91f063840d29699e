import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { makeFolders } from './makeFolders.js'
import { damaged, StoreError } from './StoreError.js'

interface Manifest {
  format: 1
  catalogs: string[]
  /** Absent where a version wrote it that had the accept log only. */
  logs?: string[]
}

/** What a data folder is known by. */
export const manifestName = 'store.json'
const acceptLog = 'accept-log'
const appendLog = 'append-log'
/** Of a Unix socket's path: 108 with its end on Linux, 104 on macOS. */
const maxSocketPath = 100
const minFreeBytes = 16 * 1_048_576

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const makeFolder = (path: string): void => {
  try {
    makeFolders(path)
    if (!statSync(path).isDirectory()) throw new Error('it is a file')
    accessSync(path, constants.W_OK)
    // LMDB and DuckDB end without a word where they cannot make their first pages.
    const { bavail, bsize } = statfsSync(path)
    if (bavail * bsize < minFreeBytes) throw new Error('its disk is full')
  } catch (error) {
    throw new StoreError(`The data folder ${path} cannot be used: ${reasonOf(error)}.`)
  }
}

/** The folder that everything is kept in, and the list of what it must hold. */
export class DataFolder {
  readonly path: string
  /** Files of no catalog, which belong to no manifest and can be lost. */
  readonly temp: string
  /** The log of the analytics catalog, which the ingest process writes. */
  readonly acceptLog: string
  /** The logs of the lakehouse catalogs, which the engine writes. */
  readonly appendLog: string
  /** Follows from the catalogs, and is made again when it is lost. */
  readonly insertIds: string
  /** The erases that are not finished. */
  readonly erasures: string
  readonly #manifest: string

  constructor(path: string) {
    makeFolder(path)
    this.path = realpathSync(path)
    this.temp = join(this.path, 'temp')
    this.acceptLog = join(this.path, acceptLog)
    this.appendLog = join(this.path, appendLog)
    this.insertIds = join(this.path, 'insert-ids')
    this.erasures = join(this.path, 'erasures.json')
    this.#manifest = join(this.path, manifestName)
  }

  /** Where the engine listens for the ingest process. */
  get socket(): string {
    return this.#socketName('engine')
  }

  /**
   * A socket whose owner may take requests. On Linux it is a name without a file, made of what the
   * folder is rather than of its path: two containers may have different folders at one path.
   */
  get lockName(): string {
    if (process.platform !== 'linux') return this.#socketName('ingest')
    const { dev, ino } = statSync(this.path)
    return `\0waymark-${dev}-${ino}`
  }

  catalogFile(catalog: string): string {
    return join(this.path, `${catalog}.duckdb`)
  }

  /** The catalogs that were recorded, none in a new folder. */
  get catalogs(): readonly string[] {
    return this.#read()?.catalogs ?? []
  }

  /** Refuses a folder that has lost a file: opening it would make an empty one in its place. */
  check(): void {
    const manifest = this.#read()
    if (manifest === undefined) return
    const logs = manifest.logs ?? [acceptLog]
    const files = [
      ...manifest.catalogs.map((catalog) => this.catalogFile(catalog)),
      ...logs.map((log) => join(this.path, log, 'logs.json')),
    ]
    // A version before this one kept its log in LMDB.
    const isThere = (file: string) =>
      existsSync(file) || (file.endsWith('logs.json') && existsSync(join(dirname(file), 'data.mdb')))
    const lost = files.find((file) => !isThere(file))
    if (lost !== undefined) throw damaged(`${lost} is missing`)
  }

  /** Writes down what the folder holds, once it holds it. */
  record(catalogs: readonly string[]): void {
    const known = this.#read()
    const all = [...new Set([...(known?.catalogs ?? []), ...catalogs])]
    if (all.length === known?.catalogs.length && known.logs !== undefined) return
    const manifest: Manifest = { format: 1, catalogs: all, logs: [acceptLog, appendLog] }
    writeFileSync(`${this.#manifest}.new`, JSON.stringify(manifest), { flush: true })
    renameSync(`${this.#manifest}.new`, this.#manifest)
  }

  get #key(): string {
    return createHash('sha256').update(this.path).digest('hex').slice(0, 24)
  }

  #socketName(name: string): string {
    if (process.platform === 'win32') return `\\\\.\\pipe\\waymark-${this.#key}-${name}`
    const path = join(this.path, `${name}.sock`)
    return path.length <= maxSocketPath ? path : join(tmpdir(), `waymark-${this.#key}-${name}.sock`)
  }

  #read(): Manifest | undefined {
    if (!existsSync(this.#manifest)) return undefined
    try {
      const manifest = JSON.parse(readFileSync(this.#manifest, 'utf8')) as Partial<Manifest>
      if (manifest.format !== 1 || !Array.isArray(manifest.catalogs)) throw new Error('unknown format')
      return manifest as Manifest
    } catch (error) {
      throw damaged(`${this.#manifest} cannot be read (${reasonOf(error)})`)
    }
  }
}
