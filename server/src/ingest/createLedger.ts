import { Refusal } from '../http/Refusal.js'
import type { Log } from '../log/createLog.js'
import type { AcceptLog, LogRecord } from './createAcceptLog.js'
import type { TaskIds } from './createTaskIds.js'
import type { Drain } from './createDrain.js'

export interface LedgerOptions {
  number: number
  log: AcceptLog
  drain: Drain
  taskIds: TaskIds
  /** Rows accepted but not yet in DuckDB, above which more are refused for a while. */
  maxBacklogRows: number
  /** The same for the bytes of their bodies. */
  maxBacklogBytes: number
  syncWaitMs: number
  report: Log
}

export interface Accepted {
  taskId: string
  /** Why DuckDB did not take it, when that is known by now. */
  rejection?: string
}

/** Where accepted records of one catalog go: first to disk, then to its drain. */
export interface Ledger {
  readonly number: number
  /** Refuses with 503 when the drain is too far behind: before a body is read, and again by `accept`. */
  admit(): void
  /** Resolves once the record is on disk and, if asked, in DuckDB. */
  accept(record: LogRecord, sync: boolean): Promise<Accepted>
  isApplied(sequence: number): boolean
}

const overloaded = (message: string, seconds: number) =>
  new Refusal(503, { error: 'overloaded', message }, { 'retry-after': String(seconds) })

export const createLedger = (options: LedgerOptions): Ledger => {
  const { number, log, drain, taskIds, maxBacklogRows, maxBacklogBytes, syncWaitMs, report } = options

  const admit = () => {
    const rows = log.last() - drain.applied()
    const bytes = log.bytes() - drain.appliedBytes()
    if (rows <= maxBacklogRows && bytes <= maxBacklogBytes) return
    throw overloaded(`${rows} accepted rows are waiting to be stored. Send again in a while.`, 2)
  }

  return {
    number,
    admit,
    async accept(record, sync) {
      // Many may have been admitted while the bodies of all of them were still on their way.
      admit()
      let last: number
      try {
        const appended = log.append(record)
        last = appended.last
        await appended.durable
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        report.error('The accept log cannot be written.', { reason })
        throw overloaded('The service cannot write to its disk. Nothing was accepted; send again later.', 10)
      }
      drain.wake()
      if (sync) await drain.reached(last, syncWaitMs)
      const rejection = sync ? drain.rejection(last) : undefined
      const taskId = taskIds.issue({ log: number, last })
      return rejection === undefined ? { taskId } : { taskId, rejection }
    },
    isApplied: (sequence) => sequence <= drain.applied(),
  }
}
