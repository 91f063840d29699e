import type { IngestLink } from '../link/IngestLink.js'
import { analyticsCatalog } from '../store/analyticsSchema.js'
import type { LogSource } from './LogSource.js'
import type { LogStore } from './LogStore.js'
import type { TaskIds } from './TaskIds.js'

export interface LocalSourceOptions {
  store: LogStore
  /** To the process that writes the log. */
  link: IngestLink
  taskIds: TaskIds
  syncWaitMs: number
  /** The last row that may be stored for now. */
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
    // The link tells it of all logs.
    onApplied: () => undefined,
    onSetAside: () => undefined,
    // A copy goes on without it, or is given it as files.
    keepLog: () => Promise.resolve(),
  }
}
