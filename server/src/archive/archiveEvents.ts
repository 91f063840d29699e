import type { DuckDBConnection } from '@duckdb/node-api'
import { foldEvents } from '../analytics/applySessions.js'
import type { Logger } from '../Logger.js'
import type { OneAtATime } from '../store/createMutex.js'
import type { Chore } from '../store/Upkeep.js'
import { inTransaction } from '../store/transactions.js'
import { makeAllEvents } from './allEvents.js'
import { addArchivedFile, type ArchiveFolder } from './ArchivedFile.js'
import { isThere } from './bindArchive.js'
import { type DayPart, eventsOfPart, partsBefore } from './dayParts.js'
import { newFileOf, writeFile } from './writeFile.js'

export interface ArchiveEventsOptions {
  archive: ArchiveFolder
  /** How many days old a whole day must be. */
  afterDays: number
  /** Runs one writer of analytics at a time. */
  oneAtATime: OneAtATime
  logger: Logger
  /** How many events go to one file, and leave the table in one transaction. @defaultValue 250,000 */
  sliceEvents?: number
}

const dayMs = 86_400_000
const usualSlice = 250_000

/** Moves the first events of a part to a file; gives their number. */
const moveSlice = async (
  connection: DuckDBConnection,
  part: DayPart,
  { archive, oneAtATime, sliceEvents = usualSlice }: ArchiveEventsOptions,
): Promise<number> => {
  const { environment, day } = part
  const reader = await connection.runAndReadAll(
    `SELECT count(*)::INTEGER, min(seq)::DOUBLE, max(seq)::DOUBLE FROM (
       SELECT seq FROM analytics.raw.events e WHERE ${eventsOfPart(part)} ORDER BY seq LIMIT ${sliceEvents})`,
    { environment },
  )
  const [events, first, last] = reader.getRows()[0] as [number, number, number]
  if (events === 0) return 0
  const slice = `analytics.raw.events e WHERE ${eventsOfPart(part)} AND e.seq >= ${first} AND e.seq <= ${last}`
  const file = await newFileOf(connection, part, { first, last })
  const rows = `FROM ${slice}`
  await writeFile(connection, archive, { file, rows, values: { environment }, events })
  await oneAtATime(() =>
    inTransaction(connection, async () => {
      // The unfolded events are read from the table.
      await foldEvents(connection)
      const { rowsChanged } = await connection.run(`DELETE FROM ${slice}`, { environment })
      if (rowsChanged !== events)
        throw new Error(`${rowsChanged} events of ${day} would be deleted, but ${file} holds ${events}.`)
      await addArchivedFile(connection, { file, environment, day, events })
      await makeAllEvents(connection, archive)
    }),
  )
  return events
}

/** Moves the events of closed days from the table to files, while new events are stored. */
export const archiveEvents = (options: ArchiveEventsOptions): Chore => ({
  failure: 'Events of closed days could not be archived; the service tries again in an hour.',
  async run(connection, isStopped) {
    const { archive, afterDays, logger } = options
    if (!isThere(archive)) throw new Error(`The archive ${archive.path} is not there.`)
    const before = new Date(Math.floor(Date.now() / dayMs - afterDays) * dayMs).toISOString()
    const parts = await connection.runAndReadAll(partsBefore(before))
    for (const part of parts.getRowObjects() as unknown as DayPart[]) {
      let events = 0
      for (let slice = -1; slice !== 0 && !isStopped(); events += slice) {
        slice = await moveSlice(connection, part, options)
      }
      if (events > 0) logger.info('Events of a closed day are in the archive.', { ...part, events })
    }
  },
})
