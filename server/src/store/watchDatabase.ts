import type { Database } from './Database.js'
import { isInvalidated } from './transactions.js'

export interface WatchOptions {
  database: Pick<Database, 'connect'>
  /** The quoted name of one table in each catalog. */
  tables: readonly string[]
  /** Called once, when DuckDB has given up a catalog. */
  onLost(reason: string): void
}

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
export const watchDatabase = async ({ database, tables, onLost }: WatchOptions): Promise<Watch> => {
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
