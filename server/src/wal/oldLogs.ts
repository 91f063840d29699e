import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { open } from 'lmdb'
import { damaged } from '../store/StoreError.js'
import { checkLogFile } from './checkLogFile.js'
import type { LogEntry, LogRecord } from './segment.js'

export interface OldLogs {
  secret: Buffer
  logs: { catalog: string; number: number; pruned: number; records: LogEntry[] }[]
}

const files = ['data.mdb', 'lock.mdb']

/** The logs that versions up to 0.1 kept in LMDB, read once at the upgrade; undefined where there are none. */
export const readOldLogs = async (folder: string): Promise<OldLogs | undefined> => {
  const file = join(folder, 'data.mdb')
  if (!existsSync(file)) return undefined
  checkLogFile(file)
  try {
    const root = open<unknown, string>({ path: folder, maxDbs: 300 })
    const numbers = root.openDB<number, string>('numbers', {})
    const pruned = root.openDB<number, string>('pruned', {})
    const secret = Buffer.from(
      root.openDB<Buffer, string>('meta', { encoding: 'binary' }).get('task-secret')!,
    )
    const logs = [...numbers.getRange()].map(({ key: catalog, value: number }) => {
      const through = pruned.get(catalog) ?? 0
      const records = root.openDB<LogRecord, number>(`log:${catalog}`, {}).getRange({ start: through + 1 })
      return {
        catalog,
        number,
        pruned: through,
        records: [...records].map(({ key: first, value }) => ({ ...value, first })),
      }
    })
    await root.close()
    return { secret, logs }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw damaged(`the accept log in ${folder} cannot be opened (${reason})`, 'the folder')
  }
}

/** Once all of it is written elsewhere. */
export const removeOldLogs = (folder: string): void => {
  for (const file of files) rmSync(join(folder, file), { force: true })
}
