import type { DuckDBConnection } from '@duckdb/node-api'
import { foldEvents } from '../schema/applySessions.js'
import type { Logger } from '../Logger.js'
import type { OneAtATime } from '../duckdb/createMutex.js'
import type { Chore } from '../duckdb/Upkeep.js'
import { inTransaction } from '../duckdb/transactions.js'
import { makeAllEvents } from './allEvents.js'
import { addArchivedFile, type ArchiveFolder } from './ArchivedFile.js'
import { isThere } from './bindArchive.js'
import { type DayPart, partsBefore } from './dayParts.js'
import { writeSlice } from './writeFile.js'

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
  const slice = await writeSlice(connection, archive, { part, most: sliceEvents })
  if (slice === undefined) return 0
  const { file, events, source } = slice
  await oneAtATime(() =>
    inTransaction(connection, async () => {
      // The unfolded events are read from the table.
      await foldEvents(connection)
      const { rowsChanged } = await connection.run(`DELETE FROM ${source}`, { environment })
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
