import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import {
  type ArchivedFile,
  type ArchiveFolder,
  dayOfFile,
  type DayPart,
  environmentOfFile,
  readArchivedFiles,
  readEventColumns,
} from '../../archive/ArchivedFile.js'
import type { ServerConnection } from '../ServerConnection.js'
import { eventsTable, lakeChannel } from '../logSchema.js'
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
interface ColumnStats {
  column_id: number
  nulls: number
  min: string | null
  max: string | null
}

/** A file that is about to be listed. */
interface NewFile {
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
  file: string,
): Promise<NewFile> => {
  const path = join(folder, file)
  const columns = await readEventColumns(connection)
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

/**
 * Why a snapshot was made. `add`: events left the stores. `erase`: files were written anew without persons. `retire`:
 * files were taken off the list for their age. `merge`: small files became one.
 */
export type ChangeKind = 'begin' | 'add' | 'erase' | 'retire' | 'merge'

export interface Change {
  snapshot: number
  kind: ChangeKind
  /** A store must have this row of the log before it takes the snapshot over. */
  through: number
}

/** A file as of a snapshot. */
export interface LakeFile extends ArchivedFile {
  /** The snapshot from which on it counts. */
  begin: number
  /** The snapshot from which on it no longer counts. */
  end: number | undefined
  /** Why the snapshot was made from which on it counts. */
  made: ChangeKind
}

interface Outlook {
  /** The oldest snapshot that is kept, and the newest. */
  oldest: number
  newest: number
  /** The next changes behind a snapshot. */
  changes: Change[]
}

/** How many changes are read at once. */
const maxChanges = 1000

/** Reads what has changed behind a snapshot; undefined when there is no lake yet. */
export const readOutlook = async (
  connection: ServerConnection,
  after: number,
): Promise<Outlook | undefined> => {
  const [bounds] = await connection.ask<{ oldest: number | null; newest: number | null }>(
    'SELECT min(snapshot_id)::float8 AS oldest, max(snapshot_id)::float8 AS newest FROM waymark.ducklake_snapshot',
  )
  const { oldest, newest } = bounds!
  if (oldest === null || newest === null) return undefined
  if (newest <= after) return { oldest, newest, changes: [] }
  const changes = await connection.ask<Change>(
    `SELECT snapshot_id::float8 AS snapshot, kind, through::float8 AS through FROM waymark.lake_changes
     WHERE snapshot_id > $1 ORDER BY 1 LIMIT ${maxChanges}`,
    [after],
  )
  return { oldest, newest, changes }
}

/** Reads the files that count as of a snapshot. */
export const readLakeFiles = async (connection: ServerConnection, snapshot: number): Promise<LakeFile[]> => {
  const rows = await connection.ask<Omit<LakeFile, 'environment' | 'day' | 'end'> & { end: number | null }>(
    `SELECT path AS file, record_count::float8 AS events, begin_snapshot::float8 AS begin,
       end_snapshot::float8 AS "end", kind AS made
     FROM waymark.ducklake_data_file JOIN waymark.lake_changes ON snapshot_id = begin_snapshot
     WHERE begin_snapshot <= $1 AND (end_snapshot IS NULL OR end_snapshot > $1) ORDER BY data_file_id`,
    [snapshot],
  )
  return rows.map((row) => ({
    ...row,
    end: row.end ?? undefined,
    environment: environmentOfFile(row.file),
    day: dayOfFile(row.file),
  }))
}

/** A part, and the row of the log up to which the files hold its events. */
export interface CoveredPart extends DayPart {
  through: number
}

/** Reads what the files of the snapshots behind one hold that those of that one did not. */
export const readParts = (
  connection: ServerConnection,
  { after, through }: { after: number; through: number },
): Promise<CoveredPart[]> =>
  connection.ask<CoveredPart>(
    `SELECT environment, to_char(day, 'YYYY-MM-DD') AS day, late, max(through)::float8 AS through
     FROM waymark.lake_parts WHERE snapshot_id > $1 AND snapshot_id <= $2 GROUP BY environment, lake_parts.day, late`,
    [after, through],
  )

export interface Commit {
  /** The new snapshot: the one after the newest. */
  snapshot: number
  kind: ChangeKind
  through: number
  /** The paths of files that no longer count. */
  ended: readonly string[]
  begun: readonly NewFile[]
  /** The part whose events up to `through` are in the files from now on. */
  part?: DayPart
  /** The tasks of the erases for which it is made. */
  erased?: readonly string[]
}

const changesMade = ({ kind, ended, begun }: Commit): string =>
  kind === 'merge'
    ? `merge_adjacent:${eventsTable}`
    : [
        ...(begun.length > 0 ? [`inserted_into_table:${eventsTable}`] : []),
        ...(ended.length > 0 ? [`deleted_from_table:${eventsTable}`] : []),
      ].join(',')

/** One statement, and so one transaction. Where another process has made the snapshot, nothing is changed, and no row comes back. */
const commitSql = `
WITH before AS (
  SELECT s.schema_version, s.next_catalog_id, s.next_file_id, t.next_row_id
  FROM waymark.ducklake_snapshot s, waymark.ducklake_table_stats t
  WHERE snapshot_id = $1::bigint - 1 AND snapshot_id = (SELECT max(snapshot_id) FROM waymark.ducklake_snapshot)
), files AS (
  SELECT *, sum(events) OVER (ORDER BY at) - events AS rows_before
  FROM json_to_recordset($5) AS f (at bigint, path text, events bigint, bytes bigint, footer bigint, columns json)
), snapshot AS (
  INSERT INTO waymark.ducklake_snapshot
  SELECT $1::bigint, now(), schema_version, next_catalog_id, next_file_id + (SELECT count(*) FROM files) FROM before
  RETURNING snapshot_id
), changes AS (
  INSERT INTO waymark.ducklake_snapshot_changes (snapshot_id, changes_made) SELECT $1::bigint, $6 FROM before
), why AS (
  INSERT INTO waymark.lake_changes SELECT $1::bigint, $2::text, $3::bigint FROM before
), ended AS (
  UPDATE waymark.ducklake_data_file SET end_snapshot = $1::bigint FROM before
  WHERE path = ANY ($4::text[]) AND end_snapshot IS NULL RETURNING record_count, file_size_bytes
), begun AS (
  INSERT INTO waymark.ducklake_data_file (data_file_id, table_id, begin_snapshot, file_order, path, path_is_relative,
    file_format, record_count, file_size_bytes, footer_size, row_id_start)
  SELECT next_file_id + at, ${eventsTable}, $1::bigint, next_file_id + at, path, true, 'parquet', events, bytes, footer,
    next_row_id + rows_before
  FROM files, before
), columns AS (
  INSERT INTO waymark.ducklake_file_column_stats (data_file_id, table_id, column_id, value_count, null_count, min_value,
    max_value)
  SELECT next_file_id + at, ${eventsTable}, c.column_id, events, c.nulls, c.min, c.max
  FROM before, files, json_to_recordset(columns) AS c (column_id bigint, nulls bigint, min text, max text)
), stats AS (
  UPDATE waymark.ducklake_table_stats t SET
    record_count = t.record_count + (SELECT coalesce(sum(events), 0) FROM files)
      - (SELECT coalesce(sum(record_count), 0) FROM ended),
    next_row_id = t.next_row_id + (SELECT coalesce(sum(events), 0) FROM files),
    file_size_bytes = t.file_size_bytes + (SELECT coalesce(sum(bytes), 0) FROM files)
      - (SELECT coalesce(sum(file_size_bytes), 0) FROM ended)
  FROM before
), part AS (
  INSERT INTO waymark.lake_parts
  SELECT $1::bigint, environment, day, late, $3::bigint
  FROM before, json_to_recordset($7) AS p (environment text, day date, late boolean)
), erased AS (
  INSERT INTO waymark.lake_erased SELECT task, $1::bigint, false FROM before, unnest($8::text[]) AS task
)
SELECT pg_notify('${lakeChannel}', '') FROM snapshot`

/** Makes a snapshot. Rejects when another process has made one meanwhile. */
export const commitSnapshot = async (connection: ServerConnection, commit: Commit): Promise<void> => {
  const { snapshot, kind, through, ended, begun, part, erased = [] } = commit
  const files = begun.map((file, at) => ({ at, ...file }))
  const made = await connection.ask(commitSql, [
    ...[snapshot, kind, through, ended, JSON.stringify(files), changesMade(commit)],
    JSON.stringify(part === undefined ? [] : [part]),
    erased,
  ])
  if (made.length === 0) throw new Error(`another process has made snapshot ${snapshot} of the archive`)
}
