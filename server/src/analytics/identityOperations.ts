import type { DuckDBConnection } from '@duckdb/node-api'
import type { LogEntry } from '../wal/segment.js'
import type { AliasPayload, IdentifyPayload } from './payloads.js'
import { isPublic } from './proveIdentity.js'
import type { IdentityOperation } from './resolveIdentity.js'

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
