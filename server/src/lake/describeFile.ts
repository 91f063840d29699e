import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { ArchiveFolder } from '../archive/ArchivedFile.js'
import type { EventColumn } from '../archive/eventColumns.js'
import { quoteIdentifier, quoteText } from '../store/quote.js'

/** What the list says of a column of a file, so that a reader can leave the file unopened. */
export interface ColumnStats {
  column_id: number
  nulls: number
  min: string | null
  max: string | null
}

/** A file that is about to be listed. */
export interface NewFile {
  path: string
  events: number
  bytes: number
  footer: number
  columns: ColumnStats[]
}

/** Bounds are listed for these columns alone: those of others could be ids of persons. */
const bounded = new Set(['seq', 'received_at', 'timestamp', 'environment'])

/** The last eight bytes of a Parquet file: the length of its footer, little-endian, and `PAR1`. */
const tailBytes = 8

const readSizes = async (path: string) => {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const tail = Buffer.alloc(tailBytes)
    await file.read(tail, 0, tailBytes, size - tailBytes)
    return { bytes: size, footer: tail.readUInt32LE() }
  } finally {
    await file.close()
  }
}

/** Reads what the list says of a file that was written. */
export const describeFile = async (
  connection: DuckDBConnection,
  { path: folder }: ArchiveFolder,
  { file, columns }: { file: string; columns: readonly EventColumn[] },
): Promise<NewFile> => {
  const path = join(folder, file)
  const values = columns.flatMap(({ name }) => {
    const column = quoteIdentifier(name)
    const bounds = bounded.has(name)
      ? [`min(${column})::VARCHAR`, `max(${column})::VARCHAR`]
      : ['NULL', 'NULL']
    return [`count(${column})::DOUBLE`, ...bounds]
  })
  const reader = await connection.runAndReadAll(
    `SELECT count(*)::DOUBLE, ${values.join(', ')} FROM read_parquet(${quoteText(path)}, hive_partitioning = false)`,
  )
  const [events, ...found] = reader.getRows()[0] as [number, ...(number | string | null)[]]
  return {
    path: file,
    events,
    ...(await readSizes(path)),
    columns: columns.map((_, at) => ({
      column_id: at + 1,
      nulls: events - (found[3 * at] as number),
      min: found[3 * at + 1] as string | null,
      max: found[3 * at + 2] as string | null,
    })),
  }
}
