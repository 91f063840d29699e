import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { readEventColumns } from '../../archive/ArchivedFile.js'
import { isThere } from '../../archive/bindArchive.js'
import { beginLake, identifyLog, lakeChannel, lockKeys } from '../logSchema.js'
import { PrimaryConnection } from '../PrimaryConnection.js'
import type { LogAddress } from '../../options/values.js'
import type { ServerConnection } from '../ServerConnection.js'
import { reasonOf } from '../../OperatorError.js'
import { Recurring } from '../../Watchdog.js'
import { createMutex, type OneAtATime } from '../../duckdb/transactions.js'
import type { Database } from '../../duckdb/Database.js'
import { version } from '../../version.js'
import { adopt, type Adopting } from './takeOver.js'
import {
  bindToLake,
  type Change,
  type Commit,
  commitSnapshot,
  readLakeFiles,
  readOutlook,
  readParts,
  takeForLake,
} from './lakeList.js'

interface LakeOptions extends Adopting {
  addresses: readonly LogAddress[]
  /** The id of the log. */
  log: string
  /** The name of the store among the readers of the log. */
  reader: string
  /** The last row of the log that the store has. */
  applied(): number
  database: Database
  /** Runs one writer of analytics at a time. */
  oneAtATime: OneAtATime
}

const lookMs = 1000

/** DuckLake's names of DuckDB's types. */
const lakeTypes: Readonly<Record<string, string>> = {
  BIGINT: 'int64',
  UBIGINT: 'uint64',
  'TIMESTAMP WITH TIME ZONE': 'timestamptz',
}

/**
 * A snapshot waits until its rows are stored: rows of its files that the log still brings would be stored twice. The
 * snapshot of an erase is taken over with the erase itself; a store that has passed the erase did not know the person.
 */
const mayFollow = ({ kind, through }: Change, applied: number): boolean =>
  kind === 'erase' ? through < applied : through <= applied

/**
 * One store's part in the archive that all stores on a log in PostgreSQL share. Their list of files is in the log's
 * database, and grows by snapshots. One store at a time makes them: the one whose connection holds a lock, which is the
 * connection that commits them. Each store takes one snapshot after the other over, once it has come as far in the log:
 *
 *   holds the lock → files written → snapshot committed → taken over by each store, in one transaction of its own
 *
 * A file whose snapshot was not committed does not count, and until a store has taken the snapshot over it answers from
 * its table. So a kill loses no event and doubles none.
 */
export class Lake {
  readonly #options: LakeOptions
  readonly #primary: PrimaryConnection
  readonly #problems = new Recurring()
  #duckdb: DuckDBConnection | undefined
  #adopted = 0
  #newest = 0
  /** The connection that holds the lock. */
  #locked: ServerConnection | undefined
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #isStale = false
  #isStopped = false
  #writers = 0
  readonly #oneWriter = createMutex()

