import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../Logger.js'
import type { OneAtATime } from '../store/createMutex.js'
import { inTransaction } from '../store/transactions.js'
import type { Chore } from '../store/Upkeep.js'
import { makeAllEvents, readReplaced } from './allEvents.js'
import { type ArchiveFolder, readArchivedFiles } from './ArchivedFile.js'

export interface LookForMissingOptions {
  archive: ArchiveFolder
  /** Runs one writer of analytics at a time. */
  oneAtATime: OneAtATime
  logger: Logger
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/**
 * Looks for the files of the archive. When one is missing or back, the view of all events is made anew: a missing file
 * then fails only the queries that need it.
 */
export const lookForMissing = ({ archive, oneAtATime, logger }: LookForMissingOptions): Chore => {
  let told = ''
  return {
    failure: 'The files of the archive could not be looked for.',
    async run(connection) {
      const missing: string[] = []
      for (const { file } of await readArchivedFiles(connection)) {
        if (!(await isThere(join(archive.path, file)))) missing.push(file)
      }
      const names = missing.toSorted().join('\n')
      // Others make the view, too, and may have found other files.
      if (names !== (await readReplaced(connection)).join('\n'))
        await oneAtATime(() => inTransaction(connection, () => makeAllEvents(connection, archive)))
      if (names === told) return
      told = names
      if (missing.length === 0) logger.info('All files of the archive are there again.', {})
      else {
        logger.error('Files of the archive are missing; queries that need them fail.', {
          missing: missing.length,
          first: missing[0],
        })
      }
    },
  }
}
