import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { allEvents, timedEvents } from '../schema/analyticsSchema.js'
import { keyNames, keysOf } from '../schema/derivedColumns.js'
import { quoteText } from '../duckdb/quote.js'
import {
  type ArchivedFile,
  type ArchiveFolder,
  folderOfPart,
  folderTypes,
  isLateFile,
  readArchivedFiles,
  receptionOfFiles,
  timesOfFiles,
} from './ArchivedFile.js'
import { hashMarkOf, readHashMark } from './writeFile.js'

/**
 * SQL that reads files. Day and lateness are columns taken from the files' paths, and so is the environment, by which
 * files are left unopened.
 */
export const readFiles = (paths: readonly string[]): string =>
  `read_parquet([${paths.map(quoteText).join(', ')}], hive_partitioning = true, hive_types = ${folderTypes})`

/** The columns that are in a file itself and not in its path. */
export const ownColumns = '* EXCLUDE (day, late)'
/** Those columns, with keys made anew: another DuckDB, which hashes differently, has written the file. */
const withNewKeys = `* EXCLUDE (day, late, ${keyNames}), ${keysOf}`

/**
 * DuckDB takes the columns from the first file of a list, which it therefore opens for every query. This makes a first
 * file that has no rows and is never missing.
 */
const writeColumns = async (connection: DuckDBConnection, { temp }: ArchiveFolder): Promise<string> => {
  const part = folderOfPart({ environment: 'none', day: '2000-01-01', late: false })
  const file = join(temp, 'archive-columns', part, 'columns.parquet')
  if (existsSync(file)) return file
  mkdirSync(dirname(file), { recursive: true })
  await connection.run(`COPY (FROM analytics.raw.events LIMIT 0) TO ${quoteText(file)} (FORMAT parquet)`)
  return file
}

const replacements = 'archive-missing'

/**
 * DuckDB looks for every file of a list, even for files that it does not open, so one missing file would fail every
 * query. A missing file is therefore replaced by one that is not Parquet, which fails only the queries that open it. So
 * is a damaged one, whose values may be others than were stored.
 */
const pathOf = (archive: ArchiveFolder, { file }: ArchivedFile): string => {
  const path = join(archive.path, file)
  if (existsSync(path) && !archive.damaged.has(file)) return path
  const replacement = join(archive.temp, replacements, file)
  if (!existsSync(replacement)) {
    mkdirSync(dirname(replacement), { recursive: true })
    writeFileSync(replacement, 'This file of the archive is missing or damaged.')
  }
  return replacement
}

export const pathsOf = (archive: ArchiveFolder, files: readonly ArchivedFile[]): string[] =>
  files.map((listed) => pathOf(archive, listed))

/**
 * SQL for the events of some files, and what is true for all of them. Files are read apart by what has to be known of
 * them: to plan a question takes the longer the more a condition says, for each file.
 */
const eventsOfFiles = async (
  connection: DuckDBConnection,
  archive: ArchiveFolder,
  files: readonly ArchivedFile[],
): Promise<{ events: string; times: string }[]> => {
  const columns = await writeColumns(connection, archive)
  const mark = await readHashMark(connection)
  return [false, true].flatMap((late) =>
    [true, false].flatMap((isFit) => {
      const listed = files.filter(
        ({ file }) => isLateFile(file) === late && (hashMarkOf(file) === mark) === isFit,
      )
      const paths = [columns, ...pathsOf(archive, listed)]
      const events = `SELECT ${isFit ? ownColumns : withNewKeys} FROM ${readFiles(paths)} r`
      return listed.length > 0 ? [{ events, times: timesOfFiles({ late }) }] : []
    }),
  )
}

/** The files that were missing when the views of all events were made, sorted. */
export const readReplaced = async (connection: DuckDBConnection): Promise<string[]> => {
  const reader = await connection.runAndReadAll(
    `SELECT DISTINCT unnest(regexp_extract_all(sql, '/${replacements}/((?:[^'']|'''')*)', 1)) AS file FROM duckdb_views()
     WHERE concat_ws('.', database_name, schema_name, view_name) = $1`,
    [allEvents],
  )
  return reader
    .getRows()
    .map(([file]) => (file as string).replaceAll("''", "'"))
    .toSorted()
}

/** Makes the views of all events anew, with the files that the store lists now. */
export const makeAllEvents = async (
  connection: DuckDBConnection,
  archive: ArchiveFolder | undefined,
): Promise<void> => {
  const files = await readArchivedFiles(connection)
  const sources =
    archive === undefined || files.length === 0 ? [] : await eventsOfFiles(connection, archive, files)
  for (const [view, more] of [
    [allEvents, ` AND ${receptionOfFiles}`],
    [timedEvents, ''],
  ] as const) {
    const parts = sources.map(({ events, times }) => ` UNION ALL BY NAME ${events} WHERE ${times}${more}`)
    await connection.run(`CREATE OR REPLACE VIEW ${view} AS FROM analytics.raw.events${parts.join('')}`)
  }
}
