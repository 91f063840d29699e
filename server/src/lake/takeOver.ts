import type { DuckDBConnection } from '@duckdb/node-api'
import { makeAllEvents } from '../archive/allEvents.js'
import { addArchivedFile, type ArchiveFolder, readArchivedFiles } from '../archive/ArchivedFile.js'
import { eventsOfPart, folderOf, folderOfPart } from '../archive/dayParts.js'
import type { CoveredPart, LakeFile } from './lakeList.js'

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
