import type { ArchiveInUse } from '../archive/describeArchive.js'

/** The first entry of a backup. */
export interface BackupHead {
  format: 1
  madeAt: string
  /** How many rows of each catalog's log are in it. */
  positions: Record<string, number>
  /** The folder with files that the store reads and that are not in it. */
  archive?: ArchiveInUse
}

/** The last entry: a backup without it is cut off. */
export interface BackupSums {
  /** SHA-256 of each file in it. */
  sha256: Record<string, string>
}

export const headName = 'backup.json'
export const sumsName = 'checksums.json'

/** What of the logs a backup has: what task ids are signed with, and the numbers of the logs. */
export const logStates = ['accept-log/logs.json', 'append-log/logs.json']
export const catalogFileForm = /^[a-z][a-z0-9_]{0,62}\.duckdb$/
