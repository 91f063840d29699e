import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { fine, type Finding, wrong } from './Finding.js'
import { readFiles } from '../archive/allEvents.js'
import { type ArchivedFile, readArchivedFiles } from '../archive/ArchivedFile.js'
import { readArchivePath } from '../archive/bindArchive.js'
import { hashMarkOf, isAsWritten, readHashMark } from '../archive/writeFile.js'
import { keptWrongly } from '../store/keptColumns.js'

/** Reads a file, and says what is wrong; undefined when it has the bytes that were written, and the events that the store lists. */
const findFault = async (
  connection: DuckDBConnection,
  folder: string,
  { file, environment, day, events, mark }: ArchivedFile & { mark: string },
): Promise<string | undefined> => {
  const path = join(folder, file)
  if (!existsSync(path)) return 'is missing'
  try {
    if (!(await isAsWritten({ path: folder }, file))) return 'has not the bytes that were written'
    const reader = await connection.runAndReadAll(
      `SELECT count(*)::INTEGER, count(*) FILTER (r.environment IS DISTINCT FROM $environment
         OR strftime(timezone('UTC', received_at), '%Y-%m-%d') IS DISTINCT FROM $day)::INTEGER,
         count(*) FILTER (${hashMarkOf(file) === mark ? keptWrongly : 'false'})::INTEGER
       FROM ${readFiles([path])} r`,
      { environment, day },
    )
    const [rows, misplaced, unlike] = reader.getRows()[0] as [number, number, number]
    if (rows !== events) return `has ${rows} events, and the store lists ${events}`
    if (misplaced > 0) return `has ${misplaced} events of other days or environments`
    return unlike === 0 ? undefined : `has ${unlike} events with columns that are not what the others say`
  } catch (error) {
    // A statement that fails ends its transaction, and the next file needs one.
    await connection.run('ROLLBACK')
    await connection.run('BEGIN TRANSACTION')
    return `cannot be read (${(error as Error).message.split('\n', 1)[0]})`
  }
}

/** Checks that each file that the store lists is there and has its events. */
export const checkArchive = async (connection: DuckDBConnection): Promise<Finding[]> => {
  const files = await readArchivedFiles(connection)
  if (files.length === 0) return []
  const folder = (await readArchivePath(connection))!
  const mark = await readHashMark(connection)
  const findings: Finding[] = []
  for (const file of files) {
    const fault = await findFault(connection, folder, { ...file, mark })
    if (fault !== undefined) findings.push(wrong(`${join(folder, file.file)} ${fault}.`))
  }
  const events = files.reduce((sum, file) => sum + file.events, 0)
  return findings.length > 0
    ? findings
    : [fine(`${folder}: ${files.length} files of the archive with ${events} events, as the store says.`)]
}
