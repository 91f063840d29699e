import { setTimeout as delay } from 'node:timers/promises'
import { archiveFolderOf } from '../archive/bindArchive.js'
import type { ArchiveFolder } from '../archive/ArchivedFile.js'
import type { CompleteOptions } from '../options/ServerOptions.js'
import { openRetentionArchive } from '../privacy/retention.js'
import { analyticsCatalog } from '../store/analyticsSchema.js'
import { DataFolder } from '../store/DataFolder.js'
import { giveBallast } from '../store/DiskRoom.js'
import { LogStore } from '../wal/LogStore.js'

export interface FoundStore {
  folder: DataFolder
  archive: ArchiveFolder | undefined
  /** Where events go that retention takes out of the store. */
  exportTo: ReturnType<typeof openRetentionArchive>
  acceptLog: LogStore
}

const pollMs = 100

/** The ingest process makes the log that the engine reads; a log in PostgreSQL is there already. */
const whenReadable = async (
  folder: DataFolder,
  { catalogs, log }: Pick<CompleteOptions, 'catalogs' | 'log'>,
): Promise<LogStore> => {
  for (;;) {
    const store = LogStore.openToRead(folder.acceptLog, [analyticsCatalog, ...catalogs])
    if (store !== undefined && (log !== undefined || store.isBegun(analyticsCatalog))) return store
    await delay(pollMs)
  }
}

/**
 * Checks the folders that the engine works in, and waits for the log that it reads.
 *
 * @param shared the log, where this process has it open already
 * @throws OperatorError when a folder is damaged or cannot be used
 */
export const findStore = async (
  options: CompleteOptions,
  shared: LogStore | undefined,
): Promise<FoundStore> => {
  const folder = new DataFolder(options.dataFolder)
  folder.check()
  giveBallast(folder)
  const exportTo = openRetentionArchive(options.retentionArchive, folder)
  const archive = archiveFolderOf(options.archiveFolder, folder, options.log !== undefined)
  return { folder, archive, exportTo, acceptLog: shared ?? (await whenReadable(folder, options)) }
}
