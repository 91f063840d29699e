import { maxDeadLetters } from '../../wal/rejected.js'
import { forgetErasures, isWithin } from '../erasureTables.js'
import { lockKeys } from '../logSchema.js'
import type { LogAddress } from '../../options/values.js'
import { ServerConnection } from '../ServerConnection.js'

const withinMs = 600_000
/** How many groups one statement prunes. Each statement is a commit of its own, so its work stays when the next one fails. */
const pieceGroups = 1000

const isAway = (keptMs: number) => `NOT ${isWithin('seen', keptMs / 1000)}`

const forgetSql = (keptMs: number) => `
WITH gone AS (DELETE FROM waymark.readers WHERE ${isAway(keptMs)} AND name = ANY ($1::text[]) RETURNING name)
DELETE FROM waymark.lake_readers l USING gone WHERE l.name = gone.name`

const beginSql = `
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

export interface PruneOptions {
  /** A reader that was not seen for so long is forgotten. */
  keptMs: number
  /** Since when readers are found to be away, by a clock that nobody sets. The caller keeps it from one call to the next. */
  awaySince: Map<string, number>
  /** How long a reader must be found away: the server's clock may be wrong for a moment. @defaultValue an hour */
  sureMs?: number
}

/** Forgets the readers that have been found away each time for `sureMs`. */
const forgetReaders = async (
  connection: ServerConnection,
  { keptMs, awaySince, sureMs = 3_600_000 }: PruneOptions,
): Promise<void> => {
  const found = await connection.ask<{ name: string }>(
    `SELECT name FROM waymark.readers WHERE ${isAway(keptMs)}`,
  )
  const away = new Set(found.map(({ name }) => name))
  for (const name of awaySince.keys()) if (!away.has(name)) awaySince.delete(name)
  const now = performance.now()
  for (const name of away) if (!awaySince.has(name)) awaySince.set(name, now)
  const gone = [...away].filter((name) => awaySince.get(name)! <= now - sureMs)
  if (gone.length > 0) await connection.ask(forgetSql(keptMs), [gone])
}

/**
 * Deletes the groups that every reader has, and forgets readers that are away. It may take long, so it has a connection
 * of its own, and only one process at a time does it.
 */
export const pruneLog = async (address: LogAddress, options: PruneOptions): Promise<void> => {
  const connection = await ServerConnection.open(address, { applicationName: 'waymark prune' })
  try {
    await connection.ask('SET synchronous_commit = off')
    await forgetReaders(connection, options)
    await connection.ask(beginSql)
    let piece = { groups: pieceGroups, last: 0 }
    while (piece.groups === pieceGroups) {
      const [gone] = await connection.ask<typeof piece>(pieceSql, [piece.last], withinMs)
      piece = gone!
    }
  } finally {
    connection.close('it is done')
  }
}
