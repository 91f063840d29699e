import type { DuckDBConnection } from '@duckdb/node-api'
import type { LogEntry } from '../wal/segment.js'
import { Unstorable } from '../wal/Unstorable.js'
import type { SavedKind } from './savedSchema.js'

/** The body of `POST /saved`, which is a row of the log. */
export interface SavedItem {
  kind: SavedKind
  name: string
  /** NULL removes it. */
  value: object | null
  /** The name until now, where it is renamed. */
  was?: string | null
}

/** Lists of all are shown on the screens. */
const mostOfKind = 500

const keep = async (
  connection: DuckDBConnection,
  { kind, name, value, was }: SavedItem,
  { user, atMs }: { user: string; atMs: number },
): Promise<void> => {
  await connection.run('DELETE FROM analytics.raw.saved WHERE kind = $1 AND name IN ($2, $3)', [
    kind,
    name,
    was ?? name,
  ])
  if (value === null) return
  const reader = await connection.runAndReadAll(
    'SELECT count(*) >= $2::INTEGER FROM analytics.raw.saved WHERE kind = $1',
    [kind, mostOfKind],
  )
  if (reader.getRows()[0]![0] === true)
    throw new Unstorable('request', `There are ${mostOfKind} of the kind ${kind}: remove one first.`)
  await connection.run(
    'INSERT INTO analytics.raw.saved VALUES ($1, $2, $3::JSON, $4, make_timestamptz(1000 * $5::BIGINT))',
    [kind, name, JSON.stringify(value), user, atMs],
  )
}

/** Writes what users have saved inside the caller's transaction. What was accepted last counts. */
export const applySaved = async (
  connection: DuckDBConnection,
  entries: readonly LogEntry[],
): Promise<void> => {
  for (const { body, target, receivedAtMs } of entries) {
    const { user } = JSON.parse(target!) as { user: string }
    for (const item of JSON.parse(body.toString()) as SavedItem[])
      await keep(connection, item, { user, atMs: Math.round(receivedAtMs) })
  }
}
