import type { DuckDBConnection } from '@duckdb/node-api'
import type { ArchiveFolder } from '../archive/ArchivedFile.js'
import { type DayPart, partsBefore } from '../archive/dayParts.js'
import { readEventColumns } from '../archive/eventColumns.js'
import { writeSlice } from '../archive/writeSlice.js'
import type { Logger } from '../Logger.js'
import type { Chore } from '../store/Upkeep.js'
import { describeFile } from './describeFile.js'
import type { Lake } from './Lake.js'

export interface ArchiveToLakeOptions {
  lake: Lake
  archive: ArchiveFolder
  /** How many days old a whole day must be. */
  afterDays: number
  logger: Logger
}

const dayMs = 86_400_000
/** How many events go to one file, and leave the table in one transaction. */
const sliceEvents = 250_000
/** To look for such events takes little: DuckDB skips the blocks of newer ones. */
const againMs = 5000

/** Writes the first events of a part to a file, and makes a snapshot with it; gives their number. */
const moveSlice = async (
  connection: DuckDBConnection,
  part: DayPart,
  { lake, archive }: ArchiveToLakeOptions,
): Promise<number> => {
  const slice = await writeSlice(connection, archive, { part, most: sliceEvents })
  if (slice === undefined) return 0
  const { file, events, last } = slice
  const columns = await readEventColumns(connection)
  const begun = [await describeFile(connection, archive, { file, columns })]
  await lake.commit({ kind: 'add', through: last, ended: [], begun, part })
  return events
}

/**
 * Moves the events of closed days to the files that all stores share, in the one store that archives. It begins at once
 * when it becomes that store.
 */
export const archiveToLake = (options: ArchiveToLakeOptions): Chore => {
  let doneMs = -Infinity
  return {
    failure: 'Events of closed days could not be archived; the service tries again.',
    async run(connection, isStopped) {
      const { lake, afterDays, logger } = options
      if (!lake.isArchiver) doneMs = -Infinity
      if (!lake.isArchiver || performance.now() < doneMs + againMs) return
      const before = new Date(Math.floor(Date.now() / dayMs - afterDays) * dayMs).toISOString()
      const parts = await connection.runAndReadAll(partsBefore(before))
      for (const part of parts.getRowObjects() as unknown as DayPart[]) {
        let events = 0
        for (let slice = -1; slice !== 0 && !isStopped(); events += slice) {
          slice = await lake.write(() => moveSlice(connection, part, options))
        }
        if (events > 0) logger.info('Events of a closed day are in the archive.', { ...part, events })
      }
      doneMs = performance.now()
    },
  }
}
