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
