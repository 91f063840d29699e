import type { DuckDBConnection } from '@duckdb/node-api'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { makeAllEvents } from '../../archive/allEvents.js'
import {
  addArchivedFile,
  type ArchivedFile,
  type ArchiveFolder,
  eventsOfPart,
  folderOf,
  folderOfPart,
  readArchivedFiles,
} from '../../archive/ArchivedFile.js'
import type { CoveredPart, LakeFile, Change } from './lakeList.js'
import { foldEvents } from '../../schema/applySessions.js'
import type { Logger } from '../../Logger.js'
import { inTransaction } from '../../duckdb/transactions.js'

interface Step {
  change: Change
  /** The snapshot that the store has taken over before. */
  before: number
  /** The files that count as of the snapshot. */
  files: LakeFile[]
  parts: CoveredPart[]
}

export interface Adopting {
  archive: ArchiveFolder
  logger: Logger
  /** Takes a file off the store's list, and its events from the persons. */
  deleteFile(connection: DuckDBConnection, archive: ArchiveFolder, file: ArchivedFile): Promise<unknown>
}

/**
 * Takes a snapshot over in one transaction: what its files hold leaves the table, and the files come onto the store's
 * list. So an event is in the table or in a file that counts, wherever this is cut off, whoever has made the snapshot.
 */
export const adopt = async (
  connection: DuckDBConnection,
  { change: { snapshot, kind }, before, files, parts }: Step,
  { archive, logger, deleteFile }: Adopting,
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

/** How a store's list of files becomes that of a snapshot. */
export interface TakeOver {
  snapshot: number
  /** Files that no longer count. */
  gone: string[]
  /** Files that count from now on. */
  fresh: LakeFile[]
  /** What leaves the store's table because files hold it. */
  parts: CoveredPart[]
}

/** Compares a store's list with the files that count as of a snapshot. */
export const planTakeOver = async (
  connection: DuckDBConnection,
  {
    snapshot,
    before,
    files,
    parts,
  }: Pick<TakeOver, 'snapshot' | 'parts'> & { before: number; files: LakeFile[] },
): Promise<TakeOver> => {
  const counted = new Set(files.map(({ file }) => file))
  const own = await readArchivedFiles(connection)
  const gone = own.map(({ file }) => file).filter((file) => !counted.has(file))
  const changed = new Set([...gone.map(folderOf), ...parts.map(folderOfPart)])
  // An erase or a merge may write files anew that this store's retention has taken off its list: all those of a part.
  const isListed = ({ file, made }: LakeFile) => made === 'add' || changed.has(folderOf(file))
  return { snapshot, gone, fresh: files.filter((file) => file.begin > before && isListed(file)), parts }
}

/**
 * Deletes what the files hold from the table, and changes the list, inside the caller's transaction. `mayList` says, by
 * the number of events that were deleted, whether the new files come onto the list.
 */
export const takeOver = async (
  connection: DuckDBConnection,
  archive: ArchiveFolder,
  { snapshot, gone, fresh, parts }: TakeOver,
  mayList: (deleted: number) => boolean = () => true,
): Promise<void> => {
  let deleted = 0
  for (const part of parts) {
    const { rowsChanged } = await connection.run(
      `DELETE FROM analytics.raw.events e WHERE ${eventsOfPart(part)} AND e.seq <= ${part.through}`,
      { environment: part.environment },
    )
    deleted += rowsChanged
  }
  for (const file of gone)
    await connection.run('DELETE FROM analytics.raw.archived_files WHERE file = $1', [file])
  for (const file of mayList(deleted) ? fresh : []) await addArchivedFile(connection, file)
  await connection.run('UPDATE analytics.raw.archive SET snapshot = $1::BIGINT', [snapshot])
  await makeAllEvents(connection, archive)
}
