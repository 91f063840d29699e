import type { DuckDBConnection } from '@duckdb/node-api'
import { makeAllEvents, ownColumns, pathsOf, readFiles } from './allEvents.js'
import { addArchivedFile, type ArchivedFile, type ArchiveFolder, readArchivedFiles } from './ArchivedFile.js'
import { nextStemOf, writeFile } from './writeFile.js'
import type { PersonId } from '../payloads/erasure.js'
import { namesAnonymousId, rowsOf, withoutAnonymousId } from '../schema/personRows.js'

/** A file and its replacement, which is undefined when no row is left. */
interface Replacement {
  old: ArchivedFile
  fresh: ArchivedFile | undefined
}

/**
 * Writes new files for those with events of persons, whose ids `setIds` and `findEvents` have taken, or with an anonymous
 * id of theirs in events of others. The store does not list the new files yet.
 */
export const eraseFromFiles = async (
  connection: DuckDBConnection,
  archive: ArchiveFolder,
  ids: readonly PersonId[],
): Promise<Replacement[]> => {
  const gone = rowsOf.events
  const environments = new Set(ids.map(({ environment }) => environment))
  const all = await readArchivedFiles(connection)
  const files = all.filter(({ environment }) => environments.has(environment))
  const replacements: Replacement[] = []
  for (const [at, path] of pathsOf(archive, files).entries()) {
    const old = files[at]!
    const source = `${readFiles([path])} t`
    const reader = await connection.runAndReadAll(
      `SELECT count(*) FILTER ((${gone}) IS NOT TRUE)::INTEGER, count(*) FILTER (${gone} OR ${namesAnonymousId})::INTEGER FROM ${source}`,
    )
    const [events, concerned] = reader.getRows()[0] as [number, number]
    if (concerned === 0) continue
    let fresh: ArchivedFile | undefined
    if (events > 0) {
      const rows = `SELECT ${ownColumns} ${withoutAnonymousId} FROM ${source} WHERE (${gone}) IS NOT TRUE`
      const file = await writeFile(connection, archive, { stem: nextStemOf(old.file), rows, events })
      fresh = { ...old, file, events }
    }
    replacements.push({ old, fresh })
  }
  return replacements
}

/** Lists the new files instead of the old ones. */
export const replaceFiles = async (
  connection: DuckDBConnection,
  archive: ArchiveFolder | undefined,
  replacements: readonly Replacement[],
): Promise<void> => {
  for (const { old, fresh } of replacements) {
    await connection.run('DELETE FROM analytics.raw.archived_files WHERE file = $1', [old.file])
    if (fresh !== undefined) await addArchivedFile(connection, fresh)
  }
  await makeAllEvents(connection, archive)
}
