import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type ArchiveFolder, readArchivedFiles } from './ArchivedFile.js'

/** The names that this service gives to files, also to incomplete ones. */
export const ours = /^environment=[^/]+\/day=[^/]+\/late=(true|false)\/events-[^/]+\.parquet(\.new)?$/

/**
 * Removes files that the store does not list. A kill leaves them while their events are still in the table; other
 * files are left when their events are erased, deleted for their age, or written to a newer file.
 */
export const removeUncounted = async (
  connection: DuckDBConnection,
  { path }: ArchiveFolder,
): Promise<void> => {
  if (!existsSync(path)) return
  const counted = new Set((await readArchivedFiles(connection)).map(({ file }) => file))
  const uncounted = readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll(sep, '/'))
    .filter((name) => ours.test(name) && !counted.has(name))
  for (const name of uncounted) rmSync(join(path, name), { force: true })
}
