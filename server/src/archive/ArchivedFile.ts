import type { DuckDBConnection } from '@duckdb/node-api'

export interface EventColumn {
  name: string
  /** DuckDB's name of the type. */
  type: string
}

/** The columns of events, in the table and in files. */
export const readEventColumns = async (connection: DuckDBConnection): Promise<EventColumn[]> => {
  const reader = await connection.runAndReadAll(
    `SELECT column_name AS name, column_type AS type FROM (DESCRIBE analytics.raw.events)`,
  )
  return reader.getRowObjects() as unknown as EventColumn[]
}

/**
 * SQL that hashes texts of 0 to 63 characters, short and long ones as DuckDB keeps them apart. The result changes when
 * DuckDB hashes differently: then all hashes that were kept are wrong, those of ids and those of insert ids.
 */
export const hashSample = `
SELECT md5_number_lower(string_agg(hash(repeat('é', n), left(repeat('waymark', 10), n))::VARCHAR, ' ' ORDER BY n))
FROM range(64) AS text (n)`

/** SQL for eight signs that say how DuckDB hashes. */
export const hashMark = `SELECT printf('%08x', ((${hashSample}) % 4294967296)::UBIGINT)`

/** A file of the archive that the store lists. It holds events of one environment that were received on one day. */
export interface ArchivedFile {
  /** The path within the archive's folder. */
  file: string
  environment: string
  /** The day in UTC, such as 2026-01-31. */
  day: string
  events: number
}

/** An archive that this process reads, and may write. */
export interface ArchiveFolder {
  path: string
  /** The store's folder for files that may be lost. */
  temp: string
  /** Whether all stores that follow a log in PostgreSQL share it. */
  isShared: boolean
  /** Files that were found not to have the bytes that were written. */
  damaged: Set<string>
}

export const readArchivedFiles = async (connection: DuckDBConnection): Promise<ArchivedFile[]> => {
  const reader = await connection.runAndReadAll(
    `SELECT file, environment, day::VARCHAR AS day, events::INTEGER AS events FROM analytics.raw.archived_files
     ORDER BY day, environment, file`,
  )
  return reader.getRowObjects() as unknown as ArchivedFile[]
}

export const addArchivedFile = async (
  connection: DuckDBConnection,
  { file, environment, day, events }: ArchivedFile,
): Promise<void> => {
  await connection.run('INSERT INTO analytics.raw.archived_files VALUES ($1, $2, $3::DATE, $4::BIGINT)', [
    file,
    environment,
    day,
    events,
  ])
}
