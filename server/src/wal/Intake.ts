import { refuse, type HttpError } from '../http/HttpError.js'
import type { Logger } from '../Logger.js'
import { type AcceptLog, LogUnavailable } from './AcceptLog.js'
import type { DeadLetter } from './DeadLetters.js'
import type { RemoteApplier } from './RemoteApplier.js'
import type { TaskIds } from './TaskIds.js'
import type { LogRecord } from './segment.js'
import { reasonOf } from '../reasonOf.js'

export interface IntakeOptions {
  /** Of the log, within the store. */
  number: number
  log: AcceptLog
  applier: Pick<RemoteApplier, 'applied' | 'wake' | 'reached' | 'deadLetter'>
  taskIds: TaskIds
  /** Rows accepted but not yet in DuckDB, above which more are refused for a while. */
  maxBacklogRows: number
  /** The same for the bytes of their bodies. */
  maxBacklogBytes: number
  syncWaitMs: number
  logger: Logger
}

export interface Accepted {
  taskId: string
  /** What DuckDB did not take of it, when that is known by now. */
  deadLetter?: DeadLetter
}

/** How long a disk that failed is left alone. */
const diskRestMs = 10_000

/** After so long it is worth another try, whatever stands in the way of a log that is not here. */
const obstacleRestMs = 2000

const unavailable = (message: string, retryAfterMs: number): HttpError =>
  refuse(503, 'log-unavailable', message, { 'retry-after': String(retryAfterMs / 1000) })

const overloaded = (message: string, seconds: number): HttpError =>
  refuse(503, 'overloaded', message, { 'retry-after': String(seconds) })

/** Where accepted records of one catalog go: first to disk, then to its applier. */
export class Intake {
  readonly #options: IntakeOptions
  /** Until when it is believed that the disk takes nothing. */
  #refusesUntilMs = 0
  /** Requests that the disk did not take, in an outage that is not over. */
  #refused = 0

  constructor(options: IntakeOptions) {
    this.#options = options
  }

  /** Rows and bytes that were accepted and are not stored. */
  get backlog(): { rows: number; bytes: number } {
    const { log, applier } = this.#options
    return { rows: Math.max(0, log.last - applier.applied), bytes: log.bytes }
  }

  /** Whether a record would be taken now. After a disk has failed it is tried again in a while. */
  get isAccepting(): boolean {
    return (
      this.#options.log.obstacle === undefined && !this.#isFull && performance.now() >= this.#refusesUntilMs
    )
  }

  get #isFull(): boolean {
    const { log, applier, maxBacklogRows, maxBacklogBytes } = this.#options
    return log.last - applier.applied > maxBacklogRows || log.bytes > maxBacklogBytes
  }

  /**
   * Refuses with 503 when the log takes nothing or the applier is too far behind: before a body is read,
   * and again by `accept`.
   */
  admit(): void {
    const { obstacle } = this.#options.log
    if (obstacle !== undefined) throw unavailable(obstacle, obstacleRestMs)
    if (!this.#isFull) return
    throw overloaded(`${this.backlog.rows} accepted rows are waiting to be stored. Send again in a while.`, 2)
  }

  /** Resolves once the record is on disk and, if asked, in DuckDB. */
  async accept(record: LogRecord, sync: boolean): Promise<Accepted> {
    const { number, log, applier, taskIds, syncWaitMs, logger } = this.#options
    // Many may have been admitted while the bodies of all of them were still on their way.
    this.admit()
    let last: number
    try {
      last = await log.append(record)
    } catch (error) {
      if (error instanceof LogUnavailable) throw unavailable(error.message, error.retryAfterMs)
      const reason = reasonOf(error)
      // Once for each outage: with a line for each request the log would fill what is left of the disk.
      if (this.#refused++ === 0) logger.error('The write-ahead log cannot be written.', { reason })
      this.#refusesUntilMs = performance.now() + diskRestMs
      const message = 'The service cannot write to its disk. Nothing was accepted; send again later.'
      throw overloaded(message, diskRestMs / 1000)
    }
    if (this.#refused > 0) this.#recover()
    applier.wake()
    if (sync) await applier.reached(last, syncWaitMs)
    const deadLetter = sync ? applier.deadLetter(last) : undefined
    const taskId = taskIds.issue({ log: number, last })
    return deadLetter === undefined ? { taskId } : { taskId, deadLetter }
  }

  /** On a disk that is almost full small records may go where large ones do not, which is no end of the outage. */
  #recover(): void {
    if (performance.now() < this.#refusesUntilMs) return
    this.#options.logger.warn('The write-ahead log is written again.', { refused: this.#refused })
    this.#refused = 0
  }
}

/** `?sync=true` makes the answer wait until the rows can be queried. */
export const readSync = (search: string): boolean => {
  if (!search.includes('sync')) return false
  const value = new URLSearchParams(search).get('sync')
  if (value === null || value === 'false' || value === '0') return false
  if (value === 'true' || value === '1' || value === '') return true
  throw refuse(400, 'invalid-parameter', 'sync must be true or false.')
}
