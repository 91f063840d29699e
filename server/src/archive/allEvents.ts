import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { allEvents } from '../store/archiveSchema.js'
import { keyNames, keysOf } from '../store/keptColumns.js'
import { quoteText } from '../store/quote.js'
import { type ArchivedFile, type ArchiveFolder, readArchivedFiles } from './ArchivedFile.js'
import { boundsOfFiles, folderOfPart, folderTypes } from './dayParts.js'

/**
 * SQL that reads files. Day and lateness are columns taken from the files' paths, and so is the environment, by which
 * files are left unopened.
 */
export const readFiles = (paths: readonly string[]): string =>
  `read_parquet([${paths.map(quoteText).join(', ')}], hive_partitioning = true, hive_types = ${folderTypes})`

/** The columns that are in a file itself and not in its path. */
export const ownColumns = '* EXCLUDE (day, late)'

/**
 * DuckDB takes the columns from the first file of a list, which it therefore opens for every query. This makes a first
 * file that has no rows and is never missing.
 */
const writeColumns = async (connection: DuckDBConnection, { temp }: ArchiveFolder): Promise<string> => {
  const part = folderOfPart({ environment: 'none', day: '2000-01-01', late: false })
  const file = join(temp, 'archive-columns', part, 'columns.parquet')
  if (existsSync(file)) return file
  mkdirSync(dirname(file), { recursive: true })
  await connection.run(
    `COPY (SELECT * EXCLUDE (${keyNames}) FROM analytics.raw.events LIMIT 0) TO ${quoteText(file)} (FORMAT parquet)`,
  )
  return file
}

/**
 * DuckDB looks for every file of a list, even for files that it does not open, so one missing file would fail every
 * query. A missing file is therefore replaced by one that is not Parquet, which fails only the queries that open it.
 */
const pathOf = (archive: ArchiveFolder, { file }: ArchivedFile): string => {
  const path = join(archive.path, file)
  if (existsSync(path)) return path
  const replacement = join(archive.temp, 'archive-missing', file)
  if (!existsSync(replacement)) {
    mkdirSync(dirname(replacement), { recursive: true })
    writeFileSync(replacement, 'This file of the archive is missing.')
  }
  return replacement
}

export const pathsOf = (archive: ArchiveFolder, files: readonly ArchivedFile[]): string[] =>
  files.map((listed) => pathOf(archive, listed))

/** Makes the view of all events anew, with the files that the store lists now. */
export const makeAllEvents = async (
  connection: DuckDBConnection,
  archive: ArchiveFolder | undefined,
): Promise<void> => {
  const files = await readArchivedFiles(connection)
  const view = `CREATE OR REPLACE VIEW ${allEvents} AS FROM analytics.raw.events`
  if (archive === undefined || files.length === 0) {
    await connection.run(view)
    return
  }
  const paths = [await writeColumns(connection, archive), ...pathsOf(archive, files)]
  await connection.run(
    `${view} UNION ALL BY NAME SELECT * EXCLUDE (day, late), ${keysOf} FROM ${readFiles(paths)} r WHERE ${boundsOfFiles}`,
  )
}
