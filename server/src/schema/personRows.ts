import { type Erased, keyOf, keyPrefix, type PersonId, standInOf } from '../payloads/erasure.js'
import { type DuckDBConnection, LIST, listValue, VARCHAR } from '@duckdb/node-api'
import { namesId, sumNamesId } from './namesId.js'
import { allEvents } from './analyticsSchema.js'

/** A temporary table with the ids of the persons that the statements below are about. */
export const idTable = 'temp.main.person_ids'

/** A temporary table of the events of those persons, and of events of others that name one of the ids; see `findEvents`. */
const eventTable = 'temp.main.person_events'

/** A temporary table of the environments that have persons. */
const environmentTable = 'temp.main.environments'

const has = (condition: string) => `EXISTS (FROM ${idTable} x WHERE ${condition})`
/** Whether a row has one of the ids; NULL when it has no id. EXISTS would take three times as long. */
const named = (column: string) => `(t.environment, ${column}) IN (SELECT (environment, id) FROM ${idTable})`

const inRecord = (name: string) => `json_extract_string(TRY_CAST(t.body AS JSON), '/${name}')`

/**
 * Whether a rejected record is about a person. It is kept as it was sent and may not even be JSON, so it counts
 * when one of its fields is an id, or when the id stands anywhere in it. A record of another environment does
 * not count.
 */
const ofRecord = `
  (x.environment = ${inRecord('environment')} OR ${inRecord('environment')} IS NULL
    OR ${inRecord('environment')} NOT IN (FROM ${environmentTable}))
  AND (contains(t.body, to_json(x.id)::VARCHAR)
    OR x.id IN (${['distinct_id', 'anonymous_id', 'new_user_id'].map(inRecord).join(', ')}))`

const isFound = (condition: string) => `t.seq IN (SELECT seq FROM ${eventTable} WHERE ${condition})`

/** For each table, as `t`, the condition for the rows of those persons. */
export const rowsOf = {
  events: isFound('is_theirs'),
  traits: named('t.distinct_id'),
  id_map: named('t.distinct_id'),
  persons: named('t.person_id'),
  rejected: has(ofRecord),
  saved: has(namesId),
  alerts: has(namesId),
  alert_messages: has(namesId),
  daily_sums: has(sumNamesId),
}

/** The condition for events of others that name an anonymous id of those persons: they came from the same browser. */
export const namesAnonymousId = isFound('NOT is_theirs')

/** The condition for the next events of those persons, as `t`, in their order. */
export const eventsAfter = (seq: string, most: number): string =>
  isFound(`is_theirs AND seq > ${seq} ORDER BY seq LIMIT ${most}`)

const theirs = named('coalesce(t.distinct_id, t.anonymous_id)')
const among = (key: string) => `${key} IN (SELECT hash(environment, id) FROM ${idTable})`

/**
 * Finds the events of the persons once, for all later statements: a condition on a whole row would read all
 * columns of all events each time. Hashes are compared first, which takes half the time.
 */
