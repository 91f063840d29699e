import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { open, type Database, type RootDatabase } from 'lmdb'
import type { LogRecord } from '../ingest/createAcceptLog.js'
import { checkLogFile } from './checkLogFile.js'
import { StoreProblem } from './StoreProblem.js'
import { tolerateFailedCommits } from './tolerateFailedCommits.js'

export interface Logs {
  /** The records of one catalog. */
  records(catalog: string): Database<LogRecord, number>
  /** How far a catalog's log has been pruned: at least so much must be in its file. */
  prunedOf(catalog: string): number
  /** To be called in the same turn as the removals, which makes them one with it. */
  setPruned(catalog: string, through: number): Promise<unknown>
  /** The number of a catalog's log, the same for as long as the store lives. */
  numberOf(catalog: string): Promise<number>
  /** Signs task ids; made once per store. */
  taskSecret: Buffer
  close(): Promise<void>
}

export const logFolder = 'accept-log'
export const logFile = 'data.mdb'

export const openLogs = async (folder: string): Promise<Logs> => {
  const path = join(folder, logFolder)
  checkLogFile(join(path, logFile))
  tolerateFailedCommits()
  let root: RootDatabase<unknown, string>
  try {
    root = open<unknown, string>({ path, maxDbs: 300 })
    const meta = root.openDB<Buffer, string>('meta', { encoding: 'binary' })
    if (meta.get('task-secret') === undefined) await meta.put('task-secret', randomBytes(32))
    await meta.flushed
    const taskSecret = Buffer.from(meta.get('task-secret')!)
    const numbers = root.openDB<number, string>('numbers', {})
    const pruned = root.openDB<number, string>('pruned', {})
    return {
      prunedOf: (catalog) => pruned.get(catalog) ?? 0,
      setPruned: (catalog, through) => pruned.put(catalog, through),
      async numberOf(catalog) {
        const known = numbers.get(catalog)
        if (known !== undefined) return known
        const next = numbers.getCount()
        await numbers.put(catalog, next)
        await numbers.flushed
        return next
      },
      records: (catalog) => root.openDB<LogRecord, number>(`log:${catalog}`, {}),
      taskSecret,
      close: () => root.close(),
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StoreProblem(
      `The store is damaged: the accept log in ${path} cannot be opened (${reason}). Nothing was changed; restore the folder from a backup.`,
    )
  }
}
