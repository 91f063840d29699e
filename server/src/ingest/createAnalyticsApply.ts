import type { DuckDBConnection } from '@duckdb/node-api'
import type { LogEntry } from './createAcceptLog.js'
import { readIdRows, writeIdRows } from './idMap.js'
import { insertEvents } from './insertEvents.js'
import { insertTraits } from './insertTraits.js'
import { readIdentityOperations } from './readIdentityOperations.js'
import { resolveIdentity } from './resolveIdentity.js'

export interface AnalyticsApplyOptions {
  environments: readonly string[]
  /** How many of the newest events are looked through for a second copy. */
  insertIdWindow: number
}

/** Writes a run of analytics entries; the caller holds the transaction. */
export const createAnalyticsApply =
  ({ environments, insertIdWindow }: AnalyticsApplyOptions) =>
  async (connection: DuckDBConnection, entries: readonly LogEntry[]): Promise<void> => {
    const first = entries[0]!.first
    const tracked = entries.filter((entry) => entry.kind === 'track')
    const identified = entries.filter((entry) => entry.kind === 'identify')
    if (tracked.length > 0) {
      const floor = Math.max(0, first - 1 - insertIdWindow)
      await insertEvents(connection, { entries: tracked, environments, floor })
    }
    if (identified.length > 0) await insertTraits(connection, identified, environments)
    const operations = await readIdentityOperations(connection, entries)
    if (operations.length === 0) return
    const known = await readIdRows(connection, operations)
    await writeIdRows(connection, resolveIdentity(operations, known))
  }
