import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { allEvents } from '../store/archiveSchema.js'
import { quoteText } from '../store/quote.js'
import { type ArchivedFile, type ArchiveFolder, readArchivedFiles } from './ArchivedFile.js'
import { boundsOfFiles, folderOfPart, folderTypes } from './dayParts.js'

/** `read_parquet` of files, with what their paths say as columns. */
export const readFiles = (paths: readonly string[]): string =>
  `read_parquet([${paths.map(quoteText).join(', ')}], hive_partitioning = true, hive_types = ${folderTypes})`

/** The columns of a file's rows that are in the file. */
export const ownColumns = '* EXCLUDE (environment, day, late)'

/**
 * DuckDB takes the columns from the first file of a list, which it opens for every question. This one
 * has no rows and cannot be missing.
 */
const writeColumns = async (connection: DuckDBConnection, { temp }: ArchiveFolder): Promise<string> => {
  const part = folderOfPart({ environment: 'none', day: '2000-01-01', late: false })
  const file = join(temp, 'archive-columns', part, 'columns.parquet')
  if (existsSync(file)) return file
  mkdirSync(dirname(file), { recursive: true })
  await connection.run(
    `COPY (SELECT * EXCLUDE (environment) FROM analytics.raw.events LIMIT 0) TO ${quoteText(file)} (FORMAT parquet)`,
  )
  return file
}

/**
 * DuckDB looks for every file of a list, also for those that it does not open, and a missing one would
 * fail every question. In its place stands one that is no Parquet file: it fails those that need it.
 */
const pathOf = (archive: ArchiveFolder, { file }: ArchivedFile): string => {
  const path = join(archive.path, file)
  if (existsSync(path)) return path
  const stand = join(archive.temp, 'archive-missing', file)
  if (!existsSync(stand)) {
    mkdirSync(dirname(stand), { recursive: true })
    writeFileSync(stand, 'This file of the archive is missing.')
  }
  return stand
}

export const pathsOf = (archive: ArchiveFolder, files: readonly ArchivedFile[]): string[] =>
  files.map((listed) => pathOf(archive, listed))

/** Makes the view of all events, of the files that count now. */
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
    `${view} UNION ALL BY NAME SELECT * EXCLUDE (day, late) FROM ${readFiles(paths)} r WHERE ${boundsOfFiles}`,
  )
}
