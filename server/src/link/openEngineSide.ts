import type { Cleanups } from '../Cleanups.js'
import type { CompleteOptions } from '../options/flags.js'
import { analyticsCatalog } from '../duckdb/quote.js'
import { DataFolder, lockFolder } from '../disk/DataFolder.js'
import { giveBallast } from '../disk/DiskRoom.js'
import type { Logger } from '../Logger.js'
import { startFromState } from '../cluster/state/startFromState.js'
import { LogStore } from '../wal/LogStore.js'
import { Breaker } from './Breaker.js'
import { EngineLink } from './EngineLink.js'
import { EngineProxy } from './EngineProxy.js'
import { EngineView } from './EngineView.js'

/** The parts of a process that passes requests to an engine. */
export interface EngineSide {
  folder: DataFolder
  store: LogStore
  link: EngineLink
  proxy: EngineProxy
  view: EngineView
  breaker: Breaker
}

/** Locks the data folder for this process, and prepares the link with the engine that works on the folder. */
export const openEngineSide = async (
  options: Pick<CompleteOptions, 'dataFolder' | 'catalogs' | 'log' | 'archiveFolder'>,
  { logger, cleanups }: { logger: Logger; cleanups: Cleanups },
): Promise<EngineSide> => {
  const { dataFolder, catalogs } = options
  const folder = new DataFolder(dataFolder)
  cleanups.add(await lockFolder(folder))
  await startFromState(folder, options, logger)
  folder.check()
  giveBallast(folder)
  const store = LogStore.open(folder.acceptLog)
  const numbers = [analyticsCatalog, ...catalogs].map((each) => [store.numberOf(each), each] as const)
  const link = new EngineLink(folder.socket)
  cleanups.add(() => link.close())
  const view = new EngineView(link, new Map(numbers))
  cleanups.add(() => view.stop())
  const breaker = new Breaker()
  link.on('ended', (reason, culprit) => {
    if (culprit === undefined) return
    breaker.note(culprit, reason)
    const rest_ms = breaker.restOf(culprit.user)
    logger.warn('A statement of this user has ended the engine; after a start others come first.', {
      user: culprit.user,
      reason,
      rest_ms,
    })
  })
  link.on('up', () => link.tell({ kind: 'refused', statements: breaker.refused() }))
  const proxy = new EngineProxy({ link, breaker }, folder.socket)
  cleanups.add(() => proxy.close())
  return { folder, store, link, proxy, view, breaker }
}
