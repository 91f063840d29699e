import type { DuckDBConnection } from '@duckdb/node-api'
import { foldEvents } from '../schema/applySessions.js'
import type { Logger } from '../Logger.js'
import type { Chore } from '../duckdb/Upkeep.js'
import { inTransaction, type OneAtATime } from '../duckdb/transactions.js'
import { makeAllEvents } from './allEvents.js'
import { addArchivedFile, type ArchiveFolder, type DayPart, partsBefore } from './ArchivedFile.js'
import { isThere } from './bindArchive.js'
import { writeSlice } from './writeFile.js'

const dayMs = 86_400_000
const usualSlice = 250_000

/**
 * Moves the events of days that are older than so many days to files, slice by slice, while new events are stored.
 * `moveSlice` moves the first events of a part of a day, and gives their number.
 */
export const moveClosedDays = async (
  connection: DuckDBConnection,
  { afterDays, isStopped, logger }: { afterDays: number; isStopped(): boolean; logger: Logger },
  moveSlice: (part: DayPart) => Promise<number>,
): Promise<void> => {
  const before = new Date(Math.floor(Date.now() / dayMs - afterDays) * dayMs).toISOString()
  const parts = await connection.runAndReadAll(partsBefore(before))
  for (const part of parts.getRowObjects() as unknown as DayPart[]) {
    let events = 0
    for (let slice = -1; slice !== 0 && !isStopped(); events += slice) slice = await moveSlice(part)
    if (events > 0) logger.info('Events of a closed day are in the archive.', { ...part, events })
  }
}

interface ArchiveEventsOptions {
  archive: ArchiveFolder
  /** How many days old a whole day must be. */
  afterDays: number
  /** Runs one writer of analytics at a time. */
  oneAtATime: OneAtATime
  logger: Logger
  /** How many events go to one file, and leave the table in one transaction. @defaultValue 250,000 */
  sliceEvents?: number
}

/** The archive of a store that has it for itself. */
export const archiveEvents = ({
  archive,
  afterDays,
  oneAtATime,
  logger,
  sliceEvents = usualSlice,
}: ArchiveEventsOptions): Chore => ({
  failure: 'Events of closed days could not be archived; the service tries again in an hour.',
  async run(connection, isStopped) {
    if (!isThere(archive)) throw new Error(`The archive ${archive.path} is not there.`)
    await moveClosedDays(connection, { afterDays, isStopped, logger }, async (part) => {
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
    })
  },
})
