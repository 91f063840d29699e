import type { IngestLink } from '../link/IngestLink.js'
import { analyticsCatalog } from '../store/analyticsSchema.js'
import type { LogSource } from './LogSource.js'
import type { LogStore } from './LogStore.js'
import type { TaskIds } from './TaskIds.js'

export interface LocalSourceOptions {
  store: LogStore
  /** The link to the process that writes the log. */
  link: IngestLink
  taskIds: TaskIds
  syncWaitMs: number
  /** The last row that may be stored for now: a pending erasure holds back the rows after it. */
  limit(): number
}

/** The accept log in files of the data folder. */
export const localSource = ({ store, link, taskIds, syncWaitMs, limit }: LocalSourceOptions): LogSource => {
  const number = store.numberOf(analyticsCatalog)
  let durable = 0
  return {
    open: () => store.reader(analyticsCatalog, () => Math.min(durable, limit())),
    pruned: store.trimmedOf(analyticsCatalog),
    taskIdOf: (last) => taskIds.issue({ log: number, last }),
    lastOfTask: (taskId) => taskIds.read(taskId)?.last,
    begin(applier) {
      const grow = (last: number) => {
        durable = Math.max(durable, last)
        applier.wake()
      }
      link.on('grown', grow)
      link.on('erase', (_, through) => grow(through))
      link.on('wanted', (sequence) => void applier.reached(sequence, syncWaitMs))
    },
    // `LogNews` already sends this news, for all logs.
    onApplied: () => undefined,
    onSetAside: () => undefined,
    // A restored backup begins a new log, or is given the files of this one by --logs: nothing is kept for it.
    keepLog: () => Promise.resolve(),
  }
}
