import type { DuckDBConnection } from '@duckdb/node-api'

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
