import type { DuckDBConnection } from '@duckdb/node-api'
import { jsonRows } from '../duckdb/runPrepared.js'
import { quoteText, viewSql } from '../duckdb/quote.js'
import type { LogEntry } from '../wal/segment.js'
import { Unstorable } from '../wal/rejected.js'
import { allEvents, timedEvents } from './analyticsSchema.js'
import { foldEvents } from './applySessions.js'
import { deleteGone } from './deleteEvents.js'

const figures = {
  visitors: 'Visitors, as the other program counts them: those of two days are not one number of people.',
  visits: 'Visits.',
  page_views: 'Page views.',
  events: 'Events.',
  bounces: 'Visits with one page.',
  visit_seconds: 'How long all visits took together.',
}

/** What is imported as sums is apart from all events, because nobody can tell who was counted in them. */
export const importsSchema = `
CREATE TABLE IF NOT EXISTS analytics.raw.daily_sums (
  imported VARCHAR, environment VARCHAR, day DATE, dimension VARCHAR, value VARCHAR,
  ${Object.keys(figures)
    .map((name) => `${name} BIGINT`)
    .join(', ')}
);
${viewSql({
  name: 'daily_sums',
  comment: 'What other programs have counted on each day, brought by an import. It is in no count of people.',
  from: 'analytics.raw.daily_sums s',
  columns: [
    ['imported', 's.imported', 'The import that brought it, such as plausible-3f9a2c51d07e.'],
    ['environment', 's.environment', 'Environments are apart.'],
    ['day', 's.day', 'The day, where the other program lets it begin.'],
    ['dimension', 's.dimension', 'total, or what the others are told apart by, such as page or country.'],
    ['value', 's.value', 'The value in that dimension; empty for total.'],
    ...Object.entries(figures).map(([name, text]) => [name, `s.${name}`, text] as const),
  ],
})}
${viewSql({
  name: 'imports',
  comment: 'What was brought from other programs and not taken back, one import and environment a row.',
  from: `(
    SELECT imported, environment, count(*) AS events, 0 AS sums, min("timestamp") AS first_time,
      max("timestamp") AS last_time, max(received_at) AS received_at
    FROM ${allEvents} WHERE imported IS NOT NULL GROUP BY ALL
    UNION ALL SELECT imported, environment, 0, count(*), min(day)::TIMESTAMPTZ, max(day)::TIMESTAMPTZ, NULL
    FROM analytics.raw.daily_sums GROUP BY ALL) i GROUP BY i.imported, i.environment`,
  columns: [
    ['imported', 'i.imported', 'The id of the import, as in events and daily_sums.'],
    ['environment', 'i.environment', 'Where it was brought to.'],
    ['events', 'sum(i.events)::BIGINT', 'How many events there are of it.'],
    ['sums', 'sum(i.sums)::BIGINT', 'How many rows of daily_sums there are of it.'],
    ['first_time', 'min(i.first_time)', 'When the first of it happened.'],
    ['last_time', 'max(i.last_time)', 'When the last of it happened.'],
    ['received_at', 'max(i.received_at)', 'When its last event was accepted; NULL for sums.'],
  ],
})}
`

/** What an entry takes back: of all that is left, or of `most` events, so that others wait no longer. */
const undoneBy = ({ body }: LogEntry) =>
  (JSON.parse(body.toString()) as [{ imported: string; most?: number }])[0]

/** The imports of which nothing is left after some entries. */
export const undoneIn = (entries: readonly LogEntry[]): string[] =>
  entries
    .filter(({ kind }) => kind === 'undo')
    .map(undoneBy)
    .flatMap(({ imported, most }) => (most === undefined ? [imported] : []))

const mark = Buffer.from('"$imported"')

/**
 * Removes those of the newest events that an import brought before. The window of insert ids forgets after some days, and
 * would know the ids of an import that was taken back. Two copies have the same time, so only events of that time are read.
 */
export const dropImportedCopies = async (
  connection: DuckDBConnection,
  entries: readonly LogEntry[],
  undone: readonly string[],
): Promise<void> => {
  if (!entries.some(({ body }) => body.includes(mark))) return
  const { first } = entries[0]!
  const newest = `imported IS NOT NULL AND insert_id IS NOT NULL AND seq >= ${first}`
  const reader = await connection.runAndReadAll(
    `SELECT epoch_us(min("timestamp")), epoch_us(max("timestamp")) FROM analytics.raw.events WHERE ${newest}`,
  )
  const [from, until] = reader.getRows()[0] as [bigint | null, bigint | null]
  if (from === null) return
  const stays = undone.map((imported) => `AND imported <> ${quoteText(imported)}`).join(' ')
  // The bounds are written out, because DuckDB skips blocks only by constants.
  await connection.run(
    `DELETE FROM analytics.raw.events WHERE seq >= ${first} AND seq IN (
       SELECT n.seq FROM (SELECT * FROM analytics.raw.events WHERE ${newest}) n SEMI JOIN (
         SELECT seq, environment, event, insert_id, "timestamp" FROM ${timedEvents}
         WHERE imported IS NOT NULL ${stays} AND "timestamp" BETWEEN make_timestamptz(${from}) AND make_timestamptz(${until})
       ) o ON o.environment = n.environment AND o.event = n.event AND o.insert_id = n.insert_id
         AND o."timestamp" = n."timestamp" AND o.seq < n.seq)`,
  )
}

