import type { DuckDBConnection } from '@duckdb/node-api'
import { readArchivedFiles } from './ArchivedFile.js'
import { readArchivePath } from './bindArchive.js'

/** The archive that a store needs beside its data folder. */
export interface ArchiveInUse {
  folder: string
  files: number
  events: number
}

/** Describes the store's archive; undefined when no file of one is listed. */
export const describeArchive = async (connection: DuckDBConnection): Promise<ArchiveInUse | undefined> => {
  const files = await readArchivedFiles(connection)
  if (files.length === 0) return undefined
  const events = files.reduce((sum, file) => sum + file.events, 0)
  return { folder: (await readArchivePath(connection))!, files: files.length, events }
}
