import { setTimeout as delay } from 'node:timers/promises'
import { shorten } from '../json/shorten.js'
import type { Logger } from '../Logger.js'
import type { DeadLetter, DeadLetters } from './DeadLetters.js'
import type { LogReader } from './LogReader.js'
import { Pace } from './Pace.js'
import { lastOf, type LogEntry } from './segment.js'
import { requestOf, rowsOf } from './splitEntry.js'
import { Waiters } from './Waiters.js'

/** Resolves when it is time to go on, after so many rows. */
export type Rest = (rows: number) => Promise<void>

export interface ApplierOptions {
  log: Pick<LogReader, 'read' | 'last'>
  /** The position at the start. */
  applied: number
  /** What was set aside until now. */
  deadLetters: DeadLetters
  /** With so many rows waiting, requests are refused. */
  maxBacklogRows: number
  /** Writes the entries and the new position in one transaction; `rest` is called after each piece of them. */
  apply(entries: readonly LogEntry[], through: number, rest: Rest): Promise<void>
  /** Keeps rows of one request as dead letters, and moves the position past them, in one transaction. */
  setAside(entries: readonly LogEntry[], through: number, reason: string): Promise<void>
  /** Whether another try may succeed: a full disk, a conflict. Otherwise the data is at fault. */
  isTransient(error: unknown): boolean
  logger: Logger
  /** It has failed so many times in a row because there was no memory left. */
  onStarved?(failures: number): void
  /** News, for the process that took the requests. */
  onApplied(through: number): void
  onSetAside(letter: DeadLetter): void
}

/**
 * Events in one batch: a row group of DuckDB, which it writes to the file as it is. What is left over
 * of a row group is written to DuckDB's own log first, and then twice to the file.
 */
const maxRows = 122_880
const maxBytes = 2 ** 26
/**
 * A batch has a price of its own, whatever is in it. So the next one waits for company, in proportion
 * to what the last one took, but batch and rest together take a second at most: one that took longer
 * has rows waiting that are as old as that.
 */
const restPerBatch = 3
const maxCycleMs = 1000
const retryMs = [20, 50, 100, 250, 500, 1000, 2000]

/**
 * Each row that fails costs some milliseconds of the catalog's only writer, so of one request only so
 * many are found one by one.
 */
const maxRowsAlone = 1000

/** What DuckDB says of a statement of ours is nobody's business. */
const reasonOf = (error: unknown) =>
  shorten((error instanceof Error ? error.message : String(error)).split(/\n+LINE \d+:/, 1)[0]!, 500)

/** Says why rows cannot be stored; `of` the request where that holds for all of its rows. */
export class Unstorable extends Error {
  constructor(
    readonly of: 'request' | 'row',
    message: string,
  ) {
    super(message)
    this.name = 'Unstorable'
  }
}

/** The one writer of a catalog: takes what the log holds, as much as came since the last flush, in order. */
export class Applier {
  readonly #options: ApplierOptions
  #applied: number
  #running: Promise<void> | undefined
  #stopping = false
  /** Ends the pause at hand. */
  #hurry: (() => void) | undefined
  readonly #waiters = new Waiters()
  readonly #pace: Pace

  constructor(options: ApplierOptions) {
    this.#options = options
    this.#applied = options.applied
    const { log, maxBacklogRows } = options
    this.#pace = new Pace({ newest: () => log.last, waiting: () => this.#waiting(), maxBacklogRows })
  }

  get applied(): number {
    return this.#applied
  }

  /** What was set aside of the request that ends with this sequence, if it was, and lately. */
  deadLetter(request: number): DeadLetter | undefined {
    return this.#options.deadLetters.get(request)
  }

