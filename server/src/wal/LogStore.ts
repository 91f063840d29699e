import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { open, type Database, type RootDatabase } from 'lmdb'
import { damaged } from '../store/StoreError.js'
import { checkLogFile } from './checkLogFile.js'
import { WriteAheadLog, type LogRecord } from './WriteAheadLog.js'

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

/** The write-ahead logs of all catalogs, in one LMDB environment, and what must outlive a restart with them. */
export class LogStore {
  /** Signs task ids; made once per store. */
  readonly taskSecret: Buffer
  readonly #root: RootDatabase<unknown, string>
  readonly #numbers: Database<number, string>
  readonly #pruned: Database<number, string>

  private constructor(root: RootDatabase<unknown, string>, taskSecret: Buffer) {
    this.taskSecret = taskSecret
    this.#root = root
    this.#numbers = root.openDB<number, string>('numbers', {})
    this.#pruned = root.openDB<number, string>('pruned', {})
  }

  static async open(folder: string): Promise<LogStore> {
    checkLogFile(join(folder, 'data.mdb'))
    tolerateFailedCommits()
    try {
      const root = open<unknown, string>({ path: folder, maxDbs: 300 })
      const meta = root.openDB<Buffer, string>('meta', { encoding: 'binary' })
      if (meta.get('task-secret') === undefined) await meta.put('task-secret', randomBytes(32))
      await meta.flushed
      return new LogStore(root, Buffer.from(meta.get('task-secret')!))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw damaged(`the accept log in ${folder} cannot be opened (${reason})`, 'the folder')
    }
  }

  log(catalog: string, applied: number): WriteAheadLog {
    return new WriteAheadLog(this.#root.openDB<LogRecord, number>(`log:${catalog}`, {}), applied)
  }

  /** How far a catalog's log has been pruned: at least so much must be in its file. */
  prunedOf(catalog: string): number {
    return this.#pruned.get(catalog) ?? 0
  }

  /** To be called in the same turn as the removals, which makes them one with it. */
  async setPruned(catalog: string, through: number): Promise<void> {
    await this.#pruned.put(catalog, through)
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

  close(): Promise<void> {
    return this.#root.close()
  }
}
