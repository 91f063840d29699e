import { mkdirSync, readFileSync, realpathSync } from 'node:fs'
import { sep } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { type ArchivedFile, type ArchiveFolder, readArchivedFiles } from '../archive/ArchivedFile.js'
import { sequencesOf } from '../archive/writeFile.js'
import type { Logger } from '../Logger.js'
import type { OneAtATime } from '../duckdb/transactions.js'
import type { Chore } from '../duckdb/Upkeep.js'
import { OperatorError } from '../OperatorError.js'
import {
  type Day,
  deleteFile,
  deleteRejected,
  deleteSlice,
  exportDay,
  type OldDay,
  type RetentionArchive,
} from './deleteDay.js'
import { writeWhole } from '../disk/writeWhole.js'

const dayMs = 86_400_000
/** A service may be stopped for so long, or its clock be ahead by so much, before retention waits for --clock-checked. */
const longestGapDays = 7

const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/**
 * When the newest stored event was received, but for those of a later time, which came while a clock was wrong. A store
 * without a note, such as a restored one, is judged by this.
 */
const readNewest = async (connection: DuckDBConnection): Promise<number | undefined> => {
  const reader = await connection.runAndReadAll(
    `SELECT epoch_ms(greatest(
       (SELECT max(received_at) FROM analytics.raw.events WHERE received_at <= now()),
       (SELECT timezone('UTC', max(day)::TIMESTAMP) FROM analytics.raw.archived_files WHERE day <= now()::DATE)))::DOUBLE`,
  )
  return (reader.getRows()[0]![0] as number | null) ?? undefined
}

/**
 * Keeps in a file when the service ran last. A clock that is a year ahead would make all events too old. So when the
 * clock is far ahead of the note, retention deletes nothing until somebody has checked the clock.
 */
export class ClockNote {
  readonly #file: string
  readonly #checkedMs: number

  /** `checkedOn` is a day, such as 2027-01-31, on which somebody found the clock to be right. */
  constructor(file: string, checkedOn: string | undefined) {
    this.#file = file
    this.#checkedMs = checkedOn === undefined ? 0 : Date.parse(checkedOn)
  }

