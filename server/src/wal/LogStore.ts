import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { open, type Database, type RootDatabase } from 'lmdb'
import { damaged } from '../store/StoreError.js'
import { checkLogFile } from './checkLogFile.js'
import { LogReader } from './LogReader.js'
import { takeCause, WriteAheadLog, type LogRecord } from './WriteAheadLog.js'

let tolerating = false

/**
 * When a commit fails, LMDB's library rejects not only the promise that it gave out, which is
 * handled, but also one of its own that nobody can reach. That one must not end the process.
 */
const tolerateFailedCommits = (): void => {
  if (tolerating) return
  tolerating = true
  process.on('unhandledRejection', (error) => {
    const isOfLog = typeof error === 'object' && error !== null && 'commitError' in error
    if (!isOfLog) throw error
  })
}

/**
 * Write-ahead logs in one LMDB environment, and what must outlive a restart with them. One process
 * writes to it; another may read: LMDB's lock is one for all writers, and one that hangs while it
 * holds the lock must not stop the others.
 */
export class LogStore {
  readonly #root: RootDatabase<unknown, string>
  readonly #numbers: Database<number, string>
  readonly #pruned: Database<number, string>
  readonly #meta: Database<Buffer, string>
  #pruning: Promise<unknown> = Promise.resolve()
  #isClosed = false

  private constructor(root: RootDatabase<unknown, string>) {
    this.#root = root
    this.#numbers = root.openDB<number, string>('numbers', {})
    this.#pruned = root.openDB<number, string>('pruned', {})
    this.#meta = root.openDB<Buffer, string>('meta', { encoding: 'binary' })
  }

  static open(folder: string, readOnly = false): LogStore {
    checkLogFile(join(folder, 'data.mdb'))
    tolerateFailedCommits()
    try {
      return new LogStore(open<unknown, string>({ path: folder, maxDbs: 300, readOnly }))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw damaged(`the accept log in ${folder} cannot be opened (${reason})`, 'the folder')
    }
  }

  /** A store that another process writes; undefined as long as that has not made it. */
  static openToRead(folder: string, catalogs: readonly string[]): LogStore | undefined {
    if (!existsSync(join(folder, 'data.mdb'))) return undefined
    const store = LogStore.open(folder, true)
    if (catalogs.every((catalog) => store.#numbers?.get(catalog) !== undefined)) return store
    void store.close()
    return undefined
  }

  /** Signs task ids; made once per store, by the process that writes. */
  async taskSecret(): Promise<Buffer> {
    if (this.#meta.get('task-secret') === undefined) {
      await this.#meta.put('task-secret', randomBytes(32))
      await this.#meta.flushed
    }
    return Buffer.from(this.#meta.get('task-secret')!)
  }

  /** The number of a catalog's log, the same for as long as the store lives. */
  async numberOf(catalog: string): Promise<number> {
    const known = this.#numbers.get(catalog)
    if (known !== undefined) return known
    const next = this.#numbers.getCount()
    await this.#numbers.put(catalog, next)
    await this.#numbers.flushed
    return next
  }

  /** The same where another process gives the numbers. */
  knownNumberOf(catalog: string): number {
    return this.#numbers.get(catalog)!
  }

  /** How far a catalog's log has been pruned: at least so much must be in its file. */
  prunedOf(catalog: string): number {
    return this.#pruned.get(catalog) ?? 0
  }

  /** The log of a catalog, for the process that writes. */
  writer(catalog: string): WriteAheadLog {
    return new WriteAheadLog(this.#records(catalog)!, this.prunedOf(catalog))
  }

  /** The same for a process that applies it, as far as `durable` says. */
  reader(catalog: string, durable: () => number): LogReader {
    return new LogReader(this.#records(catalog)!, durable)
  }

  /** Removes what has been applied from a log, and keeps in mind how far, in one transaction. */
  async prune(catalog: string, log: WriteAheadLog, through: number): Promise<void> {
    if (this.#isClosed) return
    const pruned = Promise.all([log.prune(through), this.#pruned.put(catalog, through)]).catch(
      (error: unknown) => {
        throw takeCause(error)
      },
    )
    this.#pruning = pruned.catch(() => undefined)
    await pruned
  }

  /** Takes a catalog's entries from a store in which an earlier version kept them. */
  async adopt(catalog: string, old: LogStore): Promise<void> {
    const mine = this.#records(catalog)!
    const theirs = old.#records(catalog)
    const isUsed = this.#pruned.get(catalog) !== undefined || [...mine.getKeys({ limit: 1 })].length > 0
    if (isUsed || theirs === undefined) return
    for (const { key, value } of theirs.getRange({})) void mine.put(key, value)
    await this.#pruned.put(catalog, old.prunedOf(catalog))
    await this.#pruned.flushed
  }

  /** Frees what readers that were killed still keep from being used again. */
  forgetDeadReaders(): void {
    ;(this.#root as unknown as { readerCheck(): number }).readerCheck()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#pruning
    await this.#root.close()
  }

  /** Undefined when it is not there and may only be read. */
  #records(catalog: string): Database<LogRecord, number> | undefined {
    return this.#root.openDB<LogRecord, number>(`log:${catalog}`, {})
  }
}
