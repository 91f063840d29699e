import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { ArchivedFile, ArchiveFolder } from './ArchivedFile.js'

/** Names that this service gives, with the ending of a file that is not complete. */
const ours = /^environment=[^/]+\/day=[^/]+\/late=(true|false)\/events-[^/]+\.parquet(\.new)?$/

/**
 * Removes files that do not count: those that a kill left, whose events are in the table, and those
 * whose events are erased, deleted for their age, or in a newer file.
 */
export const removeUncounted = ({ path }: ArchiveFolder, files: readonly ArchivedFile[]): number => {
  if (!existsSync(path)) return 0
  const counted = new Set(files.map(({ file }) => file))
  const left = readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll(sep, '/'))
    .filter((name) => ours.test(name) && !counted.has(name))
  for (const name of left) rmSync(join(path, name), { force: true })
  return left.length
}
