import type { DuckDBConnection } from '@duckdb/node-api'
import { joinVisits } from '../anonymous/joinVisits.js'
import { markBots } from './markBots.js'
import { applySaved } from '../saved/applySaved.js'
import type { Pause } from '../wal/ApplierOptions.js'
import { lastOf, type LogEntry } from '../wal/segment.js'
import { pointerSql } from '../store/pointerSql.js'
import { runPrepared } from '../store/runPrepared.js'
import { isOfEnvironment, itemParts, itemsSql, timestampSql } from './entryItems.js'
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

/** Writes one row for each trait of an identify; an identify without traits gets one row without a name. */
const statement = `
INSERT INTO analytics.raw.traits
WITH item AS (${items}), flat AS (
  SELECT seq, received_at, e.environment, e.distinct_id, e."timestamp" AS ts, e.traits
  FROM item WHERE ${isOfEnvironment}
), named AS (
  SELECT *, unnest(CASE WHEN len(json_keys(traits)) > 0 THEN json_keys(traits) ELSE [NULL] END) AS name
  FROM flat
)
SELECT seq, ${timestampSql}, environment, distinct_id, name, json_extract(traits, ${pointerSql('name')})
FROM named`

const insertTraits = async (
  connection: DuckDBConnection,
  entries: readonly LogEntry[],
  environments: readonly string[],
): Promise<void> => {
  for (const part of itemParts(entries, environments)) await runPrepared(connection, statement, part)
}

export interface ApplyOptions {
  environments: readonly string[]
  window: InsertIdWindow
}

/**
 * Writes a batch of analytics entries inside the caller's transaction. Gives a function that the caller calls after
 * the commit: it remembers the insert ids.
 */
export const applyAnalytics =
  ({ environments, window }: ApplyOptions) =>
  async (
    connection: DuckDBConnection,
    entries: readonly LogEntry[],
    pause?: Pause,
  ): Promise<() => Promise<void>> => {
    const saved = entries.filter((entry) => entry.kind === 'save')
    const newest = entries.at(-1)!
    const remember = (ids: BigUint64Array) => () =>
      window.add({ ids, through: lastOf(newest), atMs: newest.receivedAtMs })
    if (saved.length > 0) {
      await applySaved(connection, saved)
      entries = entries.filter((entry) => entry.kind !== 'save')
      if (entries.length === 0) return remember(new BigUint64Array())
    }
    const first = entries[0]!.first
    const tracked = entries.filter((entry) => entry.kind === 'track')
    const identified = entries.filter((entry) => entry.kind === 'identify')
    const ids =
      tracked.length > 0
        ? await insertEvents(connection, { entries: tracked, environments, window, pause })
        : new BigUint64Array()
    await joinVisits(connection, tracked)
    if (tracked.length > 0) await markBots(connection, entries)
    if (identified.length > 0) await insertTraits(connection, identified, environments)
    const operations = await readIdentityOperations(connection, entries)
    const known = operations.length > 0 ? await readIdRows(connection, operations) : []
    const before = new Map(known.map((row) => [keyOf(row.environment, row.distinctId), row.personId]))
    const changed = resolveIdentity(operations, known)
    const mends = identified.length > 0 || changed.length > 0
    if (mends) await writeIdRows(connection, changed, before)
    await applyPersons(connection, { first, mends })
    return remember(ids)
  }
