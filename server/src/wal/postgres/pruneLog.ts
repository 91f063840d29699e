import { maxDeadLetters } from '../DeadLetters.js'
import { lockKeys } from './logSchema.js'
import type { LogAddress } from './readLogUrl.js'
import { ServerConnection } from './ServerConnection.js'

const withinMs = 600_000

/**
 * Gives up what every reader has that was seen lately, and forgets the others. It has a connection of
 * its own, because it may take long, and one process at a time does it.
 */
export const pruneLog = async (address: LogAddress, keptMs: number): Promise<void> => {
  const connection = await ServerConnection.open(address, { applicationName: 'waymark prune' })
  try {
    await connection.ask('SET synchronous_commit = off')
    await connection.ask(
      `DELETE FROM waymark.readers WHERE seen < now() - interval '${keptMs} milliseconds';
       DELETE FROM waymark.log
       WHERE last <= (SELECT min(applied) FROM waymark.readers)
         AND (SELECT pg_try_advisory_xact_lock(${lockKeys.prune}));
       DELETE FROM waymark.set_aside
       WHERE request < (SELECT request FROM waymark.set_aside ORDER BY request DESC OFFSET ${maxDeadLetters} LIMIT 1)`,
      [],
      withinMs,
    )
  } finally {
    connection.close('it is done')
  }
}
