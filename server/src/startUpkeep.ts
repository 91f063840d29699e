import type { Logger } from './Logger.js'
import type { RetentionArchive } from './privacy/deleteDay.js'
import { ClockNote, retention } from './privacy/retention.js'
import type { StateWriter } from './cluster/state/writeStates.js'
import type { OneAtATime } from './duckdb/transactions.js'
import type { Database } from './duckdb/Database.js'
import type { DataFolder } from './disk/DataFolder.js'
import { type Chore, Upkeep } from './duckdb/Upkeep.js'
import { archiveEvents } from './archive/archiveEvents.js'
import type { ArchiveFolder } from './archive/ArchivedFile.js'
import { lookForMissing, removeUncounted } from './archive/lookForMissing.js'
import type { Lake } from './cluster/lake/Lake.js'
import { mergeInLake, archiveToLake } from './cluster/lake/mergeSmallFiles.js'
import { cleanLake, removeErased, retireFromLake } from './cluster/lake/removeEnded.js'

interface StartUpkeepOptions {
  database: Database
  /** Makes sure that only one task at a time writes to analytics. */
  oneAtATime: OneAtATime
  retentionDays: Readonly<Record<string, number>>
  exportTo: RetentionArchive | undefined
  folder: DataFolder
  clockChecked: string | undefined
  archive: ArchiveFolder | undefined
  archiveAfterDays: number
  /** Undefined where this store has the archive for itself. */
  lake: Lake | undefined
  /** Undefined without a log in PostgreSQL and an archive. */
  states: StateWriter | undefined
  logger: Logger
}

const hourMs = 3_600_000
const checkEveryMs = 5000
/** How soon a store archives, or writes a state, once it may. */
const takeOverMs = 1000

/**
 * Deletes events that are too old and moves the events of closed days to the archive, until the returned
 * function is called.
 */
export const startUpkeep = (options: StartUpkeepOptions): (() => Promise<void>) => {
  const {
    database,
    oneAtATime,
    retentionDays,
    exportTo,
    archive,
    archiveAfterDays: afterDays,
    lake,
    states,
    logger,
  } = options
  const clock = new ClockNote(options.folder.clock, options.clockChecked)
  const chores = [retention({ oneAtATime, days: retentionDays, exportTo, clock, archive, logger })]
  const upkeep = [new Upkeep({ chores, everyMs: hourMs, database, logger })]
  const often = (everyMs: number, ...some: Chore[]) =>
    upkeep.push(new Upkeep({ chores: some, everyMs, database, logger }))
  if (archive !== undefined) {
    often(checkEveryMs, lookForMissing({ archive, oneAtATime, logger }))
    if (lake === undefined) {
      // Files are removed before retention takes others off the list. Those stay until the next hour, because queries
      // that have begun may still read them.
      chores.unshift({
        failure: 'Files of the archive that are not on its list could not be removed.',
        run: (connection) => removeUncounted(connection, archive),
      })
      chores.push(archiveEvents({ archive, afterDays, oneAtATime, logger }))
    } else {
      often(
        takeOverMs,
        archiveToLake({ lake, archive, afterDays, logger }),
        mergeInLake({ lake, archive, retentionDays }),
      )
      often(takeOverMs, removeErased({ lake, archive }), cleanLake({ lake, archive }))
      often(checkEveryMs, retireFromLake({ lake, retentionDays }))
    }
  }
  // Apart from the others: to copy a store may take minutes.
  if (states !== undefined) often(takeOverMs, states.chore)
  for (const each of upkeep) each.start()
  return async () => {
    for (const each of upkeep) await each.stop()
  }
}
