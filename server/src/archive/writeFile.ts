import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DuckDBConnection, DuckDBValue } from '@duckdb/node-api'
import { quoteIdentifier, quoteText } from '../store/quote.js'
import type { ArchiveFolder } from './ArchivedFile.js'
import { type DayPart, folderOfPart } from './dayParts.js'
import { putInPlace } from '../store/writeWhole.js'
import { readEventColumns } from './eventColumns.js'

/** A file lies three folders below the archive's own: environment, day and late. */
const depth = 3

const mark = () => randomBytes(4).toString('hex')

/** A new name for a file with the events of these sequences. It ends in random digits, so that no name is used twice. */
export const newFileOf = (part: DayPart, first: number, last: number): string =>
  `${folderOfPart(part)}/events-${first}-${last}-${mark()}.parquet`

/** Another name for the file that replaces this one. */
export const newNameOf = (file: string): string => file.replace(/-[^-/]+$/, `-${mark()}.parquet`)

/**
 * Writes rows to a new file, which gets its name only once it is whole and on disk. Its columns have the numbers by which
 * DuckLake knows them.
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
    `COPY (${rows}) TO ${quoteText(partial)} (FORMAT parquet, COMPRESSION zstd, FIELD_IDS {${ids.join(', ')}})`,
    values,
  )
  const reader = await connection.runAndReadAll(
    `SELECT count(*)::INTEGER FROM read_parquet(${quoteText(partial)})`,
  )
  const written = reader.getRows()[0]![0] as number
  if (written !== events) throw new Error(`${file} has ${written} events, but ${events} were to be written.`)
  await putInPlace(partial, target, depth + 1)
}
