import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type ArchiveFolder, readArchivedFiles } from './ArchivedFile.js'

/** Names that this service gives, with the ending of a file that is not complete. */
const ours = /^environment=[^/]+\/day=[^/]+\/late=(true|false)\/events-[^/]+\.parquet(\.new)?$/

/**
 * Removes files that do not count: those that a kill left, whose events are in the table, and those
 * whose events are erased, deleted for their age, or in a newer file.
 */
export const removeUncounted = async (
  connection: DuckDBConnection,
  { path }: ArchiveFolder,
): Promise<void> => {
  if (!existsSync(path)) return
  const counted = new Set((await readArchivedFiles(connection)).map(({ file }) => file))
  const left = readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll(sep, '/'))
    .filter((name) => ours.test(name) && !counted.has(name))
  for (const name of left) rmSync(join(path, name), { force: true })
}
