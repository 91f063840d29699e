import { type DuckDBConnection, LIST, listValue, VARCHAR } from '@duckdb/node-api'
import { markBots } from './markBots.js'
import { lastOf, type LogEntry } from '../wal/segment.js'
import { documentOf, documentType, itemsSql, timestampSql } from './entryItems.js'
import { applyPersons } from './applyPersons.js'
import { readIdentityOperations } from './identityOperations.js'
import { readIdRows, writeIdRows } from './identityRows.js'
import type { InsertIdWindow } from './InsertIdWindow.js'
import { insertEvents } from './insertEvents.js'
import { keyOf, resolveIdentity } from './resolveIdentity.js'

const items = itemsSql({
  environment: 'VARCHAR',
  distinct_id: 'VARCHAR',
  timestamp: 'VARCHAR',
  traits: 'JSON',
})

/** One row per trait and identify; an identify without traits leaves one row without a name. */
const statement = `
INSERT INTO analytics.raw.traits
WITH item AS (${items}), flat AS (
  SELECT seq, received_at, e.environment, e.distinct_id, e."timestamp" AS ts,
    CASE WHEN json_type(e.traits) = 'OBJECT' THEN e.traits ELSE '{}'::JSON END AS traits
  FROM item WHERE list_contains($environments, e.environment)
)
SELECT seq, ${timestampSql}, environment, distinct_id, j.key, j.value
FROM flat LEFT JOIN LATERAL (SELECT key, value FROM json_each(flat.traits)) j ON true`

const insertTraits = async (
  connection: DuckDBConnection,
  entries: readonly LogEntry[],
  environments: readonly string[],
): Promise<void> => {
  await connection.run(
    statement,
    { document: documentOf(entries), environments: listValue(environments) },
    { document: documentType, environments: LIST(VARCHAR) },
  )
}

export interface ApplyOptions {
  environments: readonly string[]
  window: InsertIdWindow
}

/**
 * Writes a run of analytics entries; the caller holds the transaction, and calls what this gives once
 * that is committed.
 */
export const applyAnalytics =
  ({ environments, window }: ApplyOptions) =>
  async (connection: DuckDBConnection, entries: readonly LogEntry[]): Promise<() => Promise<void>> => {
    const first = entries[0]!.first
    const tracked = entries.filter((entry) => entry.kind === 'track')
    const identified = entries.filter((entry) => entry.kind === 'identify')
    const ids =
      tracked.length > 0
        ? await insertEvents(connection, { entries: tracked, environments, window })
        : new BigUint64Array()
    if (tracked.length > 0) await markBots(connection, entries)
    if (identified.length > 0) await insertTraits(connection, identified, environments)
    const operations = await readIdentityOperations(connection, entries)
    const known = operations.length > 0 ? await readIdRows(connection, operations) : []
    const before = new Map(known.map((row) => [keyOf(row.environment, row.distinctId), row.personId]))
    const changed = resolveIdentity(operations, known)
    if (changed.length > 0) await writeIdRows(connection, changed, before)
    await applyPersons(connection, { first, hasTraits: identified.length > 0, changed, before })
    const newest = entries.at(-1)!
    return () => window.add({ ids, through: lastOf(newest), atMs: newest.receivedAtMs })
  }
