import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ArchiveFolder } from '../../archive/ArchivedFile.js'
import { isThere } from '../../archive/bindArchive.js'
import type { FileSum } from '../../disk/writeWhole.js'
import type { FollowedLog } from '../../wal/LogStore.js'

/*
 * A state is a copy of the store of a query process, from which a new one starts. It lies in the archive's folder:
 *
 * | path | meaning |
 * |---|---|
 * | `state-POSITION/state.json` | `StateHead` |
 * | `state-POSITION/analytics.duckdb` | the store, as it was when it had the log's rows through POSITION |
 * | `state-POSITION/insert-ids/FIRST-LAST.ids` | insert ids of stored rows, also of rows that are deleted (analytics/IdRun.ts) |
 * | `state-POSITION.new/` | a state that is being written or removed, or whose writer was killed |
 *
 * Check: `state.json` has the size and the SHA-256 of each other file, and no file but these is read. A folder loses
 * `.new` once all its files are on the disk.
 * Another version: `format` is 1, and a state of any other number, or of another version of the store, is refused.
 *
 * It holds no secret: who reads the archive's folder can sign neither task ids nor logins by it.
 */

export interface StateHead {
  format: 1
  madeAt: string
  /** The id of the log. */
  log: string
  position: number
  storeVersion: number
  /** The groups of the log that were read last, by which a failover's loss is noticed. */
  marks: NonNullable<FollowedLog['marks']>
  /** By their paths in the folder. */
  files: Record<string, FileSum>
}

export const headName = 'state.json'
export const unfinished = '.new'
const namePattern = /^state-(\d+)(\.new)?$/

export const folderOf = ({ path }: ArchiveFolder, position: number): string => join(path, `state-${position}`)

const foldersIn = ({ path }: ArchiveFolder) =>
  readdirSync(path).flatMap((name) => {
    const [, digits, isUnfinished] = namePattern.exec(name) ?? []
    return digits === undefined
      ? []
      : [{ path: join(path, name), position: Number(digits), isWhole: isUnfinished === undefined }]
  })

/** The positions of the states, newest first; none while the archive's disk is away. */
export const positionsIn = (archive: ArchiveFolder): number[] =>
  isThere(archive)
    ? foldersIn(archive)
        .flatMap(({ position, isWhole }) => (isWhole ? [position] : []))
        .toSorted((a, b) => b - a)
    : []

/** Throws when it cannot be read. A state of another format has nothing else that is known. */
export const readHead = (archive: ArchiveFolder, position: number): StateHead | { format: number } => {
  const head = JSON.parse(readFileSync(join(folderOf(archive, position), headName), 'utf8')) as StateHead
  if (typeof head.format !== 'number') throw new Error(`${headName} has no format`)
  if (head.format === 1 && (head.position !== position || typeof head.files !== 'object'))
    throw new Error(`${headName} is of another state`)
  return head
}

/** Takes the state's name away first: a kill leaves the whole state or none. */
const remove = (path: string, isWhole: boolean): void => {
  const gone = isWhole ? path + unfinished : path
  if (isWhole) {
    rmSync(gone, { recursive: true, force: true })
    renameSync(path, gone)
  }
  rmSync(gone, { recursive: true, force: true })
}

/** Removes states and what is left of unfinished ones. */
export const removeStates = (
  archive: ArchiveFolder,
  isGone: (state: { position: number; isWhole: boolean }) => boolean,
): void => {
  for (const { path, position, isWhole } of foldersIn(archive)) {
    if (isGone({ position, isWhole })) remove(path, isWhole)
  }
}
