import type { DuckDBConnection } from '@duckdb/node-api'
import { foldEvents } from '../analytics/applySessions.js'
import { makeAllEvents } from '../archive/allEvents.js'
import { addArchivedFile, type ArchiveFolder, readArchivedFiles } from '../archive/ArchivedFile.js'
import { eventsOfPart } from '../archive/dayParts.js'
import type { Logger } from '../Logger.js'
import { deleteFile } from '../privacy/deleteDay.js'
import { inTransaction } from '../store/transactions.js'
import type { Change, CoveredPart, LakeFile } from './lakeList.js'

export interface Step {
  change: Change
  /** The snapshot that the store has taken over before. */
  before: number
  /** The files that count as of the snapshot. */
  files: readonly LakeFile[]
  parts: readonly CoveredPart[]
}

/** What a file of the list becomes in a store that takes a snapshot over. */
const compare = async (connection: DuckDBConnection, { before, files }: Step) => {
  const counted = new Set(files.map(({ file }) => file))
  const own = await readArchivedFiles(connection)
  return {
    gone: own.filter(({ file }) => !counted.has(file)),
    fresh: files.filter(({ begin }) => begin > before),
  }
}

/** Deletes what the files hold from the table; gives how many events that were. */
const deleteCovered = async (connection: DuckDBConnection, parts: readonly CoveredPart[]) => {
  let deleted = 0
  for (const part of parts) {
    const { rowsChanged } = await connection.run(
      `DELETE FROM analytics.raw.events e WHERE ${eventsOfPart(part)} AND e.seq <= ${part.through}`,
      { environment: part.environment },
    )
    deleted += rowsChanged
  }
  return deleted
}

/**
 * Takes a snapshot over in one transaction: what its files hold leaves the table, and the files come onto the store's
 * list. So an event is in the table or in a file that counts, wherever this is cut off, whoever has made the snapshot.
 */
export const adopt = async (
  connection: DuckDBConnection,
  step: Step,
  { archive, logger }: { archive: ArchiveFolder; logger: Logger },
): Promise<void> => {
  const { change, before, parts } = step
  // One that skips snapshots cannot tell what became of the files of each.
  const kind = change.snapshot === before + 1 ? change.kind : undefined
  if (kind === 'retire') {
    // Their persons have fewer events from now on.
    for (const file of (await compare(connection, step)).gone) await deleteFile(connection, archive, file)
  }
  await inTransaction(connection, async () => {
    // The unfolded events are read from the table.
    await foldEvents(connection)
    const deleted = await deleteCovered(connection, parts)
    const { gone, fresh } = await compare(connection, step)
    const held = fresh.reduce((sum, { events }) => sum + events, 0)
    // A store whose retention was here first does not list the file: its events are no longer in any answer.
    const isOutdated = kind === 'add' && deleted === 0
    if (kind === 'add' && deleted !== held && !isOutdated) {
      throw new Error(
        `${deleted} events would be deleted, but the new files of snapshot ${change.snapshot} hold ${held}.`,
      )
    }
    if (isOutdated) logger.warn('New files of the archive hold only events that were deleted here.', { held })
    for (const { file } of gone)
      await connection.run('DELETE FROM analytics.raw.archived_files WHERE file = $1', [file])
    for (const file of isOutdated ? [] : fresh) await addArchivedFile(connection, file)
    await connection.run('UPDATE analytics.raw.archive SET snapshot = $1::BIGINT', [change.snapshot])
    await makeAllEvents(connection, archive)
  })
}
