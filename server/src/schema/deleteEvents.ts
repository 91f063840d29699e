import type { DuckDBConnection } from '@duckdb/node-api'
import { forgetEvents } from './applySessions.js'
import { keysOf } from './derivedColumns.js'

/** Notes which events go, of what the SQL after FROM names. */
export const chooseGone = (
  connection: DuckDBConnection,
  events: string,
  values?: Record<string, string> | string[],
): Promise<unknown> =>
  connection.run(`CREATE OR REPLACE TEMP TABLE gone AS SELECT seq, ${keysOf} FROM ${events}`, values)

/**
 * After the deletion each person has fewer events. A person without events and traits is deleted too.
 * `first_seen` and `last_seen` stay as they are.
 */
const deleteSql = [
  `CREATE OR REPLACE TEMP TABLE fewer AS
   SELECT coalesce(m.person_key, g.id_key) AS person_key, count(*) AS events
   FROM gone g LEFT JOIN analytics.raw.id_map m ON m.id_key = g.id_key
   WHERE g.id_key IS NOT NULL GROUP BY 1`,
  `UPDATE analytics.raw.persons p SET events = p.events - f.events FROM fewer f WHERE p.person_key = f.person_key`,
  `CREATE OR REPLACE TEMP TABLE emptied AS
   SELECT person_key, environment, unnest(distinct_ids) AS id FROM analytics.raw.persons p
   WHERE events <= 0 AND len(traits) = 0 AND person_key IN (SELECT person_key FROM fewer)`,
  `DELETE FROM analytics.raw.persons WHERE person_key IN (SELECT person_key FROM emptied)`,
  `DELETE FROM analytics.raw.id_map WHERE person_key IN (SELECT person_key FROM emptied)`,
  `DELETE FROM analytics.raw.traits t
   WHERE EXISTS (FROM emptied e WHERE e.environment = t.environment AND e.id = t.distinct_id)`,
]

/** Takes the events that go from their persons. */
export const takeFromPersons = async (
  connection: DuckDBConnection,
  mend: readonly string[] = [],
): Promise<void> => {
  for (const sql of [...deleteSql, ...mend]) await connection.run(sql)
}

interface Gone {
  /** SQL of the events after FROM, all of which are in the table. */
  events: string
  values: Record<string, string> | string[]
  /** Statements about the persons in the table `fewer`, once those without events and traits are deleted. */
  mend?: readonly string[]
}

/** Deletes events of the table inside the caller's transaction, which has folded all events. Gives their number. */
export const deleteGone = async (
  connection: DuckDBConnection,
  { events: slice, values, mend = [] }: Gone,
): Promise<number> => {
  await chooseGone(connection, slice, values)
  const reader = await connection.runAndReadAll('SELECT count(*), min(seq), max(seq) FROM gone')
  const [events, first, last] = reader.getRows()[0]!.map(Number)
  if (events === 0) return 0
  await connection.run(
    `DELETE FROM analytics.raw.events
     WHERE seq >= ${first} AND seq <= ${last} AND seq IN (SELECT seq FROM gone)`,
  )
  await takeFromPersons(connection, mend)
  await forgetEvents(connection)
  return events!
}
