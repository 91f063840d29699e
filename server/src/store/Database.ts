import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import type { DataFolder } from './DataFolder.js'
import { type Disk, lookAtDisk, roomOf } from './DiskRoom.js'
import { quoteIdentifier, quoteText } from './quote.js'
import { damaged, isDiskFull, OperatorError } from '../OperatorError.js'
import { reasonOf } from '../reasonOf.js'

/** What DuckDB may take of the machine. */
export interface Resources {
  memoryLimit: string
  threads: number
  /** What must stay free of the disk, where somebody has said so. */
  minFreeDiskBytes?: number | undefined
}

export interface DatabaseOptions extends Resources {
  folder: DataFolder
  catalogs: readonly string[]
  /** Folders that statements of ours read and write; the guard keeps a user's away from them. */
  more?: readonly string[]
}

/** What a connection of ours may still set, most of it for itself. */
const connectionSettings = [
  'threads',
  'TimeZone',
  'search_path',
  'enable_progress_bar',
  'enable_progress_bar_print',
  'progress_bar_time',
]

/** An engine whose service was killed ends by itself, on a busy machine seconds later. */
const lockWaitMs = 10_000

/** Opens a file in the data folder as a catalog. */
export const attach = async (connection: DuckDBConnection, catalog: string, file: string): Promise<void> => {
  const deadline = Date.now() + lockWaitMs
  for (;;) {
    try {
      await connection.run(`ATTACH ${quoteText(file)} AS ${quoteIdentifier(catalog)}`)
      return
    } catch (error) {
      const reason = reasonOf(error).split('\n', 1)[0]!
      if (isDiskFull(reason))
        throw new OperatorError(`DuckDB cannot open ${file}, because its disk is full (${reason}).`)
      const locked = /could not set lock/i.test(reason)
      if (!locked) throw damaged(`DuckDB cannot open ${file} (${reason})`, 'the file')
      if (Date.now() > deadline) {
        throw new OperatorError(
          `The data folder ${dirname(file)} is in use by another waymark-server; stop it, or choose another folder by --data.`,
        )
      }
    }
    await delay(100)
  }
}

/** Nine tenths of what is free at the start, and nothing of the reserve: a query that spills must not fill the disk of the logs. */
const tempSize = (disk: Disk, minFreeDiskBytes: number | undefined): string =>
  `${Math.floor(Math.min(0.9 * disk.free, roomOf(disk, minFreeDiskBytes)) / 1_000_000)}MB`

/** Rows wait while this much of DuckDB's log is moved into the file; less of it at once takes no more time in all. */
const checkpointBytes = 64_000_000

/** The free disk that a checkpoint surely finds enough: blocks are written anew before the old ones are free. */
export const checkpointRoomOf = ({ path }: { path: string }): number => {
  const logs = readdirSync(path).filter((name) => name.endsWith('.duckdb.wal'))
  const bytes = logs.map((name) => statSync(join(path, name), { throwIfNoEntry: false })?.size ?? 0)
  return 2 * (checkpointBytes + bytes.reduce((sum, each) => sum + each, 0))
}

const isTooFullForCheckpoints = async (folder: DataFolder): Promise<boolean> =>
  (await lookAtDisk(folder.path)).free < checkpointRoomOf(folder)

/** DuckDB without a file. It can reach files until it is told not to. */
export const createInstance = async (
  folder: DataFolder,
  { memoryLimit, threads, minFreeDiskBytes }: Resources,
): Promise<DuckDBInstance> => {
  const disk = await lookAtDisk(folder.path)
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: memoryLimit,
    threads: String(threads),
    temp_directory: folder.temp,
    max_temp_directory_size: tempSize(disk, minFreeDiskBytes),
    // A checkpoint that meets the end of the disk makes the catalog useless, and the next start would meet it again.
    wal_autocheckpoint: (await isTooFullForCheckpoints(folder)) ? '1TB' : `${checkpointBytes}B`,
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    allow_persistent_secrets: 'false',
  })
  // An instance lives on until the last statement of it is collected as garbage. If it wrote to its
  // files then, it would write over a later instance that has opened them meanwhile.
  const connection = await instance.connect()
  await connection.run('PRAGMA disable_checkpoint_on_shutdown')
  connection.closeSync()
  return instance
}

/**
 * One DuckDB instance with one file per catalog. The settings keep every statement, ours and a
 * user's, away from the file system and the network; after the last of them they cannot be changed.
 */
export class Database {
  readonly #instance: DuckDBInstance
  readonly #folder: DataFolder
  readonly #catalogs: readonly string[]
  /** Whether DuckDB makes no checkpoint by itself, because the disk was too full for one when it was opened. */
  readonly isCramped: boolean

  private constructor(
    instance: DuckDBInstance,
    { folder, catalogs, isCramped }: Pick<DatabaseOptions, 'folder' | 'catalogs'> & { isCramped: boolean },
  ) {
    this.#instance = instance
    this.#folder = folder
    this.#catalogs = catalogs
    this.isCramped = isCramped
  }

  static async open({ folder, catalogs, more = [], ...resources }: DatabaseOptions): Promise<Database> {
    const isCramped = await isTooFullForCheckpoints(folder)
    const instance = await createInstance(folder, resources)
    try {
      const connection = await instance.connect()
      for (const catalog of catalogs) await attach(connection, catalog, folder.catalogFile(catalog))
      // What a killed engine left: rows that spilled, exports, uploads. Nobody else has the files open now.
      mkdirSync(folder.temp, { recursive: true })
      for (const name of readdirSync(folder.temp)) rmSync(join(folder.temp, name), { recursive: true })
      for (const setting of [
        "TimeZone = 'UTC'",
        `allowed_directories = [${more.map(quoteText).join(', ')}]`,
        'enable_external_access = false',
        `allowed_configs = [${connectionSettings.map(quoteText).join(', ')}]`,
        'lock_configuration = true',
      ]) {
        await connection.run(`SET GLOBAL ${setting}`)
      }
      connection.closeSync()
    } catch (error) {
      instance.closeSync()
      throw error
    }
    return new Database(instance, { folder, catalogs, isCramped })
  }

  /** How long a catalog's file is. */
  bytesOf(catalog: string): number {
    return statSync(this.#folder.catalogFile(catalog)).size
  }

  /** How long DuckDB's own log of a catalog is, which a checkpoint moves into the file. */
  logBytesOf(catalog: string): number {
    return statSync(`${this.#folder.catalogFile(catalog)}.wal`, { throwIfNoEntry: false })?.size ?? 0
  }

  connect(): Promise<DuckDBConnection> {
    return this.#instance.connect()
  }

  /** Gives a connection for some work. */
  async use<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    const connection = await this.connect()
    try {
      return await work(connection)
    } finally {
      connection.closeSync()
    }
  }

  /** After all connections are closed: writes the logs into the files and lets go of them. */
  async close(): Promise<void> {
    const connection = await this.connect()
    for (const catalog of this.#catalogs) {
      // Without it the next start reads the write-ahead log instead, which only takes longer.
      await connection.run(`CHECKPOINT ${quoteIdentifier(catalog)}`).catch(() => undefined)
    }
    connection.closeSync()
    this.#instance.closeSync()
  }
}
