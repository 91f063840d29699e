import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statfsSync,
  statSync,
  unlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, dirname, resolve } from 'node:path'
import { connect, createServer, type Server } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { damaged, OperatorError, reasonOf } from '../OperatorError.js'
import { writeWhole } from './writeWhole.js'

/** Makes one folder after the other: under a parent like /proc, which takes no folder, Node's recursive `mkdir` never ends. */
export const makeFolders = (path: string): void => {
  const missing: string[] = []
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.push(at)
  for (const folder of missing.toReversed()) mkdirSync(folder, { mode: 0o700 })
}

interface Manifest {
  format: 1
  catalogs: string[]
  logs: string[]
}

/** A folder with this file is a data folder. */
export const manifestName = 'store.json'
const acceptLog = 'accept-log'
const appendLog = 'append-log'
/** The path of a Unix socket may have 108 bytes on Linux and 104 on macOS, with a zero byte at its end. */
const maxSocketPath = 100
const minFreeBytes = 16 * 1_048_576

/** A folder that is only read may lie on a disk that is mounted for reading. */
type Access = 'write' | 'read'

const openFolder = (path: string, access: Access): void => {
  try {
    if (access === 'write') makeFolders(path)
    if (!statSync(path).isDirectory()) throw new Error('it is a file')
    accessSync(path, access === 'write' ? constants.W_OK : constants.R_OK)
    if (access === 'read') return
    // DuckDB ends the process without a message when it cannot write the first pages of a new file. An existing
    // store is opened even when the disk is full.
    const { bavail, bsize } = statfsSync(path)
    const isNew = !existsSync(join(path, manifestName))
    if (isNew && bavail * bsize < minFreeBytes) throw new Error('its disk is full')
  } catch (error) {
    throw new OperatorError(`The data folder ${path} cannot be used: ${reasonOf(error)}.`)
  }
}

/** The folder in which the service keeps everything, and the manifest of the files that it must hold. */
export class DataFolder {
  readonly path: string
  /** Temporary files: no catalog needs them, and they can be lost. */
  readonly temp: string
  /** Files of clients until they are read. The engine's DuckDB can read files in `temp`, and none of these. */
  readonly spool: string
  /** The export of another program that is imported now. The ingest process alone uses it. */
  readonly history: string
  /** The log of the analytics catalog, which the ingest process writes. */
  readonly acceptLog: string
  /** The logs of the lakehouse catalogs, which the engine writes. */
  readonly appendLog: string
  /** The insert ids that were seen. They are read from the catalog again when the folder is lost. */
  readonly insertIds: string
  /** The file of the erasures that are not finished. */
  readonly erasures: string
  /** The salt under which visitors without consent are counted on this day. No backup takes it. */
  readonly daySalt: string
  /** Users and keys that were made by clicking. No backup takes it. */
  readonly access: string
  /** The file that says when the service ran last. */
  readonly clock: string
  readonly #manifest: string

  constructor(path: string, access: Access = 'write') {
    openFolder(path, access)
    this.path = realpathSync(path)
    this.temp = join(this.path, 'temp')
    this.spool = join(this.path, 'spool')
    this.history = join(this.path, 'history')
    this.acceptLog = join(this.path, acceptLog)
    this.appendLog = join(this.path, appendLog)
    this.insertIds = join(this.path, 'insert-ids')
    this.erasures = join(this.path, 'erasures.json')
    this.daySalt = join(this.path, 'day-salt')
    this.access = join(this.path, 'access.json')
    this.clock = join(this.path, 'clock.json')
    this.#manifest = join(this.path, manifestName)
  }

  /** The socket on which the engine listens for the ingest process. */
  get socket(): string {
    return this.#socketName('engine')
  }

  /**
   * The name of a socket: only the process that listens on it may take requests. On Linux it has no file
   * and is made of the folder's device and inode, because two containers may have different folders at
   * one path.
   */
  get lockName(): string {
    if (process.platform !== 'linux') return this.#socketName('ingest')
    const { dev, ino } = statSync(this.path)
    return `\0waymark-${dev}-${ino}`
  }

  catalogFile(catalog: string): string {
    return join(this.path, `${catalog}.duckdb`)
  }

  /** The file that notes which part of a catalog's log is being stored; it can be lost. */
  attemptFile(catalog: string): string {
    return join(this.path, `${catalog}.attempt`)
  }

  /** The catalogs in the manifest; a new folder has none. */
  get catalogs(): readonly string[] {
    return this.#read()?.catalogs ?? []
  }

  /** Throws when a file of the manifest is missing: opening the folder would make an empty file instead. */
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

  /** Adds catalogs to the manifest. It is called once their files exist. */
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

/** The lock of a killed process stays for a moment. */
const waitMs = 1500

type Unlock = () => Promise<void>

const listen = (server: Server, path: string): Promise<boolean> =>
  new Promise((settle, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? settle(false) : reject(error),
    )
    server.listen(path, () => settle(true))
  })

/** Whether a process listens there. */
export const isAnswered = (path: string): Promise<boolean> =>
  new Promise((settle) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      settle(true)
    })
    socket.once('error', () => settle(false))
  })

/**
 * Makes sure that only one process at a time takes requests for a folder. The lock is a socket that no
 * client uses: the system gives its name to one process, and frees it however that process ends.
 */
export const lockFolder = async (folder: DataFolder): Promise<Unlock> => {
  const name = folder.lockName
  const isFile = !name.startsWith('\0') && process.platform !== 'win32'
  const deadline = performance.now() + waitMs
  for (;;) {
    const server = createServer((socket) => socket.destroy())
    let isMine: boolean
    try {
      isMine = await listen(server, name)
    } catch (error) {
      // On a file system that is mounted for reading no service can run, so no lock is needed.
      if ((error as NodeJS.ErrnoException).code === 'EROFS') return () => Promise.resolve()
      throw error
    }
    if (isMine) {
      server.unref()
      return () => new Promise((settle) => server.close(() => settle()))
    }
    // A name that is a file is left behind by a killed process.
    if (isFile && !(await isAnswered(name))) {
      unlinkSync(name)
      continue
    }
    if (performance.now() > deadline) {
      throw new OperatorError(
        `The data folder ${folder.path} is in use by another waymark-server; stop it, or choose another folder by --data.`,
      )
    }
    await delay(100)
  }
}
