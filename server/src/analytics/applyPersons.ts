import type { DuckDBConnection } from '@duckdb/node-api'
import { jsonRows } from '../duckdb/runPrepared.js'
import { type IdentityOperation, type IdRow, keyOf } from './resolveIdentity.js'
import type { LogEntry } from '../wal/segment.js'
import type { AliasPayload, IdentifyPayload } from '../payloads/payloads.js'
import { isPublic } from './proveIdentity.js'

interface Sequenced {
  seq: number
  operation: IdentityOperation
}

const isGiven = (id: string | null | undefined): id is string => typeof id === 'string' && id !== ''

const ofIdentify = (payload: IdentifyPayload, fromPublic: boolean): IdentityOperation => {
  const { environment, distinct_id: user, anonymous_id: anonymous } = payload
  return isGiven(anonymous) && anonymous !== user
    ? { kind: 'link', environment, user, anonymous, ...(fromPublic && { isPublic: true }) }
    : { kind: 'user', environment, user }
}

const ofAlias = (payload: AliasPayload): IdentityOperation => {
  const { environment, distinct_id: from, new_user_id: into } = payload
  return { kind: 'alias', environment, from, into }
}

const ofEntry = ({ kind, first, body, target }: LogEntry): Sequenced[] => {
  if (kind === 'track') return []
  const payloads = JSON.parse(body.toString()) as (IdentifyPayload | AliasPayload)[]
  return payloads.map((payload, at) => ({
    seq: first + at,
    operation:
      kind === 'alias'
        ? ofAlias(payload as AliasPayload)
        : ofIdentify(payload as IdentifyPayload, isPublic(target)),
  }))
}

/**
 * Reads the links that events make: an event with both ids links them. Ids that are linked already are left out.
 * The sequence is in the statement's text because DuckDB skips old blocks only for values that it knows when it plans.
 */
const ofEvents = async (connection: DuckDBConnection, from: number): Promise<Sequenced[]> => {
  const reader = await connection.runAndReadAll(
    `WITH pair AS (
       SELECT hash(environment, distinct_id) AS user_key, hash(environment, anonymous_id) AS anonymous_key,
         min(seq) AS seq
       FROM analytics.raw.events WHERE seq >= ${from} AND distinct_id <> anonymous_id
       GROUP BY user_key, anonymous_key
     ), named AS (
       SELECT seq, user_key AS key, false AS is_anonymous FROM pair
       UNION ALL SELECT seq, anonymous_key, true FROM pair
     ), telling AS (
       SELECT n.seq FROM named n LEFT JOIN analytics.raw.id_map m ON m.id_key = n.key
       WHERE m.id_key IS NULL OR (n.is_anonymous AND m.person_key = n.key)
     )
     SELECT seq, environment, distinct_id, anonymous_id FROM analytics.raw.events
     SEMI JOIN telling USING (seq) WHERE seq >= ${from}`,
  )
  return reader.getRows().map(([seq, environment, user, anonymous]) => ({
    seq: Number(seq),
    operation: {
      kind: 'link',
      environment: environment as string,
      user: user as string,
      anonymous: anonymous as string,
    },
  }))
}

/** Reads what a batch of entries says about who is who, in the order of the rows. */
export const readIdentityOperations = async (
  connection: DuckDBConnection,
  entries: readonly LogEntry[],
): Promise<IdentityOperation[]> => {
  const operations = entries.flatMap(ofEntry)
  if (entries.some((entry) => entry.kind === 'track')) {
    operations.push(...(await ofEvents(connection, entries[0]!.first)))
  }
  return operations.toSorted((a, b) => a.seq - b.seq).map(({ operation }) => operation)
}

interface Id {
  environment: string
  id: string
}

const idRows = jsonRows({ environment: 'VARCHAR', id: 'VARCHAR' })
const toRows = (rows: unknown[][]): IdRow[] =>
  rows.map(([environment, distinctId, personId, identified]) => ({
    environment: environment as string,
    distinctId: distinctId as string,
    personId: personId as string,
    identified: identified as boolean,
  }))

const select = async (connection: DuckDBConnection, key: 'id_key' | 'person_key', ids: readonly Id[]) => {
  if (ids.length === 0) return []
  const reader = await connection.runAndReadAll(
    `SELECT m.environment, m.distinct_id, m.person_id, m.identified FROM analytics.raw.id_map m
     SEMI JOIN (SELECT hash(environment, id) AS key FROM ${idRows}) a ON m.${key} = a.key`,
    { rows: JSON.stringify(ids) },
  )
  return toRows(reader.getRows())
}