export const findEvents = async (connection: DuckDBConnection): Promise<void> => {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE person_events AS
     WITH near AS MATERIALIZED (
       SELECT t.seq, t.session_key, t.environment, t.distinct_id, t.anonymous_id FROM ${allEvents} t
       WHERE ${among('t.id_key')} OR ${among('hash(t.environment, t.anonymous_id)')}
     )
     SELECT t.seq, t.session_key, (${theirs}) IS TRUE AS is_theirs FROM near t WHERE ${theirs} OR ${named('t.anonymous_id')}`,
  )
}

/** The keys of the sessions that have such an event. */
export const theirSessions = `(SELECT session_key FROM ${eventTable} WHERE session_key IS NOT NULL)`

/** The columns of `t` without the anonymous ids of those persons. */
export const withoutAnonymousId = `REPLACE (CASE WHEN (${namesAnonymousId}) IS NOT TRUE THEN anonymous_id END AS anonymous_id)`

/** All ids of the person that has this one; empty when nobody has it. */
const findIds = async (connection: DuckDBConnection, { environment, id }: PersonId): Promise<string[]> => {
  const reader = await connection.runAndReadAll(
    `WITH who AS (
       SELECT coalesce((SELECT person_id FROM analytics.raw.id_map
         WHERE id_key = hash($1::VARCHAR, $2::VARCHAR) AND environment = $1 AND distinct_id = $2), $2) AS person_id
     )
     SELECT unnest(distinct_ids) FROM analytics.raw.persons p, who
     WHERE p.environment = $1 AND p.person_id = who.person_id
     UNION SELECT distinct_id FROM analytics.raw.id_map m, who
     WHERE m.environment = $1 AND m.person_id = who.person_id`,
    [environment, id],
  )
  return reader.getRows().map(([each]) => each as string)
}

const count = async (connection: DuckDBConnection, sql: string): Promise<number> =>
  Number((await connection.runAndReadAll(`SELECT count(*) ${sql}`)).getRows()[0]![0])

/** How many rows of a table belong to those persons. Events in the archive are counted too. */
const countRows = (connection: DuckDBConnection, table: keyof typeof rowsOf): Promise<number> => {
  const rows = table === 'events' ? allEvents : `analytics.raw.${table}`
  return count(connection, `FROM ${rows} t WHERE ${rowsOf[table]}`)
}

/** How many records of each kind are stored of those persons. */
export type Records = Omit<Erased, 'unlinked'>

export const countRecords = async (connection: DuckDBConnection): Promise<Records> => ({
  events: await countRows(connection, 'events'),
  traits: await countRows(connection, 'traits'),
  identities: await count(connection, `FROM ${idTable}`),
  rejected: await countRows(connection, 'rejected'),
})

export const countUnlinked = (connection: DuckDBConnection): Promise<number> =>
  count(connection, `FROM ${allEvents} t WHERE ${namesAnonymousId}`)

/** Fills the table of ids anew. */
export const setIds = async (connection: DuckDBConnection, ids: readonly PersonId[]): Promise<void> => {
  await connection.run('CREATE OR REPLACE TEMP TABLE person_ids (environment VARCHAR, id VARCHAR)')
  await connection.run(
    'CREATE OR REPLACE TEMP TABLE environments AS SELECT DISTINCT environment FROM analytics.raw.persons',
  )
  for (const { environment, id } of ids)
    await connection.run(`INSERT INTO ${idTable} VALUES ($1, $2)`, [environment, id])
}

/**
 * Finds the person that has an id, and puts all ids of the person into the table. Resolves to false when nobody
 * has the id and no rejected record names it.
 */
export const choosePerson = async (connection: DuckDBConnection, person: PersonId): Promise<boolean> => {
  const ids = await findIds(connection, person)
  await setIds(
    connection,
    (ids.length === 0 ? [person.id] : ids).map((id) => ({ environment: person.environment, id })),
  )
  return ids.length > 0 || (await countRows(connection, 'rejected')) > 0
}

/** The ids of an environment that there are: those of persons, and every text in records that were set aside. */
const allIds = `
SELECT unnest(distinct_ids) AS id FROM analytics.raw.persons WHERE environment = $environment
UNION SELECT distinct_id FROM analytics.raw.id_map WHERE environment = $environment
UNION SELECT TRY_CAST('"' || text || '"' AS JSON)->>'$' FROM (
  SELECT unnest(regexp_extract_all(body, '"((?:[^"\\\\]|\\\\.)*)"', 1)) AS text FROM analytics.raw.rejected)`

/**
 * Finds the persons whose ids have one of the keys, and puts all their ids into the table. Resolves to the id with the
 * first key, or another one where that is not known here; to undefined when there is none.
 */
const chooseByKeys = async (
  connection: DuckDBConnection,
  { environment, keys, secret }: { environment: string; keys: readonly string[]; secret: string },
): Promise<string | undefined> => {
  const reader = await connection.runAndReadAll(
    `SELECT id, sha256($prefix || id) AS key FROM (${allIds})
     WHERE sha256($prefix || id) IN (SELECT unnest($keys::VARCHAR[])) ORDER BY id`,
    { environment, prefix: keyPrefix(secret, environment), keys: listValue(keys) },
    { environment: VARCHAR, prefix: VARCHAR, keys: LIST(VARCHAR) },
  )
  const found = reader.getRows() as [id: string, key: string][]
  const ids = new Set(found.map(([id]) => id))
  let isPerson = false
  for (const [id] of found) {
    const all = await findIds(connection, { environment, id })
    isPerson ||= all.length > 0
    for (const each of all) ids.add(each)
  }
  await setIds(
    connection,
    [...ids].map((id) => ({ environment, id })),
  )
  if (!isPerson && (await countRows(connection, 'rejected')) === 0) return undefined
  return (found.find(([, key]) => key === keys[0]) ?? found[0])?.[0]
}

/** The sequences of the records of those persons that were set aside. */
export const findRejected = async (connection: DuckDBConnection): Promise<number[]> =>
  (await connection.runAndReadAll(`SELECT seq FROM analytics.raw.rejected t WHERE ${rowsOf.rejected}`))
    .getRows()
    .map(([seq]) => Number(seq))

export const idsInTable = async (connection: DuckDBConnection): Promise<PersonId[]> =>
  (await connection.runAndReadAll(`FROM ${idTable}`)).getRowObjects() as unknown as PersonId[]

interface Asked extends PersonId {
  task: string
  /** An erase in a log in PostgreSQL has keys in place of the ids. */
  logged?: { key: string; keys: readonly string[] }
}

/** Puts all ids of a person into the table; gives the one that was asked for, or undefined when nobody has it. */
export const chooseErased = async (
  connection: DuckDBConnection,
  { task, environment, id, logged }: Asked,
  logSecret: string | undefined,
): Promise<string | undefined> => {
  if (logged === undefined) return (await choosePerson(connection, { environment, id })) ? id : undefined
  const secret = logSecret!
  const keys = [logged.key, ...logged.keys, keyOf(secret, { environment, id: standInOf(task) })]
  return chooseByKeys(connection, { environment, keys, secret })
}
