import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import { quoteIdentifier, quoteText } from '../store/quote.js'
import { hashMark } from '../analytics/hashSample.js'
import type { ArchiveFolder } from './ArchivedFile.js'
import { type DayPart, folderOfPart } from './dayParts.js'
import { putInPlace } from '../store/writeWhole.js'
import { readEventColumns } from './eventColumns.js'

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

/**
 * A new name for a file with the events of these sequences. It ends in a mark of the hashes that are its keys, and in
 * random digits, so that no name is used twice.
 */
export const newFileOf = async (
  connection: DuckDBConnection,
  part: DayPart,
  { first, last }: { first: number; last: number },
): Promise<string> =>
  `${folderOfPart(part)}/events-${first}-${last}-${await readHashMark(connection)}${randomMark()}.parquet`

const nameEnd = /-([^-/]{8})[^-/]*$/

/** The mark of the hashes that are the keys in a file. */
export const hashMarkOf = (file: string): string | undefined => nameEnd.exec(file)?.[1]

/** The sequences of the first and the last event that a file was made of. */
export const sequencesOf = (file: string): { first: number; last: number } => {
  const [, first, last] = /\/events-(\d+)-(\d+)-/.exec(file)!
  return { first: Number(first), last: Number(last) }
}

/** Another name for the file that replaces this one, and has its keys. */
export const newNameOf = (file: string): string => file.replace(nameEnd, `-$1${randomMark()}.parquet`)

/**
 * Writes rows, which come about in the order of their sequences, to a new file. It gets its name only once it is whole and on disk. Its
 * columns have the numbers by which DuckLake knows them.
 *
 * Parquet's second version writes numbers that grow as differences: files are smaller, and read in less time.
 */
export const writeFile = async (
  connection: DuckDBConnection,
  { path }: ArchiveFolder,
  {
    file,
    rows,
    values = {},
    events,
  }: { file: string; rows: string; values?: Record<string, DuckDBValue>; events: number },
): Promise<void> => {
  const target = join(path, file)
  const partial = `${target}.new`
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
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
  if (written !== events) throw new Error(`${file} has ${written} events, but ${events} were to be written.`)
  await putInPlace(partial, target, depth + 1)
}
