import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type ArchiveFolder, type EventColumn, readArchivedFiles } from '../../archive/ArchivedFile.js'
import { quoteIdentifier, quoteText } from '../../duckdb/quote.js'
import { entriesOf, isThere, readArchiveId, readMarker, takeFolder } from '../../archive/bindArchive.js'
import { OperatorError } from '../../OperatorError.js'

/** Throws where the folder is there and belongs to somebody else. */
const checkMarker = (archive: ArchiveFolder, log: string): void => {
  const { path } = archive
  if (isThere(archive) && readMarker(archive).log !== log)
    throw new OperatorError(
      `The archive ${path} belongs to another log, or to one store; choose another folder.`,
    )
}

/** Makes a store one of those that share the archive of a log; gives the snapshot that it has taken over. */
export const bindToLake = async (
  connection: DuckDBConnection,
  archive: ArchiveFolder,
  log: string,
): Promise<number> => {
  const { path } = archive
  checkMarker(archive, log)
  const known = await readArchiveId(connection)
  if (known === log) {
    await connection.run('UPDATE analytics.raw.archive SET folder = $1', [path])
    const reader = await connection.runAndReadAll('SELECT snapshot::DOUBLE FROM analytics.raw.archive')
    return reader.getRows()[0]![0] as number
  }
  const files = (await readArchivedFiles(connection)).length
  if (files > 0) {
    throw new OperatorError(
      `The store has events in ${files} files of an archive of its own, and cannot share the archive ${path}: start it without --log, or export it and fill a new one.`,
    )
  }
  await connection.run('DELETE FROM analytics.raw.archive')
  await connection.run('INSERT INTO analytics.raw.archive VALUES ($1, $2, 0)', [log, path])
  return 0
}

/** Makes an empty folder the archive of a log. */
export const takeForLake = (archive: ArchiveFolder, log: string): void => {
  checkMarker(archive, log)
  const { path } = archive
  if (!isThere(archive) && entriesOf(path).length > 0)
    throw new OperatorError(`The archive ${path} holds other files; choose an empty or a new folder.`)
  takeFolder(archive, { log })
}

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
