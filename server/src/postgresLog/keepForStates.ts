import { liveSeconds } from './erasureTables.js'
import type { ServerConnection } from './ServerConnection.js'

/** `seen` is old, so that no process waits for these readers. */
const keepSql = `
WITH gone AS (
  DELETE FROM waymark.readers WHERE name LIKE 'state %' AND applied <> ALL ($1::bigint[]) RETURNING name
), forgotten AS (
  DELETE FROM waymark.lake_readers l USING gone WHERE l.name = gone.name
), files AS (
  INSERT INTO waymark.lake_readers SELECT 'state ' || at, $2::bigint FROM unnest($1::bigint[]) AS at
  ON CONFLICT (name) DO NOTHING
)
INSERT INTO waymark.readers (name, applied, joined, seen)
SELECT 'state ' || at, at, at, now() - interval '${liveSeconds} seconds' FROM unnest($1::bigint[]) AS at
ON CONFLICT (name) DO UPDATE SET seen = excluded.seen`

/**
 * Makes the log keep the rows behind these positions, and behind no others that were named before. Positions that were
 * not named before also keep the files of the shared archive as of a snapshot.
 */
export const keepForStates = async (
  connection: ServerConnection,
  positions: readonly number[],
  snapshot: number,
): Promise<void> => {
  await connection.ask(keepSql, [positions, snapshot])
}