const named = (operations: readonly IdentityOperation[]): Id[] => {
  const found = new Map<string, Id>()
  for (const operation of operations) {
    const { environment } = operation
    const ids =
      operation.kind === 'alias'
        ? [operation.from, operation.into]
        : operation.kind === 'link'
          ? [operation.user, operation.anonymous]
          : [operation.user]
    for (const id of ids) found.set(keyOf(environment, id), { environment, id })
  }
  return [...found.values()]
}

/** Reads the rows that `resolveIdentity` must know: the ids named, and all ids of the persons that may be merged away. */
export const readIdRows = async (
  connection: DuckDBConnection,
  operations: readonly IdentityOperation[],
): Promise<IdRow[]> => {
  const rows = await select(connection, 'id_key', named(operations))
  // An alias may merge away a person that an earlier operation has just given another id. A link merges away only a
  // person with a single id, and only a query for all its ids shows that there is no other.
  const linked = new Set(
    operations.flatMap((each) => (each.kind === 'link' ? keyOf(each.environment, each.anonymous) : [])),
  )
  const merged = operations.some((operation) => operation.kind === 'alias')
    ? rows
    : rows.filter(
        (row) => row.personId === row.distinctId && linked.has(keyOf(row.environment, row.distinctId)),
      )
  const members = await select(
    connection,
    'person_key',
    merged.map(({ environment, personId }) => ({ environment, id: personId })),
  )
  const byKey = new Map<string, IdRow>()
  for (const row of [...rows, ...members]) byKey.set(keyOf(row.environment, row.distinctId), row)
  return [...byKey.values()]
}

const changedRows = jsonRows({
  environment: 'VARCHAR',
  id: 'VARCHAR',
  from: 'VARCHAR',
  into: 'VARCHAR',
  identified: 'BOOLEAN',
  known: 'BOOLEAN',
})

/**
 * Makes the table `changed`: ids that belong to another person than before, that are users now, or that are new.
 * A new id counts as having been a person of its own.
 */
const changedSql = `
CREATE OR REPLACE TEMP TABLE changed AS
SELECT *, hash(environment, id) AS id_key, hash(environment, "from") AS from_key,
  hash(environment, "into") AS into_key
FROM ${changedRows}`

/** Writes the rows that changed, and keeps them in the table `changed`. `before` gives the former person of each id. */
export const writeIdRows = async (
  connection: DuckDBConnection,
  rows: readonly IdRow[],
  before: ReadonlyMap<string, string>,
): Promise<void> => {
  const changed = rows.map(({ environment, distinctId: id, personId: into, identified }) => {
    const from = before.get(keyOf(environment, id))
    return { environment, id, from: from ?? id, into, identified, known: from !== undefined }
  })
  await connection.run(changedSql, { rows: JSON.stringify(changed) })
  if (changed.some(({ known }) => known)) {
    await connection.run(
      'DELETE FROM analytics.raw.id_map WHERE id_key IN (SELECT id_key FROM changed WHERE known)',
    )
  }
  if (changed.length > 0) {
    await connection.run(
      `INSERT INTO analytics.raw.id_map
       SELECT environment, id, "into", identified, id_key, into_key FROM changed`,
    )
  }
}

/**
 * Makes the table `part`: what the newest rows say about each id, and the person that the id belongs to now. `mends`
 * marks an id whose person must be put together anew because its ids or traits change, not only its times and counts.
 */
const partSql = (first: number, mends: boolean) => `
CREATE OR REPLACE TEMP TABLE part AS
WITH seen AS (
  SELECT id_key, environment, coalesce(distinct_id, anonymous_id) AS id, "timestamp" AS moment, 1 AS events,
    false AS mends
  FROM analytics.raw.events WHERE seq >= ${first} AND NOT anonymous AND id_key IS NOT NULL
  UNION ALL
  SELECT hash(environment, distinct_id), environment, distinct_id, "timestamp", 0, name IS NOT NULL
  FROM analytics.raw.traits WHERE seq >= ${first}
  ${mends ? 'UNION ALL SELECT hash(environment, id), environment, id, NULL, 0, true FROM changed' : ''}
), id AS (
  SELECT id_key, any_value(environment) AS environment, any_value(id) AS id, min(moment) AS first_seen,
    max(moment) AS last_seen, sum(events)::BIGINT AS events, bool_or(mends) AS mends
  FROM seen GROUP BY id_key
)
SELECT i.*, coalesce(m.person_key, i.id_key) AS person_key, coalesce(m.person_id, i.id) AS person_id
FROM id i LEFT JOIN analytics.raw.id_map m ON m.id_key = i.id_key`