  constructor(options: LakeOptions) {
    this.#options = options
    this.#primary = new PrimaryConnection({
      addresses: options.addresses,
      logger: options.logger,
      applicationName: 'waymark archive',
      begin: (connection) => this.#begin(connection),
      onUp: () => this.check(),
    })
  }

  /** Rejects where the folder is another's. The server is not waited for. */
  async start(): Promise<void> {
    const { database, archive, log } = this.#options
    this.#duckdb = await database.connect()
    this.#adopted = await bindToLake(this.#duckdb, archive, log)
    this.#primary.keep()
    this.#timer = setInterval(() => this.check(), lookMs).unref()
  }

  /** Whether this store archives: it holds the lock, the folder is there, and it has taken over all that there is. */
  get isArchiver(): boolean {
    return this.#holder !== undefined && this.#adopted > 0 && this.#adopted === this.#newest
  }

  /** The snapshot that the store has taken over. */
  get adopted(): number {
    return this.#adopted
  }

  /** The connection to the log's database; throws while there is none. */
  get connection(): ServerConnection {
    const { connection, obstacle } = this.#primary
    if (connection === undefined) throw new Error(obstacle)
    return connection
  }

  /** Whether this process has files under way that no snapshot has yet. */
  get isWriting(): boolean {
    return this.#writers > 0
  }

  /**
   * Runs work that writes files and makes a snapshot with them, one after the other: of two at once one could not make
   * its snapshot. No file is removed meanwhile for being on no list.
   */
  async write<T>(work: () => Promise<T>): Promise<T> {
    this.#writers++
    try {
      return await this.#oneWriter(work)
    } finally {
      this.#writers--
    }
  }

  /** Makes the next snapshot, and resolves once this store has taken it over. Rejects in a store that does not archive. */
  async commit(change: Omit<Commit, 'snapshot'>): Promise<void> {
    if (!this.isArchiver) throw new Error('another process archives now')
    const snapshot = this.#adopted + 1
    await this.#list({ snapshot, ...change })
    await this.look()
    if (this.#adopted < snapshot) throw new Error(`snapshot ${snapshot} could not be taken over yet`)
  }

  /**
   * Makes the snapshot of an erase, which each store takes over together with its own part of the erase. It is made even
   * where no file has changed: until a store has carried out the erase it cannot take the snapshot over, and so archives
   * nothing. Otherwise one that still has the person would put them into a new file.
   */
  async commitErase(change: Commit & { erased: readonly string[] }): Promise<void> {
    await this.#list(change)
  }

  /**
   * Rejects where a file is gone: the lock was lost for a while, and another store has taken the file for one that a
   * kill has left. As long as the lock is held nobody else removes files.
   */
  async #list(change: Commit): Promise<void> {
    const connection = this.#holder
    if (connection === undefined) throw new Error('another process archives now')
    const { path: folder } = this.#options.archive
    const gone = change.begun.find(({ path }) => !existsSync(join(folder, path)))
    if (gone !== undefined) throw new Error(`${gone.path} is gone: another process has archived meanwhile`)
    await commitSnapshot(connection, change)
  }

  /** Goes on where a snapshot has waited for rows that are stored now. */
  stored(): void {
    if (this.#newest > this.#adopted) this.check()
  }

  /** Looks for new snapshots and for the lock, soon. */
  check(): void {
    void this.look()
  }

  /** Looks for new snapshots and for the lock. Resolves once it has; a failure is logged. */
  look(): Promise<void> {
    this.#isStale = true
    this.#looking ??= this.#lookAgain().finally(() => (this.#looking = undefined))
    return this.#looking
  }

  async close(): Promise<void> {
    this.#isStopped = true
    clearInterval(this.#timer)
    await this.#looking
    await this.#primary.stop()
    this.#duckdb?.closeSync()
  }

  get #holder(): ServerConnection | undefined {
    const { connection } = this.#primary
    return connection !== undefined && connection === this.#locked ? connection : undefined
  }

  async #begin(connection: ServerConnection): Promise<void> {
    const { reader, log } = this.#options
    await identifyLog(connection, log)
    // A machine that has lost its power must not keep the lock.
    await connection.ask(
      'SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3',
    )
    await this.#tell(connection, reader)
    await connection.ask(`LISTEN ${lakeChannel}`)
    connection.on('notification', () => this.check())
  }

  /** Files and snapshots are kept for the stores that may still need them. */
  async #tell(connection: ServerConnection, reader: string): Promise<void> {
    await connection.ask(
      `INSERT INTO waymark.lake_readers VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET adopted = excluded.adopted`,
      [reader, this.#adopted],
    )
  }

  async #lookAgain(): Promise<void> {
    const { logger } = this.#options
    while (this.#isStale && !this.#isStopped) {
      this.#isStale = false
      const { connection } = this.#primary
      if (connection === undefined) return
      await this.#lookOnce(connection).catch((error: unknown) => {
        const reason = reasonOf(error)
        const times = this.#isStopped ? undefined : this.#problems.note(reason)
        if (times !== undefined) logger.error('The shared archive cannot be followed.', { reason, times })
      })
    }
  }

  async #lookOnce(connection: ServerConnection): Promise<void> {
    const { reader } = this.#options
    const outlook = await readOutlook(connection, this.#adopted)
    await this.#lock(connection, outlook === undefined)
    if (outlook === undefined) {
      if (this.#holder !== undefined) await this.#beginLake(this.#holder)
      return
    }
    const { oldest, newest, changes } = outlook
    this.#newest = newest
    if (newest < this.#adopted)
      throw new Error(
        `the store has taken over snapshot ${this.#adopted}, and the newest is ${newest}: a failover has lost the others; make its data folder anew`,
      )
    const before = this.#adopted
    for (const change of changes) {
      if (this.#isStopped || !mayFollow(change, this.#options.applied())) break
      if (change.snapshot >= oldest) await this.#takeOver(connection, change)
    }
    if (this.#adopted === before) return
    await this.#tell(connection, reader)
    this.#isStale = true
  }

  /** One that skips a snapshot takes over the next one, which has its files too. */
  async #takeOver(connection: ServerConnection, change: Change): Promise<void> {
    const { archive, oneAtATime } = this.#options
    const files = await readLakeFiles(connection, change.snapshot)
    if (files.some(({ end, file }) => end !== undefined && !existsSync(join(archive.path, file)))) return
    const parts = await readParts(connection, { after: this.#adopted, through: change.snapshot })
    const step = { change, files, parts, before: this.#adopted }
    await oneAtATime(() => adopt(this.#duckdb!, step, this.#options))
    this.#adopted = change.snapshot
  }

  /** Takes the lock where the folder is there, and gives it up where it is not, so that another process may have it. */
  async #lock(connection: ServerConnection, isNew: boolean): Promise<void> {
    const isUsable = isNew || isThere(this.#options.archive)
    const isHeld = this.#holder !== undefined
    if (isUsable === isHeld) return
    const verb = isUsable ? 'pg_try_advisory_lock' : 'pg_advisory_unlock'
    const [lock] = await connection.ask<{ done: boolean }>(`SELECT ${verb}(${lockKeys.archive}) AS done`)
    this.#locked = isUsable && lock!.done ? connection : undefined
    const { logger, archive } = this.#options
    if (this.#locked !== undefined)
      logger.info('This process archives from now on.', { archive: archive.path })
    if (!isUsable) logger.error('The archive is not there.', { archive: archive.path })
  }

  async #beginLake(connection: ServerConnection): Promise<void> {
    const { archive, log } = this.#options
    takeForLake(archive, log)
    const columns = await readEventColumns(this.#duckdb!)
    await connection.ask(beginLake, [
      `${archive.path}/`,
      columns.map(({ name }) => name),
      columns.map(({ type }) => lakeTypes[type] ?? type.toLowerCase()),
      `waymark-server ${version}`,
    ])
    this.#isStale = true
  }
}
