import type { Cleanups } from '../Cleanups.js'
import type { EngineLink } from './EngineLink.js'
import type { Logger } from '../Logger.js'
import { analyticsCatalog } from '../duckdb/quote.js'
import type { OpenedLog } from '../wal/AcceptLog.js'
import type { LogStore } from '../wal/LogStore.js'
import { RemoteApplier } from '../wal/RemoteApplier.js'
import type { EngineView } from './EngineView.js'
import type { WriteAheadLog } from '../wal/WriteAheadLog.js'

interface OpenLocalLogOptions {
  store: LogStore
  /** The link to the engine that applies the log. */
  link: EngineLink
  view: EngineView
  logger: Logger
  cleanups: Cleanups
}

const engineAway = 'The engine that stores accepted rows is being started; they wait on disk.'

/** Opens the accept log in files, which one engine on this machine applies. */
export const openLocalLog = async ({
  store,
  link,
  view,
  logger,
  cleanups,
}: OpenLocalLogOptions): Promise<OpenedLog & { log: WriteAheadLog }> => {
  const number = store.numberOf(analyticsCatalog)
  const log = await store.writer(analyticsCatalog)
  cleanups.add(() => log.close())
  const deadLetters = view.lettersOf(number)!
  const applier = new RemoteApplier({
    applied: log.before,
    deadLetters,
    tellGrown: () => link.tell({ kind: 'grown', durable: log.durable }),
    tellWanted: (sequence) => link.tell({ kind: 'wanted', sequence }),
  })
  cleanups.add(() => applier.stop())
  const advance = (through: number) => {
    applier.advance(through)
    log.trim(through).catch((error: unknown) => {
      logger.warn('Trimming the write-ahead log failed.', { reason: String(error) })
    })
  }
  link.on('up', () => {
    const through = view.appliedOf(number)
    if (through !== undefined) {
      log.skipTo(through)
      advance(through)
    }
    applier.wake()
  })
  let spent = { batches: 0, ms: 0 }
  link.on('applied', (of, through, tookMs) => {
    if (of !== number) return
    spent = { batches: spent.batches + 1, ms: spent.ms + tookMs }
    advance(through)
  })
  return {
    log,
    applier,
    number,
    taskSecret: store.taskSecret,
    deadLetters,
    applied: () => applier.applied,
    stored: () => applier.applied,
    furthest: () => applier.applied,
    isStoring: () => view.isStoring,
    spent: () => spent,
    durable: () => log.durable,
    whyWaiting: () => (link.isUp ? undefined : engineAway),
    problem: () => undefined,
    newest: () => Promise.resolve(log.durable),
  }
}
