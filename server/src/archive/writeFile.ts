import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import { quoteIdentifier, quoteText } from '../duckdb/quote.js'
import {
  type ArchiveFolder,
  type DayPart,
  eventsOfPart,
  folderOfPart,
  hashMark,
  readEventColumns,
} from './ArchivedFile.js'
import { putInPlace } from '../disk/writeWhole.js'

/** The first events of a part, in a new file that no list has yet. */
interface Slice {
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

/** A file lies three folders below the archive's own: environment, day and late. */
const depth = 3

/** A row group is what one thread reads, and holds a column of it in memory at once. This is DuckDB's own size. */
const groupRows = 122_880

/**
 * Most questions are about events of some name, or of all names: so each row group has the events of some hours, by
 * their names. Rows of other names are then left out by the thousand. To order a whole file by names would tear visits
 * apart, and the ids of each would be written several times.
 */
const order = `(row_number() OVER () - 1) // ${groupRows}, event, seq`

const randomMark = () => randomBytes(4).toString('hex')

/** How DuckDB hashes, by a mark that a file with keys has in its name. */
export const readHashMark = async (connection: DuckDBConnection): Promise<string> =>
  (await connection.runAndReadAll(hashMark)).getRows()[0]![0] as string

/*
 * The name of a file: `events-`, the sequences of its first and last event, each with a `-` behind it, a mark of 8
 * letters of the hashes that are its keys, 8 random hexadecimal digits, so that no name is used twice, the SHA-256 of
 * its bytes in 64 hexadecimal digits, `.parquet`.
 * Check: the bytes have the SHA-256 of the name. So the list of files, which has the names, says what is in them.
 * Another version: a store of another version is refused.
 */

/** The beginning of a new name for a file with the events of these sequences; `writeFile` adds the rest. */
export const newStemOf = async (
  connection: DuckDBConnection,
  part: DayPart,
  { first, last }: { first: number; last: number },
): Promise<string> =>
  `${folderOfPart(part)}/events-${first}-${last}-${await readHashMark(connection)}${randomMark()}`

const nameEnd = /-([^-/]{8})[^-/]*$/

/** The mark of the hashes that are the keys in a file. */
export const hashMarkOf = (file: string): string | undefined => nameEnd.exec(file)?.[1]

/** The sequences of the first and the last event that a file was made of. */
export const sequencesOf = (file: string): { first: number; last: number } => {
  const [, first, last] = /\/events-(\d+)-(\d+)-/.exec(file)!
  return { first: Number(first), last: Number(last) }
}

/** The beginning of another name for the file that replaces this one, and has its keys. */
export const nextStemOf = (file: string): string => file.replace(nameEnd, `-$1${randomMark()}`)

const sha256Of = async (path: string): Promise<string> => {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 2 ** 20 }), hash)
  return hash.digest('hex')
}

/** Whether a file of the archive has the bytes that were written. */
export const isAsWritten = async ({ path }: Pick<ArchiveFolder, 'path'>, file: string): Promise<boolean> =>
  file.endsWith(`${await sha256Of(join(path, file))}.parquet`)

/**
 * Writes rows, which come about in the order of their sequences, to a new file, and resolves to its name. It gets the name
 * only once it is whole and on disk. Its columns have the numbers by which DuckLake knows them.
 *
 * Parquet's second version writes numbers that grow as differences: files are smaller, and read in less time.
 */
export const writeFile = async (
  connection: DuckDBConnection,
  { path }: ArchiveFolder,
  {
    stem,
    rows,
    values = {},
    events,
  }: { stem: string; rows: string; values?: Record<string, DuckDBValue>; events: number },
): Promise<string> => {
  const partial = join(path, `${stem}.parquet.new`)
  await mkdir(dirname(partial), { recursive: true, mode: 0o700 })
  const ids = (await readEventColumns(connection)).map(
    ({ name }, at) => `${quoteIdentifier(name)}: ${at + 1}`,
  )
  await connection.run(
    `COPY (SELECT * FROM (${rows}) ORDER BY ${order}) TO ${quoteText(partial)}
       (FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, ROW_GROUP_SIZE ${groupRows}, FIELD_IDS {${ids.join(', ')}})`,
    values,
  )
  const reader = await connection.runAndReadAll(
    `SELECT count(*)::INTEGER FROM read_parquet(${quoteText(partial)})`,
  )
  const written = reader.getRows()[0]![0] as number
  if (written !== events) throw new Error(`${stem} has ${written} events, but ${events} were to be written.`)
  const file = `${stem}${await sha256Of(partial)}.parquet`
  await putInPlace(partial, join(path, file), depth + 1)
  return file
}