  /** Says that the log has grown. */
  wake(): void {
    const { log, logger } = this.#options
    if (this.#waiting() >= maxRows) this.#hurry?.()
    if (this.#running !== undefined || this.#stopping) return
    this.#running = this.#run().then(
      () => {
        this.#running = undefined
        if (log.last > this.#applied) this.wake()
      },
      (error: unknown) => {
        this.#running = undefined
        logger.error('Reading the write-ahead log failed.', { reason: reasonOf(error) })
      },
    )
  }

  /** Resolves true once a sequence has been applied or set aside, false when that took too long. */
  reached(sequence: number, withinMs: number): Promise<boolean> {
    if (sequence <= this.#applied) return Promise.resolve(true)
    const reached = this.#waiters.wait(sequence, withinMs)
    this.#hurry?.()
    return reached
  }

  /** Rests after the run at hand; what is left stays in the log. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#hurry?.()
    await this.#running
    this.#waiters.end()
  }

  #waiting(): number {
    return this.#options.log.last - this.#applied
  }

  async #run(): Promise<void> {
    const { log, logger } = this.#options
    let failures = 0
    for (;;) {
      const entries = await log.read(this.#applied, maxRows, maxBytes)
      if (entries.length === 0) return
      const began = performance.now()
      try {
        await this.#applyOrSplit(entries)
        failures = 0
        if (this.#stopping) return
        await this.#rest(performance.now() - began)
      } catch (error) {
        logger.warn('Storing accepted requests failed; they stay in the log.', { reason: reasonOf(error) })
        if (this.#stopping) return
        await delay(retryMs[Math.min(failures, retryMs.length - 1)])
        failures++
        if (/^Out of Memory/i.test(reasonOf(error))) this.#options.onStarved?.(failures)
      }
    }
  }

  /** Halves the run, and then the entry, around a row that DuckDB will never take, so that its neighbours get in. */
  async #applyOrSplit(entries: readonly LogEntry[]): Promise<void> {
    const through = lastOf(entries.at(-1)!)
    try {
      await this.#options.apply(entries, through, this.#restWithin)
    } catch (error) {
      if (this.#options.isTransient(error)) throw error
      const parts = entries.length > 1 ? entries : rowsOf(entries[0]!)
      if (parts.length > 1 && !this.#isHopeless(entries, error)) {
        const middle = parts.length >> 1
        await this.#applyOrSplit(parts.slice(0, middle))
        await this.#applyOrSplit(parts.slice(middle))
        return
      }
      await this.#setAside(entries, through, reasonOf(error))
    }
    this.#advance(entries)
  }

  /** Whether it is no use to look for rows of a request that can be stored. */
  #isHopeless(entries: readonly LogEntry[], error: unknown): boolean {
    const request = requestOf(entries[0]!).last
    if (entries.some((entry) => requestOf(entry).last !== request)) return false
    const { deadLetters } = this.#options
    const isOfAll = error instanceof Unstorable && error.of === 'request'
    return isOfAll || (deadLetters.get(request)?.rows ?? 0) >= maxRowsAlone
  }

  async #setAside(entries: readonly LogEntry[], through: number, reason: string): Promise<void> {
    const { logger, setAside, deadLetters, onSetAside } = this.#options
    const { kind, first } = entries[0]!
    const rows = through - first + 1
    logger.error('Accepted rows could not be stored and were set aside.', {
      kind,
      sequence: first,
      rows,
      reason,
    })
    await setAside(entries, through, reason)
    const letter = { request: requestOf(entries[0]!).last, rows, reason }
    deadLetters.add(letter)
    onSetAside(letter)
  }

  #advance(entries: readonly LogEntry[]): void {
    this.#applied = lastOf(entries.at(-1)!)
    this.#waiters.reach(this.#applied)
    this.#options.onApplied(this.#applied)
  }

  /** Between two pieces of a batch. */
  readonly #restWithin = async (rows: number): Promise<void> => {
    const restMs = this.#pace.restMs(rows)
    if (restMs > 0 && this.#waiters.isEmpty && !this.#stopping) await delay(restMs)
  }

  async #rest(tookMs: number): Promise<void> {
    const restMs = Math.min(restPerBatch * tookMs, maxCycleMs - tookMs)
    if (restMs > 0 && this.#waiting() < maxRows) await this.#pause(restMs)
  }

  async #pause(ms: number): Promise<void> {
    if (!this.#waiters.isEmpty || this.#stopping) return
    const abort = new AbortController()
    this.#hurry = () => abort.abort()
    await delay(ms, undefined, { signal: abort.signal }).catch(() => undefined)
    this.#hurry = undefined
  }
}
