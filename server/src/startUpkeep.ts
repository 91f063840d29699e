import type { Logger } from './Logger.js'
import type { RetentionArchive } from './privacy/exportDay.js'
import { retention } from './privacy/retention.js'
import type { InTurn } from './store/createTurns.js'
import type { Database } from './store/Database.js'
import { Hourly } from './store/Hourly.js'
import { archiveEvents } from './archive/archiveEvents.js'
import type { ArchiveFolder } from './archive/ArchivedFile.js'
import { MissingFiles } from './archive/MissingFiles.js'
import { removeUncounted } from './archive/removeUncounted.js'

export interface UpkeepOptions {
  database: Database
  /** Whose turn it is to write to analytics. */
  inTurn: InTurn
  retentionDays: Readonly<Record<string, number>>
  exportTo: RetentionArchive | undefined
  archive: ArchiveFolder | undefined
  archiveAfterDays: number
  logger: Logger
}

/** Deletes events that are too old, and moves those of closed days to the archive; gives what ends it. */
export const startUpkeep = (options: UpkeepOptions): (() => Promise<void>) => {
  const { database, inTurn, retentionDays, exportTo, archive, archiveAfterDays, logger } = options
  const chores = [retention({ inTurn, days: retentionDays, exportTo, archive, logger })]
  if (archive !== undefined) {
    // First of all: what retention takes off the list stays for an hour, for queries that have begun.
    chores.unshift({
      failure: 'Files of the archive that do not count could not be removed.',
      run: (connection) => removeUncounted(connection, archive),
    })
    chores.push(archiveEvents({ archive, afterDays: archiveAfterDays, inTurn, logger }))
  }
  const hourly = new Hourly(chores, database, logger)
  const missing = archive && new MissingFiles({ archive, database, inTurn, logger })
  missing?.start()
  hourly.start()
  return async () => {
    await missing?.stop()
    await hourly.stop()
  }
}