  /** Says why the clock may be wrong. Undefined when it may be trusted, and then the file notes the time. */
  async findDoubt(connection: DuckDBConnection): Promise<string | undefined> {
    const nowMs = Date.now()
    const lastMs = this.#read() ?? (await readNewest(connection))
    // Nothing says yet that this clock is right: a note of a clock that is ahead would have it trusted until then.
    if (lastMs === undefined) return undefined
    if (nowMs > Math.max(lastMs, this.#checkedMs) + longestGapDays * dayMs) {
      const today = dateOf(nowMs)
      return `The clock says ${today}, and the service ran last on ${dateOf(lastMs)}, so no event is deleted for its age. If the clock is right, start the service with --clock-checked ${today}.`
    }
    // A clock that was set back must not set the note back.
    this.#write(Math.max(nowMs, lastMs))
    return undefined
  }

  #read(): number | undefined {
    try {
      const { ranAt } = JSON.parse(readFileSync(this.#file, 'utf8')) as { ranAt: string }
      const ms = Date.parse(ranAt)
      return Number.isNaN(ms) ? undefined : ms
    } catch {
      // There is no note yet, or it cannot be read.
      return undefined
    }
  }

  #write(ms: number): void {
    writeWhole(this.#file, JSON.stringify({ ranAt: new Date(ms).toISOString() }))
  }
}

interface RetentionOptions {
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

/** Rows that were received before the days that are kept, by their date. */
interface Found {
  day: string
  /** The sequences of the first of them that can be deleted, and of the last. */
  first: number
  last: number
}

/** Finds rows of an environment that were received before a day. The events of a file are deleted together. */
const findBefore = async (
  connection: DuckDBConnection,
  { environment, day: firstKept }: Day,
  files: readonly ArchivedFile[],
): Promise<Found[]> => {
  const reader = await connection.runAndReadAll(
    `SELECT strftime(received_at, '%Y-%m-%d') AS day, min(seq)::DOUBLE AS first, max(seq)::DOUBLE AS last FROM (
       SELECT timezone('UTC', received_at) AS received_at, seq FROM analytics.raw.events
       WHERE environment = $1 AND received_at < TIMESTAMPTZ '${firstKept} 00:00:00+00'
       UNION ALL SELECT received_at, seq FROM analytics.raw.rejected
       WHERE json_extract_string(TRY_CAST(body AS JSON), '/environment') = $1
         AND received_at < TIMESTAMP '${firstKept} 00:00:00')
     GROUP BY 1`,
    [environment],
  )
  const archived = files
    .filter((each) => each.environment === environment && each.day < firstKept)
    .map(({ file, day }) => ({ day, first: sequencesOf(file).last, last: sequencesOf(file).last }))
  return [...(reader.getRowObjects() as unknown as Found[]), ...archived]
}

/**
 * The last sequence before all rows that were received on days that are kept. A clock that is behind dates rows too
 * early; but sequences only grow, so a row behind one of a later day is at least as young, and stays as long.
 * The first kept day does not count, because the clocks of several processes differ a little around midnight. Nor does
 * a day in the future, on which a clock was ahead.
 */
const readLastOld = async (
  connection: DuckDBConnection,
  firstKept: string,
  files: readonly ArchivedFile[],
): Promise<number> => {
  const reader = await connection.runAndReadAll(
    `SELECT min(seq)::DOUBLE FROM analytics.raw.events
     WHERE received_at >= TIMESTAMPTZ '${firstKept} 00:00:00+00' + INTERVAL 1 DAY AND received_at <= now()`,
  )
  const [inTable] = reader.getRows()[0] as [number | null]
  const today = dateOf(Date.now())
  const kept = files.filter(({ day }) => day > firstKept && day <= today)
  const first = Math.min(
    inTable ?? Number.MAX_SAFE_INTEGER,
    ...kept.map(({ file }) => sequencesOf(file).first),
  )
  return first - 1
}

const daysOf = (found: readonly Found[]): string[] => [...new Set(found.map(({ day }) => day))].toSorted()

/** Deletes what is too old of one day: its events in the table, then those in the archive, then its rejected records. */
const deleteDay = async (
  connection: DuckDBConnection,
  day: OldDay,
  { oneAtATime, exportTo, archive, logger }: RetentionOptions,
  isStopped: () => boolean,
): Promise<void> => {
  const through = exportTo === undefined ? day.through : await exportDay(connection, day, exportTo)
  let events = 0
  for (let slice = -1; slice !== 0 && !isStopped(); events += slice) {
    slice = await oneAtATime(() => deleteSlice(connection, { ...day, through }))
  }
  if (archive !== undefined) {
    const files = (await readArchivedFiles(connection)).filter(
      (each) =>
        each.environment === day.environment &&
        each.day === day.day &&
        sequencesOf(each.file).last <= day.through,
    )
    for (const file of files) {
      if (isStopped()) return
      events += await oneAtATime(() => deleteFile(connection, archive, file))
    }
  }
  await oneAtATime(() => deleteRejected(connection, day))
  logger.info('Events that were too old were deleted.', {
    environment: day.environment,
    day: day.day,
    events,
  })
}

/** The chore that deletes events that are too old. New events are stored meanwhile. */
export const retention = (options: RetentionOptions): Chore => {
  const { logger } = options
  const told = new Set<string>()
  /** Says once of which days rows stay, although by their date they would be too old. */
  const tellDoubted = (environment: string, days: readonly string[]) => {
    const doubted = `${environment}: ${days.join(', ')}`
    if (days.length === 0 || told.has(doubted)) return
    told.add(doubted)
    logger.warn(
      'Events are dated before others that were accepted earlier, so the clock may have been behind: they stay longer.',
      { environment, days: days.join(', ') },
    )
  }
  return {
    failure: 'Events that are too old could not be deleted; it is tried again in an hour.',
    async run(connection, isStopped) {
      const doubt = await options.clock.findDoubt(connection)
      const kept = Object.entries(options.days)
      if (doubt !== undefined) {
        if (kept.length > 0) logger.error(doubt)
        return
      }
      const files = await readArchivedFiles(connection)
      for (const [environment, keptDays] of kept) {
        const firstKept = dateOf(Date.now() - keptDays * dayMs)
        const found = await findBefore(connection, { environment, day: firstKept }, files)
        if (found.length === 0) continue
        const through = await readLastOld(connection, firstKept, files)
        tellDoubted(environment, daysOf(found.filter(({ last }) => last > through)))
        for (const day of daysOf(found.filter(({ first }) => first <= through))) {
          if (isStopped()) return
          await deleteDay(connection, { environment, day, through }, options, isStopped)
        }
      }
    },
  }
}
