import { maxDeadLetters } from '../wal/RecentDeadLetters.js'
import { forgetErasures } from './erasureTables.js'
import { lockKeys } from './logSchema.js'
import type { LogAddress } from './readLogUrl.js'
import { ServerConnection } from './ServerConnection.js'

const withinMs = 600_000
/** How many groups one statement prunes. Each statement is a commit of its own, so its work stays when the next one fails. */
const pieceGroups = 1000

const beginSql = (keptMs: number) => `
WITH gone AS (DELETE FROM waymark.readers WHERE seen < now() - interval '${keptMs} milliseconds' RETURNING name)
DELETE FROM waymark.lake_readers l USING gone WHERE l.name = gone.name;
DELETE FROM waymark.set_aside
WHERE request < (SELECT request FROM waymark.set_aside ORDER BY request DESC OFFSET ${maxDeadLetters} LIMIT 1);
${forgetErasures}`

/** `$1` is a sequence that is pruned already, so that the server does not scan the deleted rows again. */
const pieceSql = `
WITH gone AS (
  DELETE FROM waymark.log WHERE last IN (
    SELECT last FROM waymark.log
    WHERE last > $1 AND last <= (SELECT min(applied) FROM waymark.readers) ORDER BY last LIMIT ${pieceGroups}
  ) AND (SELECT pg_try_advisory_xact_lock(${lockKeys.prune})) RETURNING last
)
SELECT count(*)::int AS groups, max(last)::float8 AS last FROM gone`

/**
 * Deletes the groups that every reader has, and forgets readers that were not seen for `keptMs`. It may take long,
 * so it has a connection of its own, and only one process at a time does it.
 */
export const pruneLog = async (address: LogAddress, keptMs: number): Promise<void> => {
  const connection = await ServerConnection.open(address, { applicationName: 'waymark prune' })
  try {
    await connection.ask('SET synchronous_commit = off')
    await connection.ask(beginSql(keptMs))
    let piece = { groups: pieceGroups, last: 0 }
    while (piece.groups === pieceGroups) {
      const [gone] = await connection.ask<typeof piece>(pieceSql, [piece.last], withinMs)
      piece = gone!
    }
  } finally {
    connection.close('it is done')
  }
}
