import type { DuckDBConnection } from '@duckdb/node-api'
import { allEvents } from '../store/archiveSchema.js'
import { countIds, countRows, eventsAfter, idTable, rowsOf, type PersonId } from './personRows.js'

/** How much is stored of a person. */
export interface Records {
  events: number
  traits: number
  identities: number
  rejected: number
}

export const countRecords = async (connection: DuckDBConnection): Promise<Records> => ({
  events: await countRows(connection, 'events'),
  traits: await countRows(connection, 'traits'),
  identities: await countIds(connection),
  rejected: await countRows(connection, 'rejected'),
})

const moment = (column: string) => `strftime(timezone('UTC', ${column}), '%Y-%m-%dT%H:%M:%S.%gZ')`

const traitsObject = `to_json(map_from_entries(list_transform(traits, lambda t: {'k': t.name, 'v': t.value})))::JSON`

/** Statements of one column `line`, in the order of the file. The records stay in the order they came in. */
const personLine = (person: string) => `
SELECT 'person' AS kind, environment, person_id, distinct_ids, ${traitsObject} AS traits, ${moment('first_seen')} AS first_seen,
  ${moment('last_seen')} AS last_seen, events, '${person}' AS logged_as
FROM analytics.raw.persons t WHERE ${rowsOf.persons}`

/** Events of a page: what a person did in years need not be in memory at once. */
const pageSize = 10_000

const pageAfter = (seq: string) => `
SELECT 'event' AS kind, seq AS event_id, * EXCLUDE (seq)
  REPLACE (${moment('received_at')} AS received_at, ${moment('"timestamp"')} AS "timestamp")
FROM ${allEvents} t WHERE ${eventsAfter(seq, pageSize)} ORDER BY seq`

const otherRecords = [
  `SELECT 'trait' AS kind, distinct_id, name, value, ${moment('"timestamp"')} AS "timestamp"
   FROM analytics.raw.traits t WHERE ${rowsOf.traits} ORDER BY t.seq, name`,
  `SELECT 'identity' AS kind, x.id AS distinct_id, coalesce(m.person_id, x.id) AS person_id,
     coalesce(m.identified, false) AS identified
   FROM ${idTable} x LEFT JOIN analytics.raw.id_map m ON m.environment = x.environment AND m.distinct_id = x.id
   ORDER BY x.id`,
  `SELECT 'rejected' AS kind, t.kind AS sent_as, coalesce(TRY_CAST(body AS JSON), to_json(body)) AS record, reason,
     ${moment("received_at AT TIME ZONE 'UTC'")} AS received_at
   FROM analytics.raw.rejected t WHERE ${rowsOf.rejected}`,
]

/** The rows of a statement as lines. */
const read = async (connection: DuckDBConnection, sql: string) => {
  const reader = await connection.runAndReadAll(`SELECT to_json(r)::VARCHAR FROM (${sql}) r`)
  return reader.getRows().map(([text]) => text as string)
}

/** Of all events, page by page. */
async function* eventPages(connection: DuckDBConnection): AsyncGenerator<string[]> {
  for (let last = '-1'; ;) {
    const lines = await read(connection, pageAfter(last))
    if (lines.length > 0) yield lines
    if (lines.length < pageSize) return
    last = String((JSON.parse(lines.at(-1)!) as { event_id: number }).event_id)
  }
}

const line = (value: object) => `${JSON.stringify(value)}\n`

/** The person first, then all records, then how many there are, counted before in the same transaction. */
export async function* linesOf(
  connection: DuckDBConnection,
  { environment, id, person, records: expected }: PersonId & { person: string; records: Records },
): AsyncGenerator<string> {
  const known = await read(connection, personLine(person))
  for (const text of known) yield `${text}\n`
  // All that there is of this id was set aside.
  if (known.length === 0) {
    yield line({
      kind: 'person',
      environment,
      person_id: id,
      distinct_ids: [id],
      events: 0,
      logged_as: person,
    })
  }
  let count = 0
  for await (const lines of eventPages(connection)) {
    count += lines.length
    yield `${lines.join('\n')}\n`
  }
  for (const sql of otherRecords) {
    const lines = await read(connection, sql)
    count += lines.length
    if (lines.length > 0) yield `${lines.join('\n')}\n`
  }
  const total = Object.values(expected).reduce((sum, each) => sum + each, 0)
  if (count !== total) throw new Error(`The export broke off after ${count} of ${total} records.`)
  yield line({ kind: 'end', ...expected })
}
