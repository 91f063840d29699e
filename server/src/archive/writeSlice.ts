import type { DuckDBConnection } from '@duckdb/node-api'
import type { ArchiveFolder } from './ArchivedFile.js'
import { type DayPart, eventsOfPart } from './dayParts.js'
import { newStemOf, writeFile } from './writeFile.js'

/** The first events of a part, in a new file that no list has yet. */
export interface Slice {
  file: string
  events: number
  /** The sequence of the last event. */
  last: number
  /** SQL for the events in the table, after FROM, given `$environment`. */
  source: string
}

/** Writes the first events of a part to a file; undefined when the table has none. */
export const writeSlice = async (
  connection: DuckDBConnection,
  archive: ArchiveFolder,
  { part, most }: { part: DayPart; most: number },
): Promise<Slice | undefined> => {
  const { environment } = part
  const reader = await connection.runAndReadAll(
    `SELECT count(*)::INTEGER, min(seq)::DOUBLE, max(seq)::DOUBLE FROM (
       SELECT seq FROM analytics.raw.events e WHERE ${eventsOfPart(part)} ORDER BY seq LIMIT ${most})`,
    { environment },
  )
  const [events, first, last] = reader.getRows()[0] as [number, number, number]
  if (events === 0) return undefined
  const source = `analytics.raw.events e WHERE ${eventsOfPart(part)} AND e.seq >= ${first} AND e.seq <= ${last}`
  const stem = await newStemOf(connection, part, { first, last })
  const rows = `FROM ${source}`
  const file = await writeFile(connection, archive, { stem, rows, values: { environment }, events })
  return { file, events, last, source }
}
