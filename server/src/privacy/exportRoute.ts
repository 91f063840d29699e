import { randomUUID } from 'node:crypto'
import type { DuckDBConnection } from '@duckdb/node-api'
import { clientPatienceMs } from '../http/readBody.js'
import { type Route, sendParts } from '../http/Route.js'
import type { Logger } from '../Logger.js'
import { ConcurrencyLimit, type Pausable } from '../duckdb/ConcurrencyLimit.js'
import type { Database } from '../duckdb/Database.js'
import { inTransaction } from '../duckdb/transactions.js'
import { readIdentity } from '../users/Identity.js'
import { exportPath, personNotFound, readAskedPerson, type PersonId } from '../payloads/erasure.js'
import { hashOf, recordDuty } from '../schema/duties.js'
import {
  choosePerson,
  countIds,
  countRows,
  eventsAfter,
  findEvents,
  idTable,
  rowsOf,
} from '../schema/personRows.js'
import { allEvents } from '../schema/analyticsSchema.js'

/** How many records of each kind are stored of a person. */
interface Records {
  events: number
  traits: number
  identities: number
  rejected: number
}

const countRecords = async (connection: DuckDBConnection): Promise<Records> => ({
  events: await countRows(connection, 'events'),
  traits: await countRows(connection, 'traits'),
  identities: await countIds(connection),
  rejected: await countRows(connection, 'rejected'),
})

const moment = (column: string) => `strftime(timezone('UTC', ${column}), '%Y-%m-%dT%H:%M:%S.%gZ')`

const traitsObject = `to_json(map_from_entries(list_transform(traits, lambda t: {'k': t.name, 'v': t.value})))::JSON`

/** The SQL of the first line, which describes the person. */
const personLine = (person: string) => `
SELECT 'person' AS kind, environment, person_id, distinct_ids, ${traitsObject} AS traits, ${moment('first_seen')} AS first_seen,
  ${moment('last_seen')} AS last_seen, events, '${person}' AS logged_as
FROM analytics.raw.persons t WHERE ${rowsOf.persons}`

/** Events are read slice by slice, so that years of them need not be in memory at once. */
const sliceSize = 10_000

const sliceAfter = (seq: string) => `
SELECT 'event' AS kind, seq AS event_id, * EXCLUDE (seq)
  REPLACE (${moment('received_at')} AS received_at, ${moment('"timestamp"')} AS "timestamp")
FROM ${allEvents} t WHERE ${eventsAfter(seq, sliceSize)} ORDER BY seq`

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

/** Reads the rows of a statement, each as one line of JSON. */
const read = async (connection: DuckDBConnection, sql: string) => {
  const reader = await connection.runAndReadAll(`SELECT to_json(r)::VARCHAR FROM (${sql}) r`)
  return reader.getRows().map(([text]) => text as string)
}

/** Reads the lines of all events, slice by slice. */
async function* eventSlices(connection: DuckDBConnection): AsyncGenerator<string[]> {
  for (let last = '-1'; ;) {
    const lines = await read(connection, sliceAfter(last))
    if (lines.length > 0) yield lines
    if (lines.length < sliceSize) return
    last = String((JSON.parse(lines.at(-1)!) as { event_id: number }).event_id)
  }
}

const line = (value: object) => `${JSON.stringify(value)}\n`

/**
 * The lines of an export: first the person, then all records, then a line that says how many there are. They
 * were counted before in the same transaction, so a difference is an error.
 */
async function* linesOf(
  connection: DuckDBConnection,
  { environment, id, person, records: expected }: PersonId & { person: string; records: Records },
): AsyncGenerator<string> {
  const known = await read(connection, personLine(person))
  for (const text of known) yield `${text}\n`
  // Only rejected records name this id.
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
  for await (const lines of eventSlices(connection)) {
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

interface ExportRouteOptions {
  database: Database
  /** The key with which ids are hashed for `privacy_log`. */
  secret: Buffer
  logger: Logger
}

const atOnce = 2
const maxWaiting = 20

/** Pauses the permit while a part waits for its client, so that another export may run. */
async function* oneAtATime<T>(parts: AsyncGenerator<T>, turn: Pausable): AsyncGenerator<T> {
  for await (const part of parts) {
    turn.pause()
    yield part
    await turn.resume()
  }
}

/** `POST /persons/export` sends each stored record of a person as one line. A stream that breaks has no last line. */
export const exportRoute = ({ database, secret, logger }: ExportRouteOptions): Route => {
  const limit = new ConcurrencyLimit({ permits: atOnce, maxWaiting })

  const record = async (user: string, asked: PersonId, records: Records) => {
    const { environment } = asked
    const person = hashOf(secret, asked)
    const duty = {
      task: randomUUID(),
      duty: 'export',
      user,
      environment,
      person,
      ...records,
      unlinked: 0,
    } as const
    await database.use((connection) => inTransaction(connection, () => recordDuty(connection, duty)))
    logger.info('A person is being exported.', { user, environment, person, ...records })
    return person
  }

  return {
    method: 'POST',
    path: exportPath,
    async handle({ request, response }) {
      const { user } = readIdentity(request)
      const asked = await readAskedPerson(request)
      const gone = new AbortController()
      response.once('close', () => gone.abort(new Error('The client went away.')))
      const permit = await limit.acquire({ user, signal: gone.signal })
      try {
        await database.use(async (connection) => {
          // In one transaction all statements see the store of one moment. Closing the connection ends it.
          await connection.run('BEGIN TRANSACTION')
          if (!(await choosePerson(connection, asked))) throw personNotFound(asked)
          await findEvents(connection)
          const records = await countRecords(connection)
          const person = await record(user, asked, records)
          response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' })
          response.setTimeout(clientPatienceMs, () => response.destroy())
          await sendParts(oneAtATime(linesOf(connection, { ...asked, person, records }), permit), response)
        })
      } finally {
        permit.release()
      }
      return undefined
    },
  }
}
