import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DuckDBConnection } from '@duckdb/node-api'
import { allEvents } from '../store/archiveSchema.js'
import { quoteText } from '../store/quote.js'
import { eventsOfDay, type OldDay } from './deleteDay.js'
import { putInPlace } from '../store/writeWhole.js'

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
