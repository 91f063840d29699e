import type { ArchiveInUse } from '../archive/describeArchive.js'

/*
 * A backup is a tar file (care/tar.ts) with these files in this order:
 *
 * | file | meaning |
 * |---|---|
 * | `backup.json` | `BackupHead` |
 * | `store.json` | the list of what the data folder must hold |
 * | `accept-log/logs.json`, `append-log/logs.json` | the secrets that sign task ids, and the numbers of the logs |
 * | `analytics.duckdb` and so on | the file of each catalog |
 * | `checksums.json` | `BackupSums` |
 *
 * Check: `checksums.json` has the SHA-256 of each file before it, and nothing else may be in the tar file.
 * Another version: `format` is 1, and `restore` refuses any other number.
 */

/** The first file of a backup. */
export interface BackupHead {
  format: 1
  madeAt: string
  /** The sequence up to which each catalog holds the rows of its log. */
  positions: Record<string, number>
  /** The archive that the store needs, whose files are not in the backup. */
  archive?: ArchiveInUse
}

/** The last file: a backup without it is cut off. */
export interface BackupSums {
  /** The SHA-256 of each file before this one. */
  sha256: Record<string, string>
}

export const headName = 'backup.json'
export const sumsName = 'checksums.json'

/** The only files of the logs in a backup: they hold the secrets that sign task ids, and the numbers of the logs. */
export const logStates = ['accept-log/logs.json', 'append-log/logs.json']
export const catalogFileForm = /^[a-z][a-z0-9_]{0,62}\.duckdb$/