/** The persons that were merged into another person. */
const merged = '(SELECT DISTINCT from_key, into_key FROM changed WHERE "from" <> "into")'

const mendingSql = `
CREATE OR REPLACE TEMP TABLE mending AS
SELECT person_key FROM part WHERE mends UNION SELECT from_key FROM ${merged}`

/** Moves the persons that change to the table `taken`; `putSql` writes them back. */
const takeSql = [
  `CREATE OR REPLACE TEMP TABLE taken AS
   SELECT coalesce(m.into_key, p.person_key) AS person_key, p.* EXCLUDE (person_key)
   FROM (SELECT * FROM analytics.raw.persons SEMI JOIN mending USING (person_key)) p
   LEFT JOIN ${merged} m ON m.from_key = p.person_key`,
  'DELETE FROM analytics.raw.persons WHERE person_key IN (FROM mending)',
]

/** Puts persons together: ids are united and sorted, and a trait keeps its value with the latest time, then the latest sequence. */
const putSql = (first: number) => `
INSERT INTO analytics.raw.persons
WITH fresh AS (SELECT * FROM part SEMI JOIN mending USING (person_key)),
piece AS (
  SELECT person_key, distinct_ids, first_seen, last_seen, events FROM taken
  UNION ALL SELECT person_key, [id], first_seen, last_seen, events FROM fresh
), person AS (
  SELECT person_key, list_sort(list_distinct(flatten(list(distinct_ids)))) AS distinct_ids,
    min(first_seen) AS first_seen, max(last_seen) AS last_seen, sum(events)::BIGINT AS events
  FROM piece GROUP BY person_key
), trait AS (
  SELECT person_key, t.name, arg_max(t, (t."timestamp", t.seq)) AS t
  FROM (
    SELECT person_key, unnest(traits) AS t FROM taken
    UNION ALL
    SELECT f.person_key,
      {'name': r.name, 'value': r.value, 'timestamp': r."timestamp", 'seq': r.seq} AS t
    FROM analytics.raw.traits r
    JOIN fresh f ON f.environment = r.environment AND f.id = r.distinct_id
    WHERE r.seq >= ${first} AND r.name IS NOT NULL
  ) GROUP BY ALL
), bundle AS (
  SELECT person_key, list_sort(list(t)) AS traits FROM trait GROUP BY person_key
)
SELECT p.person_key, n.environment, n.person_id, p.distinct_ids, coalesce(b.traits, []), p.first_seen,
  p.last_seen, p.events
FROM person p
JOIN (SELECT DISTINCT person_key, environment, person_id FROM fresh) n ON n.person_key = p.person_key
LEFT JOIN bundle b ON b.person_key = p.person_key`

/** Adds times and counts to persons that change nothing else: DuckDB updates numbers in place. */
const countSql = (mends: boolean) => `
MERGE INTO analytics.raw.persons p
USING (
  SELECT person_key, any_value(environment) AS environment, any_value(person_id) AS person_id,
    list_sort(list(id)) AS ids, min(first_seen) AS first_seen, max(last_seen) AS last_seen,
    sum(events)::BIGINT AS events
  FROM part ${mends ? 'ANTI JOIN mending USING (person_key)' : ''} GROUP BY person_key
) n ON p.person_key = n.person_key
WHEN MATCHED THEN UPDATE SET first_seen = least(p.first_seen, n.first_seen),
  last_seen = greatest(p.last_seen, n.last_seen), events = p.events + n.events
WHEN NOT MATCHED THEN INSERT VALUES
  (n.person_key, n.environment, n.person_id, n.ids, [], n.first_seen, n.last_seen, n.events)`

/**
 * Brings the rows from sequence `first` on into the table of persons. `mends` says that some rows hold traits or that
 * ids changed; those ids are in the table `changed`.
 */
export const applyPersons = async (
  connection: DuckDBConnection,
  { first, mends }: { first: number; mends: boolean },
): Promise<void> => {
  await connection.run(partSql(first, mends))
  if (mends) {
    await connection.run(mendingSql)
    for (const sql of takeSql) await connection.run(sql)
    await connection.run(putSql(first))
  }
  await connection.run(countSql(mends))
}
