import type { DuckDBConnection } from '@duckdb/node-api'
import { type ArchiveFolder, readArchivedFiles } from '../archive/ArchivedFile.js'
import { entriesOf, isThere, readArchiveId, readMarker, takeFolder } from '../archive/bindArchive.js'
import { OperatorError } from '../OperatorError.js'

/** Throws where the folder is there and belongs to somebody else. */
const checkMarker = (archive: ArchiveFolder, log: string): void => {
  const { path } = archive
  if (isThere(archive) && readMarker(archive).log !== log)
    throw new OperatorError(
      `The archive ${path} belongs to another log, or to one store; choose another folder.`,
    )
}

/** Makes a store one of those that share the archive of a log; gives the snapshot that it has taken over. */
export const bindToLake = async (
  connection: DuckDBConnection,
  archive: ArchiveFolder,
  log: string,
): Promise<number> => {
  const { path } = archive
  checkMarker(archive, log)
  const known = await readArchiveId(connection)
  if (known === log) {
    await connection.run('UPDATE analytics.raw.archive SET folder = $1', [path])
    const reader = await connection.runAndReadAll('SELECT snapshot::DOUBLE FROM analytics.raw.archive')
    return reader.getRows()[0]![0] as number
  }
  const files = (await readArchivedFiles(connection)).length
  if (files > 0) {
    throw new OperatorError(
      `The store has events in ${files} files of an archive of its own, and cannot share the archive ${path}: start it without --log, or export it and fill a new one.`,
    )
  }
  await connection.run('DELETE FROM analytics.raw.archive')
  await connection.run('INSERT INTO analytics.raw.archive VALUES ($1, $2, 0)', [log, path])
  return 0
}

/** Makes an empty folder the archive of a log. */
export const takeForLake = (archive: ArchiveFolder, log: string): void => {
  checkMarker(archive, log)
  const { path } = archive
  if (!isThere(archive) && entriesOf(path).length > 0)
    throw new OperatorError(`The archive ${path} holds other files; choose an empty or a new folder.`)
  takeFolder(archive, { log })
}
