import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { archiveFolderOf, isThere } from '../../archive/bindArchive.js'
import type { ArchiveFolder } from '../../archive/ArchivedFile.js'
import type { Logger } from '../../Logger.js'
import { OperatorError, reasonOf } from '../../OperatorError.js'
import type { CompleteOptions } from '../../options/flags.js'
import { type Bounds, lookAtLog } from '../log/readLog.js'
import { storeVersion } from '../../schema/analyticsSchema.js'
import type { DataFolder } from '../../disk/DataFolder.js'
import { type FileSum, readPart, syncFolder, writeHashed } from '../../disk/writeWhole.js'
import { type FollowedLog, type LogIdentity, LogStore } from '../../wal/LogStore.js'

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

/** A state that is not as it was written. */
class Torn extends Error {}

/*
 * The folder is filled in three steps, each by one rename, so that a kill at any moment is made up for at the next start:
 *
 *   empty → `from-state.new` is filled → `from-state` is whole → its entries are moved up → in use
 */
const fillingOf = ({ path }: DataFolder) => join(path, 'from-state.new')
const filledOf = ({ path }: DataFolder) => join(path, 'from-state')

const isEmpty = (folder: DataFolder): boolean =>
  !['store.json', 'accept-log', 'append-log', 'analytics.duckdb'].some((name) =>
    existsSync(join(folder.path, name)),
  )

const moveUp = async (folder: DataFolder): Promise<void> => {
  const filled = filledOf(folder)
  if (!existsSync(filled)) return
  for (const name of readdirSync(filled)) renameSync(join(filled, name), join(folder.path, name))
  rmdirSync(filled)
  await syncFolder(folder.path)
}

/** Which names a state may have: nothing of it may be written elsewhere. */
const isKnown = (name: string) => /^(analytics\.duckdb|insert-ids\/\d+-\d+\.ids)$/.test(name)

/** Copies the files of a state, and makes sure that each is as it was written. */
const copyFiles = async (state: string, { files }: StateHead, target: string): Promise<void> => {
  if (!('analytics.duckdb' in files) || !Object.keys(files).every(isKnown))
    throw new Torn('its list of files is not one of a state')
  for (const [name, sum] of Object.entries(files)) {
    let file: number
    try {
      file = openSync(join(state, name), 'r')
    } catch (error) {
      throw new Torn(reasonOf(error))
    }
    try {
      const { size } = fstatSync(file)
      if (size !== sum.bytes) throw new Torn(`${name} has ${size} bytes instead of ${sum.bytes}`)
      const source = async function* () {
        try {
          yield* readPart(file, size)
        } catch (error) {
          throw new Torn(`${name} cannot be read (${reasonOf(error)})`)
        }
      }
      const copied = await writeHashed(join(target, name), source())
      if (!isDeepStrictEqual(copied, sum)) throw new Torn(`${name} is not as it was written`)
    } finally {
      closeSync(file)
    }
  }
}

type FoundLog = LogIdentity & Bounds

/** Refuses a state that a start must not pass by, because an older one would be no better. */
const check = (state: string, head: ReturnType<typeof readHead>, log: FoundLog): StateHead => {
  if (!('log' in head) || head.format !== 1)
    throw new OperatorError(
      `The state ${state} is of format ${head.format}, and this waymark-server reads format 1: start the waymark-server that wrote it.`,
    )
  if (head.storeVersion !== storeVersion)
    throw new OperatorError(
      `The state ${state} is of version ${head.storeVersion} of the store, and this waymark-server reads version ${storeVersion}: start the waymark-server that wrote it.`,
    )
  if (head.log !== log.id) {
    throw new OperatorError(
      `The state ${state} is of another log (${head.log}) than the one of --log (${log.id}): name the archive that belongs to it.`,
    )
  }
  if (head.position < log.before) {
    throw new OperatorError(
      `The state ${state} is too old: the log in PostgreSQL begins behind row ${log.before}. Start a query process that has its data folder, and it writes a newer one.`,
    )
  }
  if (head.position > log.last) throw new Torn(`the log ends at ${log.last}: a failover has lost the others`)
  return head
}

const takeNewest = async (
  folder: DataFolder,
  archive: ArchiveFolder,
  { positions, log, logger }: { positions: readonly number[]; log: FoundLog; logger: Logger },
): Promise<void> => {
  const filling = fillingOf(folder)
  for (const position of positions) {
    const state = folderOf(archive, position)
    const began = performance.now()
    try {
      let head: ReturnType<typeof readHead>
      try {
        head = readHead(archive, position)
      } catch (error) {
        throw new Torn(reasonOf(error))
      }
      const { marks } = check(state, head, log)
      await copyFiles(state, head as StateHead, filling)
      LogStore.beginFollowing(join(filling, 'accept-log'), { id: log.id, secret: log.secret, marks })
      await syncFolder(filling)
      renameSync(filling, filledOf(folder))
      const seconds = Math.round((performance.now() - began) / 1000)
      logger.info('The data folder begins with a state of the archive.', { state, position, seconds })
      return
    } catch (error) {
      if (!(error instanceof Torn)) throw error
      logger.warn('A state of the archive cannot be used.', { state, reason: error.message })
    } finally {
      rmSync(filling, { recursive: true, force: true })
    }
  }
}

/**
 * Fills an empty data folder from the newest whole state in the archive's folder. The store is then a new reader of the
 * log, and goes on behind the state. Without a state the folder stays empty.
 *
 * @throws OperatorError when the newest whole state is of another log or version
 */
export const startFromState = async (
  folder: DataFolder,
  { log: url, archiveFolder }: Pick<CompleteOptions, 'log' | 'archiveFolder'>,
  logger: Logger,
): Promise<void> => {
  rmSync(fillingOf(folder), { recursive: true, force: true })
  await moveUp(folder)
  const archive = archiveFolderOf(archiveFolder, folder, url !== undefined)
  if (url === undefined || archive === undefined || !isEmpty(folder)) return
  const positions = positionsIn(archive)
  if (positions.length === 0) return
  await takeNewest(folder, archive, { positions, log: await lookAtLog(url, logger), logger })
  await moveUp(folder)
}