const sumRows = jsonRows({
  imported: 'VARCHAR',
  environment: 'VARCHAR',
  day: 'DATE',
  dimension: 'VARCHAR',
  value: 'VARCHAR',
  ...Object.fromEntries(Object.keys(figures).map((name) => [name, 'BIGINT'])),
})

/** The program that an import is from: sums of a later export of it take the place of earlier ones. */
const programOf = (row: string) => `split_part(${row}.imported, '-', 1)`

const applySums = async (connection: DuckDBConnection, { body }: LogEntry): Promise<void> => {
  const rows = { rows: body.toString() }
  await connection.run(
    `DELETE FROM analytics.raw.daily_sums s USING ${sumRows} n
     WHERE s.environment = n.environment AND s.day = n.day AND s.dimension = n.dimension AND s.value = n.value
       AND ${programOf('s')} = ${programOf('n')}`,
    rows,
  )
  // A row that named a person who was erased is empty in the log.
  await connection.run(
    `INSERT INTO analytics.raw.daily_sums BY NAME FROM ${sumRows} WHERE imported IS NOT NULL`,
    rows,
  )
}

/**
 * Corrects the persons who lost events and have others: their first and last time, and their ids without those that
 * only an import has named.
 */
const mendPersons = [
  `CREATE OR REPLACE TEMP TABLE lessened_ids AS
   WITH own AS (
     SELECT person_key, person_id, environment, unnest(distinct_ids) AS id FROM analytics.raw.persons
     WHERE person_key IN (SELECT person_key FROM fewer)
   ), seen AS (
     SELECT hash(environment, id) AS id_key, first_time, last_time FROM (
       SELECT o.environment, o.id, e."timestamp" AS first_time, e."timestamp" AS last_time
       FROM own o JOIN ${allEvents} e ON e.id_key = hash(o.environment, o.id)
       UNION ALL SELECT o.environment, o.id, t."timestamp", t."timestamp"
       FROM own o JOIN analytics.raw.traits t ON t.environment = o.environment AND t.distinct_id = o.id)
   ), found AS (
     SELECT o.person_key, o.person_id, o.id, hash(o.environment, o.id) AS id_key, count(s.id_key) AS times,
       min(s.first_time) AS first_time, max(s.last_time) AS last_time
     FROM own o LEFT JOIN seen s ON s.id_key = hash(o.environment, o.id)
     GROUP BY o.person_key, o.person_id, o.environment, o.id
   )
   SELECT *, id = person_id OR times > 0
     OR id_key NOT IN (SELECT id_key FROM gone WHERE id_key IS NOT NULL) AS stays FROM found`,
  `UPDATE analytics.raw.persons p SET distinct_ids = k.ids, first_seen = k.first_time, last_seen = k.last_time FROM (
     SELECT person_key, list_sort(list(id) FILTER (stays)) AS ids, min(first_time) AS first_time,
       max(last_time) AS last_time FROM lessened_ids GROUP BY person_key
   ) k WHERE k.person_key = p.person_key`,
  'DELETE FROM analytics.raw.id_map WHERE id_key IN (SELECT id_key FROM lessened_ids WHERE NOT stays)',
]

const numberOf = async (connection: DuckDBConnection, sql: string, imported: string): Promise<number> =>
  Number((await connection.runAndReadAll(sql, [imported])).getRows()[0]![0])

/** Removes what an import brought before it was taken back. */
const applyUndo = async (connection: DuckDBConnection, entry: LogEntry): Promise<void> => {
  const { imported, most } = undoneBy(entry)
  const events = `imported = $1 AND seq < ${entry.first}`
  const count = (from: string) =>
    numberOf(connection, `SELECT count(*) FROM ${from} WHERE ${events}`, imported)
  const inTable = await count('analytics.raw.events')
  const archived = (await count(allEvents)) - inTable
  if (archived > 0)
    throw new Unstorable(
      'request',
      `${archived} events of ${imported} are in the archive already, which is only rewritten to erase persons. Nothing more was removed.`,
    )
  if (most === undefined) {
    const { rowsChanged } = await connection.run('DELETE FROM analytics.raw.daily_sums WHERE imported = $1', [
      imported,
    ])
    if (inTable + rowsChanged === 0) throw new Unstorable('request', `There is no import ${imported}.`)
  }
  if (inTable === 0) return
  await foldEvents(connection)
  const all = `analytics.raw.events WHERE ${events}`
  // The oldest rows: events of one session lie side by side in an export.
  const oldest = `seq <= (SELECT max(seq) FROM (SELECT seq FROM ${all} ORDER BY seq LIMIT ${most}))`
  await deleteGone(connection, {
    events: most === undefined ? all : `${all} AND ${oldest}`,
    values: [imported],
    mend: mendPersons,
  })
}

/** Writes sums, and takes imports back, inside the caller's transaction. It comes after the events of the same entries. */
export const applyImports = async (
  connection: DuckDBConnection,
  entries: readonly LogEntry[],
): Promise<void> => {
  for (const entry of entries) {
    if (entry.kind === 'sums') await applySums(connection, entry)
    if (entry.kind === 'undo') await applyUndo(connection, entry)
  }
}
