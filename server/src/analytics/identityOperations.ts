import type { DuckDBConnection } from '@duckdb/node-api'
import type { LogEntry } from '../wal/segment.js'
import type { AliasPayload, IdentifyPayload } from './payloads.js'
import type { IdentityOperation } from './resolveIdentity.js'

interface Placed {
  seq: number
  operation: IdentityOperation
}

const present = (id: string | null | undefined): id is string => typeof id === 'string' && id !== ''

const ofIdentify = (payload: IdentifyPayload): IdentityOperation => {
  const { environment, distinct_id: user, anonymous_id: anonymous } = payload
  return present(anonymous) && anonymous !== user
    ? { kind: 'link', environment, user, anonymous }
    : { kind: 'user', environment, user }
}

const ofAlias = (payload: AliasPayload): IdentityOperation => {
  const { environment, distinct_id: from, new_user_id: into } = payload
  return { kind: 'alias', environment, from, into }
}

const ofEntry = ({ kind, first, body }: LogEntry): Placed[] => {
  if (kind === 'track') return []
  const payloads = JSON.parse(body.toString()) as (IdentifyPayload | AliasPayload)[]
  return payloads.map((payload, at) => ({
    seq: first + at,
    operation: kind === 'alias' ? ofAlias(payload as AliasPayload) : ofIdentify(payload as IdentifyPayload),
  }))
}

/**
 * An event that carries both ids links them; what is already linked is left out here.
 * The sequence stands in the text because DuckDB skips old blocks only for what it knows when it plans.
 */
const ofEvents = async (connection: DuckDBConnection, from: number): Promise<Placed[]> => {
  const reader = await connection.runAndReadAll(
    `WITH pair AS (
       SELECT environment, distinct_id, anonymous_id, min(seq) AS seq FROM analytics.raw.events
       WHERE seq >= ${from} AND distinct_id <> anonymous_id GROUP BY ALL
     ), named AS (
       SELECT *, distinct_id AS id FROM pair UNION ALL SELECT *, anonymous_id FROM pair
     )
     SELECT DISTINCT n.seq, n.environment, n.distinct_id, n.anonymous_id FROM named n
     LEFT JOIN analytics.raw.id_map m ON m.id_key = hash(n.environment, n.id)
     WHERE m.distinct_id IS NULL OR (n.id = n.anonymous_id AND m.person_id = n.id)`,
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

/** What a run of entries says about who is who, in the order in which it was said. */
export const readIdentityOperations = async (
  connection: DuckDBConnection,
  entries: readonly LogEntry[],
): Promise<IdentityOperation[]> => {
  const placed = entries.flatMap(ofEntry)
  if (entries.some((entry) => entry.kind === 'track')) {
    placed.push(...(await ofEvents(connection, entries[0]!.first)))
  }
  return placed.toSorted((a, b) => a.seq - b.seq).map(({ operation }) => operation)
}
