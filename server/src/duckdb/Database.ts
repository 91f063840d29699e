import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { analyticsCatalog, quoteIdentifier, quoteText, makeWay } from './quote.js'
import type { DataFolder } from '../disk/DataFolder.js'
import { type Disk, lookAtDisk, roomOf } from '../disk/DiskRoom.js'
import { findCutOff, WalMark } from './WalMark.js'
import { damaged, isDiskFull, OperatorError, reasonOf } from '../OperatorError.js'
import { isInvalidated } from './transactions.js'

export interface Watch {
  /** Checks now, because something has failed. */
  look(): void
  stop(): Promise<void>
}

const everyMs = 1000

/**
 * After a failed checkpoint, for which a full disk is enough, DuckDB gives the catalog up until the process ends,
 * whichever statement caused it. This queries DuckDB every second and reads only its own errors: a user's
 * statement may raise an error in any words.
 */
export const watchDatabase = async (
  database: Pick<Database, 'connect'>,
  tables: readonly string[],
  onLost: (reason: string) => void,
): Promise<Watch> => {
  const connection = await database.connect()
  const statement = tables.map((table) => `SELECT count(*) FROM ${table}`).join(' UNION ALL ')
  let checking: Promise<void> | undefined
  let isLost = false
  const check = async () => {
    try {
      await connection.run(statement)
    } catch (error) {
      if (isLost || !isInvalidated(error)) return
      isLost = true
      onLost((error as Error).message)
    }
  }
  const look = () => {
    checking ??= check().finally(() => (checking = undefined))
  }
  const timer = setInterval(look, everyMs).unref()
  return {
    look,
    async stop() {
      clearInterval(timer)
      await checking
      connection.closeSync()
    },
  }
}

/** How much of the machine DuckDB may use. */
export interface Resources {
  memoryLimit: string
  threads: number
  /** How much of the disk must stay free; undefined when no option says it. */
  minFreeDiskBytes?: number | undefined
}

export interface DatabaseOptions extends Resources {
  folder: DataFolder
  catalogs: readonly string[]
  /** Folders that the service's own statements read and write. The guard keeps users' statements away from them. */
  more?: readonly string[]
}

/** Connections may still change these settings after the configuration is locked. */
const connectionSettings = [
  'threads',
  'TimeZone',
  'search_path',
  'enable_progress_bar',
  'enable_progress_bar_print',
  'progress_bar_time',
  'streaming_buffer_size',
]

/** The engine of a killed service ends by itself, but on a busy machine that takes seconds. */
const lockWaitMs = 10_000

/** The format of new files. The one that DuckDB writes by itself, which old DuckDBs can read, takes 8 % more for ids. */
const storageVersion = 'v1.5.0'

/** Opens a file in the data folder as a catalog. */
export const attach = async (connection: DuckDBConnection, catalog: string, file: string): Promise<void> => {
  const cutOff = await findCutOff(file)
  if (cutOff !== undefined) throw damaged(cutOff)
  await makeWay(connection, catalog)
  const deadline = performance.now() + lockWaitMs
  for (;;) {
    try {
      await connection.run(
        `ATTACH ${quoteText(file)} AS ${quoteIdentifier(catalog)} (STORAGE_VERSION '${storageVersion}')`,
      )
      return
    } catch (error) {
      const reason = reasonOf(error).split('\n', 1)[0]!
      if (isDiskFull(reason))
        throw new OperatorError(`DuckDB cannot open ${file}, because its disk is full (${reason}).`)
      const locked = /could not set lock/i.test(reason)
      if (!locked) throw damaged(`DuckDB cannot open ${file} (${reason})`, 'the file')
      if (performance.now() > deadline) {
        throw new OperatorError(
          `The data folder ${dirname(file)} is in use by another waymark-server; stop it, or choose another folder by --data.`,
        )
      }
    }
    await delay(100)
  }
}

/**
 * A query that spills must not fill the disk of the logs, so temporary files get nine tenths of what is
 * free at the start, and nothing of the reserve.
 */
const tempSize = (disk: Disk, minFreeDiskBytes: number | undefined): string =>
  `${Math.floor(Math.min(0.9 * disk.free, roomOf(disk, minFreeDiskBytes)) / 1_000_000)}MB`

/** Storing waits while DuckDB moves this much of its log into the file. Smaller steps take no more time in all. */
const checkpointBytes = 64_000_000

