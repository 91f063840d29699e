import type { DuckDBConnection } from '@duckdb/node-api'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { foldEvents, forgetEvents } from '../schema/applySessions.js'
import { makeAllEvents, pathsOf, readFiles } from '../archive/allEvents.js'
import type { ArchivedFile, ArchiveFolder } from '../archive/ArchivedFile.js'
import { chooseGone, deleteGone, takeFromPersons } from '../schema/deleteEvents.js'
import { inTransaction } from '../duckdb/transactions.js'
import { recordRetention } from '../schema/duties.js'
import { allEvents } from '../schema/analyticsSchema.js'
import { quoteText } from '../duckdb/quote.js'
import { putInPlace } from '../disk/writeWhole.js'

/** The folder in which a day's events are saved before they are deleted. */
export interface RetentionArchive {
  folder: string
  /** DuckDB's temporary folder, the only one that the locked engine can write to. */
  tempFolder: string
}

const fileForm = /^events-\d+-(\d+)\.parquet$/

/** The sequence of the newest event that is in a file already. */
const exportedThrough = (folder: string): number =>
  existsSync(folder)
    ? Math.max(0, ...readdirSync(folder).map((name) => Number(fileForm.exec(name)?.[1] ?? 0)))
    : 0

const numbersOf = async (connection: DuckDBConnection, sql: string, values: Record<string, string> = {}) =>
  (await connection.runAndReadAll(sql, values)).getRows()[0]!.map(Number)

/** Copies a file to another disk. It gets its name only once it is whole and on that disk. */
const moveWhole = async (from: string, to: string) => {
  await mkdir(dirname(to), { recursive: true })
  await copyFile(from, `${to}.new`)
  // The day's folder, the environment's and the archive may all be new.
  await putInPlace(`${to}.new`, to, 3)
}

/**
 * Writes the events of a day that are too old and in no file yet to a new Parquet file. Resolves to the sequence up to
 * which all of them are in files.
 */
export const exportDay = async (
  connection: DuckDBConnection,
  { environment, day, through }: OldDay,
  { folder, tempFolder }: RetentionArchive,
): Promise<number> => {
  const ofDay = join(folder, `environment=${encodeURIComponent(environment)}`, `day=${day}`)
  const before = exportedThrough(ofDay)
  const rows = `FROM ${allEvents} e
    LEFT JOIN analytics.raw.id_map m ON m.id_key = hash(e.environment, coalesce(e.distinct_id, e.anonymous_id))
    WHERE ${eventsOfDay('e', day)} AND e.seq > ${before} AND e.seq <= ${through}`
  const [count, first, last] = await numbersOf(connection, `SELECT count(*), min(seq), max(seq) ${rows}`, {
    environment,
  })
  if (count === 0) return Math.min(before, through)
  // The name has no ending, so that DuckDB does not take the name in a user's SQL for a file.
  const file = join(tempFolder, `export-${randomUUID()}`)
  mkdirSync(tempFolder, { recursive: true })
  try {
    await connection.run(
      `COPY (SELECT e.seq AS event_id, e.* EXCLUDE (seq),
         coalesce(m.person_id, e.distinct_id, e.anonymous_id) AS person_id ${rows} ORDER BY e.seq)
       TO ${quoteText(file)} (FORMAT parquet)`,
      { environment },
    )
    const [written] = await numbersOf(connection, `SELECT count(*) FROM read_parquet(${quoteText(file)})`)
    if (written !== count) throw new Error(`Only ${written} of ${count} events of ${day} were archived.`)
    await moveWhole(file, join(ofDay, `events-${first}-${last}.parquet`))
  } finally {
    await rm(file, { force: true })
  }
  return last!
}

/** The events of one environment that were received on one day, in UTC. */
export interface Day {
  environment: string
  /** A date such as 2026-01-31. */
  day: string
}

/** A day whose events are deleted as far as they are too old. */
export interface OldDay extends Day {
  /** The sequence of the last row that is too old. */
  through: number
}

/** One transaction deletes so many rows. Between two of them the applier can store. */
const sliceRows = 20_000

/** The condition for the events of a day. Its bounds are written out, because DuckDB skips blocks only by constants. */
export const eventsOfDay = (alias: string, day: string): string =>
  `${alias}.environment = $environment AND ${alias}.received_at >= TIMESTAMPTZ '${day} 00:00:00+00'
   AND ${alias}.received_at < TIMESTAMPTZ '${day} 00:00:00+00' + INTERVAL 1 DAY`

/** Deletes up to `sliceRows` events of a day, and updates the persons. Resolves to how many it deleted. */
export const deleteSlice = (connection: DuckDBConnection, of: OldDay): Promise<number> =>
  inTransaction(connection, async () => {
    await foldEvents(connection)
    const slice = `analytics.raw.events e WHERE ${eventsOfDay('e', of.day)} AND seq <= ${of.through} LIMIT ${sliceRows}`
    const events = await deleteGone(connection, { events: slice, values: { environment: of.environment } })
    if (events > 0) await recordRetention(connection, { ...of, events, rejected: 0 })
    return events
  })

/**
 * Takes a file off the list of the archive and updates the persons. Resolves to how many events it had: none, where it
 * is no longer on the list, because the shared archive may have taken it off since the list was read.
 * The file itself is removed an hour later, because a query may be about to read it.
 */
export const deleteFile = (
  connection: DuckDBConnection,
  archive: ArchiveFolder,
  listed: ArchivedFile,
): Promise<number> =>
  inTransaction(connection, async () => {
    await foldEvents(connection)
    const taken = await connection.run('DELETE FROM analytics.raw.archived_files WHERE file = $1', [
      listed.file,
    ])
    if (taken.rowsChanged === 0) return 0
    await chooseGone(connection, readFiles(pathsOf(archive, [listed])))
    await takeFromPersons(connection)
    await makeAllEvents(connection, archive)
    await forgetEvents(connection)
    await recordRetention(connection, { ...listed, rejected: 0 })
    return listed.events
  })

/** Deletes the rejected records of a day. */
export const deleteRejected = (
  connection: DuckDBConnection,
  { environment, day, through }: OldDay,
): Promise<void> =>
  inTransaction(connection, async () => {
    const { rowsChanged } = await connection.run(
      `DELETE FROM analytics.raw.rejected WHERE received_at::DATE = $2::DATE AND seq <= ${through}
         AND json_extract_string(TRY_CAST(body AS JSON), '/environment') = $1`,
      [environment, day],
    )
    if (rowsChanged > 0)
      await recordRetention(connection, { environment, day, events: 0, rejected: rowsChanged })
  })
