import type { DuckDBConnection } from '@duckdb/node-api'
import { joinVisits } from '../anonymous/joinVisits.js'
import { markBots } from './markBots.js'
import { applySaved } from '../saved/applySaved.js'
import { applyPlans, type JudgedEntry, Judges } from '../plan/Judges.js'
import { planKind } from '../plan/logPlan.js'
import { eraseKind } from '../privacy/erasure.js'
import { lastOf, type LogEntry } from '../wal/segment.js'
import { pointerSql } from '../store/pointerSql.js'
import { runPrepared } from '../store/runPrepared.js'
import { isOfEnvironment, itemParts, itemsSql, momentSql, planSql, timestampSql } from './entryItems.js'
import { applyPersons } from './applyPersons.js'
import { applySessions } from './applySessions.js'
import { readIdentityOperations } from './identityOperations.js'
import { signatureTrait, unprovenLabel } from './proveIdentity.js'
import { jsonRows } from '../store/jsonRows.js'
import { splitArray } from '../json/splitArray.js'
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

/**
 * Writes one row for each trait of an identify; an identify without traits gets one row without a name. The first of
 * them has the verdict of the plan.
 */
const statement = `
INSERT INTO analytics.raw.traits
WITH item AS (${items}), flat AS (
  SELECT seq, received_at, e.environment, e.distinct_id, e."timestamp" AS ts, e.traits, verdict
  FROM item WHERE ${isOfEnvironment}
), named AS (
  SELECT * EXCLUDE (verdict), unnest(names) AS name,
    CASE WHEN generate_subscripts(names, 1) = 1 THEN verdict END AS verdict
  FROM (
    SELECT *, CASE WHEN len(given) > 0 THEN given ELSE [NULL] END AS names
    FROM (SELECT *, list_filter(json_keys(traits), lambda key: key <> '${signatureTrait}') AS given FROM flat)
  )
)
SELECT seq, ${timestampSql}, environment, distinct_id, name, json_extract(traits, ${pointerSql('name')}), ${planSql}
FROM named`

const insertTraits = async (
  connection: DuckDBConnection,
  entries: readonly JudgedEntry[],
  environments: readonly string[],
): Promise<void> => {
  for (const part of itemParts(entries, environments)) await runPrepared(connection, statement, part)
}

/** Keeps what a public key has said of who somebody is without a signature, and does nothing else with it. */
const setUnprovenAside = async (
  connection: DuckDBConnection,
  entries: readonly LogEntry[],
): Promise<void> => {
  const rows = entries.flatMap(({ kind, first, receivedAtMs, body }) =>
    splitArray(body).map((row, at) => ({ seq: first + at, at_ms: receivedAtMs, kind, body: row.toString() })),
  )
  await connection.run(
    `INSERT INTO analytics.raw.rejected (seq, received_at, kind, body, reason)
     SELECT seq, ${momentSql('at_ms')}, kind, body, $reason
     FROM ${jsonRows({ seq: 'BIGINT', at_ms: 'BIGINT', kind: 'VARCHAR', body: 'VARCHAR' })}`,
    { rows: JSON.stringify(rows), reason: 'The id of the user is not signed (--identity-secret).' },
  )
}

export interface ApplyOptions {
  environments: readonly string[]
  window: InsertIdWindow
}

/**
 * Writes a batch of analytics entries inside the caller's transaction. Gives a function that the caller calls after
 * the commit: it remembers the insert ids.
 */
export const applyAnalytics = ({ environments, window }: ApplyOptions) => {
  const judges = new Judges()
  return async (connection: DuckDBConnection, entries: readonly LogEntry[]): Promise<() => Promise<void>> => {
    const plans = entries.filter((entry) => entry.kind === planKind)
    const saved = entries.filter((entry) => entry.kind === 'save')
    const newest = entries.at(-1)!
    const remember = (ids: BigUint64Array) => () =>
      window.add({ ids, through: lastOf(newest), atMs: newest.receivedAtMs })
    if (plans.length > 0) await applyPlans(connection, plans)
    if (saved.length > 0) await applySaved(connection, saved)
    // An erase is an entry so that it has a place among the others; it is carried out before the store is opened.
    entries = entries.filter(({ kind }) => kind !== planKind && kind !== 'save' && kind !== eraseKind)
    if (entries.length === 0) return remember(new BigUint64Array())
    const unproven = entries.filter(({ target }) => target === unprovenLabel)
    if (unproven.length > 0) {
      await setUnprovenAside(connection, unproven)
      entries = entries.filter((entry) => !unproven.includes(entry))
      if (entries.length === 0) return remember(new BigUint64Array())
    }
    const first = entries[0]!.first
    const tracked = entries.filter((entry) => entry.kind === 'track')
    const identified = entries.filter((entry) => entry.kind === 'identify')
    const ids =
      tracked.length > 0
        ? await insertEvents(connection, {
            entries: await judges.judge(connection, tracked),
            environments,
            window,
          })
        : new BigUint64Array()
    if (tracked.length > 0) {
      await joinVisits(connection, tracked)
      await markBots(connection, entries)
      await applySessions(connection, first)
    }
    if (identified.length > 0)
      await insertTraits(connection, await judges.judge(connection, identified), environments)
    const operations = await readIdentityOperations(connection, entries)
    const known = operations.length > 0 ? await readIdRows(connection, operations) : []
    const before = new Map(known.map((row) => [keyOf(row.environment, row.distinctId), row.personId]))
    const changed = resolveIdentity(operations, known)
    const mends = identified.length > 0 || changed.length > 0
    if (mends) await writeIdRows(connection, changed, before)
    await applyPersons(connection, { first, mends })
    return remember(ids)
  }
}
