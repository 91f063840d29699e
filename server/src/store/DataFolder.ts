import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, readFileSync, realpathSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeFolders } from './makeFolders.js'
import { damaged, OperatorError } from '../OperatorError.js'
import { reasonOf } from '../reasonOf.js'
import { writeWhole } from './writeWhole.js'

interface Manifest {
  format: 1
  catalogs: string[]
  logs: string[]
}

/** What a data folder is known by. */
export const manifestName = 'store.json'
const acceptLog = 'accept-log'
const appendLog = 'append-log'
/** Of a Unix socket's path: 108 with its end on Linux, 104 on macOS. */
const maxSocketPath = 100
const minFreeBytes = 16 * 1_048_576

/** Whether somebody writes to a folder or only looks at it, as it may lie on a disk that is mounted for reading. */
type Access = 'write' | 'read'

const openFolder = (path: string, access: Access): void => {
  try {
    if (access === 'write') makeFolders(path)
    if (!statSync(path).isDirectory()) throw new Error('it is a file')
    accessSync(path, access === 'write' ? constants.W_OK : constants.R_OK)
    if (access === 'read') return
    // DuckDB ends without a word where it cannot make its first pages. A store that is there is opened all the same.
    const { bavail, bsize } = statfsSync(path)
    const isNew = !existsSync(join(path, manifestName))
    if (isNew && bavail * bsize < minFreeBytes) throw new Error('its disk is full')
  } catch (error) {
    throw new OperatorError(`The data folder ${path} cannot be used: ${reasonOf(error)}.`)
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
  /** When the service ran last. */
  readonly clock: string
  readonly #manifest: string

  constructor(path: string, access: Access = 'write') {
    openFolder(path, access)
    this.path = realpathSync(path)
    this.temp = join(this.path, 'temp')
    this.acceptLog = join(this.path, acceptLog)
    this.appendLog = join(this.path, appendLog)
    this.insertIds = join(this.path, 'insert-ids')
    this.erasures = join(this.path, 'erasures.json')
    this.clock = join(this.path, 'clock.json')
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

  /** What of a catalog's log is being stored; it can be lost. */
  attemptFile(catalog: string): string {
    return join(this.path, `${catalog}.attempt`)
  }

  /** The catalogs that were recorded, none in a new folder. */
  get catalogs(): readonly string[] {
    return this.#read()?.catalogs ?? []
  }

  /** Refuses a folder that has lost a file: opening it would make an empty one in its place. */
  check(): void {
    const manifest = this.#read()
    if (manifest === undefined) return
    const files = [
      ...manifest.catalogs.map((catalog) => this.catalogFile(catalog)),
      ...manifest.logs.map((log) => join(this.path, log, 'logs.json')),
    ]
    const lost = files.find((file) => !existsSync(file))
    if (lost !== undefined) throw damaged(`${lost} is missing`)
  }

  /** Writes down what the folder holds, once it holds it. */
  record(catalogs: readonly string[]): void {
    const known = this.#read()
    const all = [...new Set([...(known?.catalogs ?? []), ...catalogs])]
    if (all.length === known?.catalogs.length) return
    const manifest: Manifest = { format: 1, catalogs: all, logs: [acceptLog, appendLog] }
    writeWhole(this.#manifest, JSON.stringify(manifest))
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
      if (manifest.format !== 1 || !Array.isArray(manifest.catalogs) || !Array.isArray(manifest.logs))
        throw new Error('unknown format')
      return manifest as Manifest
    } catch (error) {
      throw damaged(`${this.#manifest} cannot be read (${reasonOf(error)})`)
    }
  }
}
