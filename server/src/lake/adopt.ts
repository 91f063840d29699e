import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { foldEvents } from '../analytics/applySessions.js'
import { type ArchiveFolder, readArchivedFiles } from '../archive/ArchivedFile.js'
import type { Logger } from '../Logger.js'
import { deleteFile } from '../privacy/deleteDay.js'
import { inTransaction } from '../store/transactions.js'
import type { Change, CoveredPart, LakeFile } from './lakeList.js'
import { planTakeOver, takeOver } from './takeOver.js'

export interface Step {
  change: Change
  /** The snapshot that the store has taken over before. */
  before: number
  /** The files that count as of the snapshot. */
  files: LakeFile[]
  parts: CoveredPart[]
}

/**
 * Takes a snapshot over in one transaction: what its files hold leaves the table, and the files come onto the store's
 * list. So an event is in the table or in a file that counts, wherever this is cut off, whoever has made the snapshot.
 */
export const adopt = async (
  connection: DuckDBConnection,
  { change: { snapshot, kind }, before, files, parts }: Step,
  { archive, logger }: { archive: ArchiveFolder; logger: Logger },
): Promise<void> => {
  const plan = await planTakeOver(connection, { snapshot, before, files, parts })
  // A store that skips snapshots cannot tell what became of the files of each.
  const isNext = snapshot === before + 1
  if (isNext && kind === 'retire') {
    // Their persons have fewer events from now on.
    for (const file of await readArchivedFiles(connection)) {
      const isThere = existsSync(join(archive.path, file.file))
      if (plan.gone.includes(file.file) && isThere) await deleteFile(connection, archive, file)
    }
  }
  const held = plan.fresh.reduce((sum, { events }) => sum + events, 0)
  const mayList = (deleted: number): boolean => {
    if (!isNext || kind !== 'add' || deleted === held) return true
    if (deleted > 0)
      throw new Error(
        `${deleted} events would be deleted, but the new files of snapshot ${snapshot} hold ${held}.`,
      )
    // Retention was here first: these events are no longer in any answer of this store.
    logger.warn('New files of the archive hold only events that were deleted here.', { events: held })
    return false
  }
  await inTransaction(connection, async () => {
    // The unfolded events are read from the table.
    await foldEvents(connection)
    await takeOver(connection, archive, plan, mayList)
  })
}