/** The free disk that a checkpoint surely finds enough: blocks are written anew before the old ones are free. */
export const checkpointRoomOf = ({ path }: { path: string }): number => {
  const logs = readdirSync(path).filter((name) => name.endsWith('.duckdb.wal'))
  const bytes = logs.map((name) => statSync(join(path, name), { throwIfNoEntry: false })?.size ?? 0)
  return 2 * (checkpointBytes + bytes.reduce((sum, each) => sum + each, 0))
}

const isTooFullForCheckpoints = async (folder: DataFolder): Promise<boolean> =>
  (await lookAtDisk(folder.path)).free < checkpointRoomOf(folder)

/** Opens DuckDB without a catalog. It can read and write files until `enable_external_access` is false. */
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
  // An instance lives until its last statement is collected as garbage. A checkpoint at that moment could
  // overwrite what a later instance has written to the files.
  const connection = await instance.connect()
  await connection.run('PRAGMA disable_checkpoint_on_shutdown')
  connection.closeSync()
  return instance
}

/**
 * One DuckDB instance with one file per catalog. Its settings keep every statement, the service's own and
 * a user's, away from the file system and the network. The last setting locks them all.
 */
export class Database {
  readonly #instance: DuckDBInstance
  readonly #folder: DataFolder
  readonly #catalogs: readonly string[]
  readonly #marks: readonly WalMark[]
  /** Whether DuckDB makes no checkpoint by itself, because the disk was too full for one when it was opened. */
  readonly isCramped: boolean

  private constructor(
    instance: DuckDBInstance,
    {
      folder,
      catalogs,
      isCramped,
      marks,
    }: Pick<DatabaseOptions, 'folder' | 'catalogs'> & { isCramped: boolean; marks: readonly WalMark[] },
  ) {
    this.#instance = instance
    this.#folder = folder
    this.#catalogs = catalogs
    this.#marks = marks
    this.isCramped = isCramped
  }

  static async open({ folder, catalogs, more = [], ...resources }: DatabaseOptions): Promise<Database> {
    const isCramped = await isTooFullForCheckpoints(folder)
    const instance = await createInstance(folder, resources)
    try {
      const connection = await instance.connect()
      for (const catalog of catalogs) await attach(connection, catalog, folder.catalogFile(catalog))
      // A killed engine may have left spilled rows, exports and uploads. No other process has them open now.
      mkdirSync(folder.temp, { recursive: true })
      for (const name of readdirSync(folder.temp)) rmSync(join(folder.temp, name), { recursive: true })
      for (const setting of [
        "TimeZone = 'UTC'",
        // Each question would else read the ends of the archive's files anew; DuckDB gives this memory back when it is short.
        'parquet_metadata_cache = true',
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
    // What is cut off of analytics is stored again from the write-ahead log, and found to be missing where that log has
    // given it up.
    const users = catalogs.filter((catalog) => catalog !== analyticsCatalog)
    const marks = await Promise.all(users.map((catalog) => WalMark.open(folder.catalogFile(catalog))))
    return new Database(instance, { folder, catalogs, isCramped, marks })
  }

  /** The length of a catalog's file. */
  bytesOf(catalog: string): number {
    return statSync(this.#folder.catalogFile(catalog)).size
  }

  /** The length of DuckDB's own log of a catalog. A checkpoint moves that log into the file. */
  logBytesOf(catalog: string): number {
    return statSync(`${this.#folder.catalogFile(catalog)}.wal`, { throwIfNoEntry: false })?.size ?? 0
  }

  async connect(): Promise<DuckDBConnection> {
    const connection = await this.#instance.connect()
    // What a stream holds ready. DuckDB counts a text as 16 bytes, so that its million bytes are 60 MB of texts of a
    // kilobyte, for each answer that nobody reads.
    await connection.run("SET streaming_buffer_size = '64KB'")
    return connection
  }

  /** Runs work on a connection of its own. */
  async use<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
    const connection = await this.connect()
    try {
      return await work(connection)
    } finally {
      connection.closeSync()
    }
  }

  /** Moves DuckDB's logs into the files and closes them. All connections must be closed before. */
  async close(): Promise<void> {
    const connection = await this.connect()
    for (const catalog of this.#catalogs) {
      // When the checkpoint fails the next start reads DuckDB's log instead, which only takes longer.
      await connection.run(`CHECKPOINT ${quoteIdentifier(catalog)}`).catch(() => undefined)
    }
    connection.closeSync()
    this.#instance.closeSync()
    await Promise.all(this.#marks.map((mark) => mark.close()))
  }
}
