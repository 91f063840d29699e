import type { Database } from './Database.js'
import { isInvalidated } from './transactions.js'

export interface WatchOptions {
  database: Pick<Database, 'connect'>
  /** A table of each catalog, as SQL writes it. */
  tables: readonly string[]
  /** A catalog was given up. It is told once. */
  onLost(reason: string): void
}

export interface Watch {
  /** Looks now, because something has failed. */
  look(): void
  stop(): Promise<void>
}

const everyMs = 1000

/**
 * After a checkpoint that failed, for which a full disk is enough, DuckDB gives the catalog up until the process
 * ends, whosever statement it was. So it is asked itself, and not each error looked at: a statement may raise
 * an error in any words.
 */
export const watchDatabase = async ({ database, tables, onLost }: WatchOptions): Promise<Watch> => {
  const connection = await database.connect()
  const statement = tables.map((table) => `SELECT count(*) FROM ${table}`).join(' UNION ALL ')
  let looking: Promise<void> | undefined
  let isLost = false
  const ask = async () => {
    try {
      await connection.run(statement)
    } catch (error) {
      if (isLost || !isInvalidated(error)) return
      isLost = true
      onLost((error as Error).message)
    }
  }
  const look = () => {
    looking ??= ask().finally(() => (looking = undefined))
  }
  const timer = setInterval(look, everyMs).unref()
  return {
    look,
    async stop() {
      clearInterval(timer)
      await looking
      connection.closeSync()
    },
  }
}
