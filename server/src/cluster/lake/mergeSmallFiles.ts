import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { ownColumns, pathsOf, readFiles } from '../../archive/allEvents.js'
import {
  type ArchivedFile,
  type ArchiveFolder,
  folderOf,
  isLateFile,
  readArchivedFiles,
  readEventColumns,
} from '../../archive/ArchivedFile.js'
import { moveClosedDays } from '../../archive/archiveEvents.js'
import {
  hashMarkOf,
  newStemOf,
  readHashMark,
  sequencesOf,
  writeFile,
  writeSlice,
} from '../../archive/writeFile.js'
import type { Chore } from '../../duckdb/Upkeep.js'
import { describeFile } from './lakeList.js'
import type { Lake } from './Lake.js'
import { isOlder, type RetentionDays } from './removeEnded.js'
import type { Logger } from '../../Logger.js'

/** How many events go to one file, and leave the table in one transaction. */
const sliceEvents = 250_000
/** To look for such events takes little: DuckDB skips the blocks of newer ones. */
const againMs = 5000

/**
 * Moves the events of closed days to the files that all stores share, in the one store that archives. It begins at once
 * when it becomes that store.
 */
export const archiveToLake = ({
  lake,
  archive,
  afterDays,
  logger,
}: {
  lake: Lake
  archive: ArchiveFolder
  afterDays: number
  logger: Logger
}): Chore => {
  let doneMs = -Infinity
  return {
    failure: 'Events of closed days could not be archived; the service tries again.',
    async run(connection, isStopped) {
      if (!lake.isArchiver) doneMs = -Infinity
      if (!lake.isArchiver || performance.now() < doneMs + againMs) return
      await moveClosedDays(connection, { afterDays, isStopped, logger }, (part) =>
        lake.write(async () => {
          const slice = await writeSlice(connection, archive, { part, most: sliceEvents })
          if (slice === undefined) return 0
          const { file, events, last } = slice
          const columns = await readEventColumns(connection)
          const begun = [await describeFile(connection, archive, { file, columns })]
          await lake.commit({ kind: 'add', through: last, ended: [], begun, part })
          return events
        }),
      )
      doneMs = performance.now()
    },
  }
}

interface MergeOptions {
  lake: Lake
  archive: ArchiveFolder
  retentionDays: RetentionDays
}

/** So many files of a part and of about one size become one: an event is written anew once while its file grows fourfold. */
const width = 4
/** A file with as many events is large enough. */
const largeEvents = 125_000
/** How many events one merge writes at most, so that an erase and the end of the process do not wait for long. */
const mostEvents = 250_000
/** The files of the last days that retention keeps stay as they are. */
const spareDays = 2

const sizeOf = ({ events }: ArchivedFile) => Math.floor(Math.log(events) / Math.log(width))

/** The first files, in the order of their events, that one merge may take. */
const startOf = (files: readonly ArchivedFile[]): ArchivedFile[] => {
  let left = mostEvents
  return files
    .toSorted((one, other) => sequencesOf(one.file).first - sequencesOf(other.file).first)
    .filter(({ events }) => (left -= events) >= 0)
}

/** Files of one part that become one; undefined while there are too few of any size. */
export const chooseSmallFiles = (files: readonly ArchivedFile[]): ArchivedFile[] | undefined => {
  const groups = new Map<string, ArchivedFile[]>()
  for (const file of files) {
    if (file.events >= largeEvents) continue
    const group = `${folderOf(file.file)} ${sizeOf(file)}`
    groups.set(group, [...(groups.get(group) ?? []), file])
  }
  const chosen = [...groups.values()].find(({ length }) => length >= width)
  return chosen && startOf(chosen)
}

/** Writes the files as one, which no list has yet. */
const writeMerged = async (
  connection: DuckDBConnection,
  archive: ArchiveFolder,
  files: readonly ArchivedFile[],
) => {
  const { environment, day, file: name } = files[0]!
  const sequences = files.map(({ file }) => sequencesOf(file))
  const stem = await newStemOf(
    connection,
    { environment, day, late: isLateFile(name) },
    {
      first: Math.min(...sequences.map(({ first }) => first)),
      last: Math.max(...sequences.map(({ last }) => last)),
    },
  )
  const rows = `SELECT ${ownColumns} FROM ${readFiles(pathsOf(archive, files))}`
  const events = files.reduce((sum, each) => sum + each.events, 0)
  const file = await writeFile(connection, archive, { stem, rows, events })
  const columns = await readEventColumns(connection)
  return await describeFile(connection, archive, { file, columns })
}

/**
 * Makes one file of several small ones, and a snapshot with it; gives whether there were any. Notes the files that cannot
 * become one in `passedOver`, so that those of other parts do not wait behind them.
 */
const mergeSmallFiles = async (
  connection: DuckDBConnection,
  { lake, archive, retentionDays }: MergeOptions,
  passedOver: Set<string>,
): Promise<boolean> => {
  const { adopted } = lake
  const mark = await readHashMark(connection)
  // The keys in files of another DuckDB would be wrong in a file that bears this one's mark.
  const files = (await readArchivedFiles(connection)).filter(
    (each) =>
      hashMarkOf(each.file) === mark &&
      !passedOver.has(each.file) &&
      !isOlder(each, retentionDays, spareDays) &&
      existsSync(join(archive.path, each.file)),
  )
  const small = chooseSmallFiles(files)
  if (small === undefined) return false
  const names = small.map(({ file }) => file)
  const merged = await writeMerged(connection, archive, small).catch((error: unknown) => {
    for (const name of names) passedOver.add(name)
    throw error
  })
  if (lake.adopted !== adopted) throw new Error('the list of the archive has changed meanwhile')
  await lake.commit({ kind: 'merge', through: 0, ended: names, begun: [merged] })
  return true
}

/** A file that could not be read, or a full disk, may be mended meanwhile. */
const tryAgainMs = 3_600_000

/**
 * Merges the small files that late events leave, in the store that archives: one at a time, so that new parts are
 * archived in between, and files of an erased person can be removed.
 */
export const mergeInLake = (options: MergeOptions): Chore => {
  const { lake } = options
  let seen = 0
  const passedOver = new Set<string>()
  let triedAgain = performance.now()
  return {
    failure: 'Small files of the archive could not be merged; the service tries again within an hour.',
    async run(connection) {
      if (performance.now() - triedAgain > tryAgainMs) {
        triedAgain = performance.now()
        if (passedOver.size > 0) seen = 0
        passedOver.clear()
      }
      const { adopted } = lake
      if (!lake.isArchiver || adopted === seen) return
      if (!(await lake.write(() => mergeSmallFiles(connection, options, passedOver)))) seen = adopted
    },
  }
}
