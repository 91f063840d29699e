import { mkdirSync, realpathSync } from 'node:fs'
import { sep } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type ArchiveFolder, readArchivedFiles } from '../archive/ArchivedFile.js'
import type { Logger } from '../Logger.js'
import type { OneAtATime } from '../store/createMutex.js'
import type { Chore } from '../store/Upkeep.js'
import { OperatorError } from '../OperatorError.js'
import type { ClockNote } from './ClockNote.js'
import { deleteFile, deleteRejected, deleteSlice, type Day } from './deleteDay.js'
import { exportDay, type RetentionArchive } from './exportDay.js'

export interface RetentionOptions {
  /** Makes sure that only one task at a time writes to analytics. */
  oneAtATime: OneAtATime
  /** How many days events are kept, by environment. */
  days: Readonly<Record<string, number>>
  /** The folder in which a day is saved before it is deleted. */
  exportTo: RetentionArchive | undefined
  /** The archive of closed days. */
  archive: ArchiveFolder | undefined
  clock: ClockNote
  logger: Logger
}

const dayMs = 86_400_000

/** Opens the folder for deleted days. It may not lie in the data folder, where an erasure would have to search it. */
export const openRetentionArchive = (
  folder: string | undefined,
  data: { path: string; temp: string },
): RetentionArchive | undefined => {
  if (folder === undefined) return undefined
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new OperatorError(
      `The archive of retention ${folder} cannot be used: ${error instanceof Error ? error.message : ''}.`,
    )
  }
  const path = realpathSync(folder)
  if (`${path}${sep}`.startsWith(`${data.path}${sep}`)) {
    throw new OperatorError(
      `The archive of retention ${folder} lies in the data folder, where no person that was erased may be found; choose another folder.`,
    )
  }
  return { folder: path, tempFolder: data.temp }
}

/** Finds the days of an environment whose events are too old. A day in UTC is deleted as a whole. */
const findDays = async (
  connection: DuckDBConnection,
  environment: string,
  keptDays: number,
): Promise<Day[]> => {
  const before = new Date(Math.floor(Date.now() / dayMs - keptDays) * dayMs).toISOString()
  const reader = await connection.runAndReadAll(
    `SELECT DISTINCT strftime(timezone('UTC', received_at), '%Y-%m-%d') AS day FROM analytics.raw.events
     WHERE environment = $1 AND received_at < TIMESTAMPTZ '${before}'
     UNION SELECT strftime(day, '%Y-%m-%d') FROM analytics.raw.archived_files
     WHERE environment = $1 AND day < timezone('UTC', TIMESTAMPTZ '${before}')
     UNION SELECT DISTINCT strftime(received_at, '%Y-%m-%d') FROM analytics.raw.rejected
     WHERE json_extract_string(TRY_CAST(body AS JSON), '/environment') = $1
       AND received_at < timezone('UTC', TIMESTAMPTZ '${before}')
     ORDER BY day`,
    [environment],
  )
  return reader.getRows().map(([day]) => ({ environment, day: day as string }))
}

/** Deletes one day: its events in the table, then those in the archive, then its rejected records. */
const deleteDay = async (
  connection: DuckDBConnection,
  day: Day,
  { oneAtATime, exportTo, archive, logger }: RetentionOptions,
  isStopped: () => boolean,
): Promise<void> => {
  const through =
    exportTo === undefined ? Number.MAX_SAFE_INTEGER : await exportDay(connection, day, exportTo)
  let events = 0
  for (let slice = -1; slice !== 0 && !isStopped(); events += slice) {
    slice = await oneAtATime(() => deleteSlice(connection, day, through))
  }
  if (archive !== undefined) {
    const files = (await readArchivedFiles(connection)).filter(
      (each) => each.environment === day.environment && each.day === day.day,
    )
    for (const file of files) {
      if (isStopped()) return
      events += await oneAtATime(() => deleteFile(connection, archive, file))
    }
  }
  await oneAtATime(() => deleteRejected(connection, day))
  logger.info('Events that were too old were deleted.', { ...day, events })
}

/** The chore that deletes events that are too old. New events are stored meanwhile. */
export const retention = (options: RetentionOptions): Chore => ({
  failure: 'Events that are too old could not be deleted; it is tried again in an hour.',
  async run(connection, isStopped) {
    const doubt = await options.clock.findDoubt(connection)
    const kept = Object.entries(options.days)
    if (doubt !== undefined) {
      if (kept.length > 0) options.logger.error(doubt)
      return
    }
    for (const [environment, keptDays] of kept) {
      for (const day of await findDays(connection, environment, keptDays)) {
        if (isStopped()) return
        await deleteDay(connection, day, options, isStopped)
      }
    }
  },
})
