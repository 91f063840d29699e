import { refuse, type HttpError } from '../http/HttpError.js'
import type { Logger } from '../Logger.js'
import { type AcceptLog, LogUnavailable } from './AcceptLog.js'
import type { LagLimit } from './LagLimit.js'
import type { DeadLetter } from './rejected.js'
import type { RemoteApplier } from './RemoteApplier.js'
import type { TaskIds } from './TaskIds.js'
import type { LogRecord } from './segment.js'
import { reasonOf } from '../OperatorError.js'

export interface IntakeOptions {
  /** The number of the log within the store. */
  number: number
  log: AcceptLog
  applier: Pick<RemoteApplier, 'applied' | 'wake' | 'reached' | 'deadLetter'>
  taskIds: TaskIds
  /** Requests are refused while more accepted rows than this wait for DuckDB. */
  maxBacklogRows: number
  /** Requests are refused while the bodies of waiting rows have more bytes than this. */
  maxBacklogBytes: number
  /** Requests are refused while the next row would wait too long. */
  lagLimit: Pick<LagLimit, 'isReached' | 'note'>
  syncWaitMs: number
  logger: Logger
}

interface Accepted {
  taskId: string
  /** The rows that DuckDB did not take, when that is known already. */
  deadLetter?: DeadLetter
}

/** After a failed write the disk is left alone for this long; a write that takes longer counts as failing. */
const diskRestMs = 10_000

/** When a log elsewhere cannot be reached, clients are asked to try again after this long. */
const obstacleRestMs = 2000

const unavailable = (message: string, retryAfterMs: number): HttpError =>
  refuse(503, 'log-unavailable', message, { 'retry-after': String(retryAfterMs / 1000) })

const overloaded = (message: string, seconds: number): HttpError =>
  refuse(503, 'overloaded', message, { 'retry-after': String(seconds) })

/** Takes the records of one catalog: they go to the log first, then to the catalog's applier. */
export class Intake {
  readonly #options: IntakeOptions
  /** The disk has failed, and is not expected to take anything before this time. */
  #refusesUntilMs = 0
  /** How many records are on their way to the log. */
  #underWay = 0
  /** When the log last took or refused a record, or the first of those under way came. */
  #movedMs = 0
  /** How many requests the disk has not taken since the current outage began. */
  #refused = 0

  constructor(options: IntakeOptions) {
    this.#options = options
  }

  /** The rows and bytes that were accepted and are not stored yet. */
  get backlog(): { rows: number; bytes: number } {
    const { log, applier } = this.#options
    return { rows: Math.max(0, log.last - applier.applied), bytes: log.bytes }
  }

  /** Whether a record would be taken now. A disk that failed counts as taking records again after a while. */
  get isAccepting(): boolean {
    if (this.#options.log.obstacle !== undefined || this.#isFull || this.#isStalled) return false
    return performance.now() >= this.#refusesUntilMs
  }

  /** A disk that takes nothing does not fail either: only its silence shows it. */
  get #isStalled(): boolean {
    return this.#underWay > 0 && performance.now() > this.#movedMs + diskRestMs
  }

  get #isFull(): boolean {
    const { log, applier, maxBacklogRows, maxBacklogBytes } = this.#options
    return log.last - applier.applied > maxBacklogRows || log.bytes > maxBacklogBytes
  }

  /**
   * Refuses with 503 when the log takes nothing or the applier is too far behind. It is called before a body is read,
   * and again by `accept`. The holder is the client or user whose rows they are.
   */
  admit(holder = ''): void {
    const { obstacle } = this.#options.log
    if (obstacle !== undefined) throw unavailable(obstacle, obstacleRestMs)
    if (this.#isStalled) throw this.#refuse('The disk has taken nothing for ten seconds.')
    if (this.#isFull || this.#options.lagLimit.isReached(holder))
      throw overloaded(
        `${this.backlog.rows} accepted rows are waiting to be stored. Send again in a while.`,
        2,
      )
  }

  /** Resolves once the record is on disk and, if asked, in DuckDB. */
  async accept(record: LogRecord, sync: boolean, holder = ''): Promise<Accepted> {
    const { number, applier, taskIds, syncWaitMs, lagLimit } = this.#options
    // Many requests may have been admitted while all their bodies were still on their way.
    this.admit(holder)
    let last: number
    try {
      last = await this.#append(record)
    } catch (error) {
      if (error instanceof LogUnavailable) throw unavailable(error.message, error.retryAfterMs)
      throw this.#refuse(reasonOf(error))
    }
    if (this.#refused > 0) this.#recover()
    lagLimit.note(holder, record.count)
    applier.wake()
    if (sync) await applier.reached(last, syncWaitMs)
    const deadLetter = sync ? applier.deadLetter(last) : undefined
    const taskId = taskIds.issue({ log: number, last })
    return deadLetter === undefined ? { taskId } : { taskId, deadLetter }
  }

  async #append(record: LogRecord): Promise<number> {
    if (this.#underWay++ === 0) this.#movedMs = performance.now()
    try {
      return await this.#options.log.append(record)
    } finally {
      this.#underWay--
      this.#movedMs = performance.now()
    }
  }

  #refuse(reason: string): HttpError {
    // There is one line for each outage: a line for each request would fill what is left of the disk.
    if (this.#refused++ === 0) {
      this.#options.logger.error('The write-ahead log cannot be written.', { reason })
    }
    this.#refusesUntilMs = performance.now() + diskRestMs
    const message = 'The service cannot write to its disk. Nothing was accepted; send again later.'
    return overloaded(message, diskRestMs / 1000)
  }

  /** Ends the outage, but not at once: a disk that is almost full takes small records and still refuses large ones. */
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
