import { setTimeout as delay } from 'node:timers/promises'
import { shorten } from '../json/shorten.js'
import { Recurring } from '../Recurring.js'
import { isOutOfMemory, isOutOfRoom } from '../store/transactions.js'
import type { ApplierOptions } from './ApplierOptions.js'
import { BatchSize } from './BatchSize.js'
import type { DeadLetter } from './DeadLetters.js'
import { Pace } from './Pace.js'
import { lastOf, type LogEntry } from './segment.js'
import { batchesOf, requestOf, rowsOf } from './splitEntry.js'
import { Unstorable } from './Unstorable.js'
import { Waiters } from './Waiters.js'
import { whyFailing } from './whyFailing.js'
import { reasonOf } from '../reasonOf.js'

/**
 * Events in one batch: a row group of DuckDB, which it writes to the file as it is. What is left over
 * of a row group is written to DuckDB's own log first, and then twice to the file.
 */
const maxRows = 122_880
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

/** So many restarts of the engine show that what a row lacks is not held by anything else. */
const surelyAlone = 2
/** An engine that so often ended at one row would end there for ever. */
const maxEnds = 4

/** An error's message without the statement of ours that DuckDB quotes in it: users would look for what they wrote. */
const shortReasonOf = (error: unknown) => shorten(reasonOf(error).split(/\n+LINE \d+:/, 1)[0]!, 500)

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
  readonly #size: BatchSize
  readonly #failures = new Recurring()
  /** The row before was set aside for its need of memory: its neighbours may be like it. */
  #isWary = false
  /** There was no memory for the next row, and what held it is not known. */
  #isStarved = false
  /** What was told of storing last; null when all was well. */
  #told: string | null | undefined

  constructor(options: ApplierOptions) {
    this.#options = options
    this.#applied = options.applied
    const { log, maxBacklogRows, memoryBytes, attempt } = options
    this.#size = new BatchSize(memoryBytes)
    const unfinished = attempt.unfinishedAt(options.applied)
    if (unfinished !== undefined) this.#size.beginBelow(unfinished)
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
        logger.error('Reading the write-ahead log failed.', { reason: shortReasonOf(error) })
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
    const { log, onStarved } = this.#options
    let failures = 0
    for (;;) {
      const entries = await log.read(this.#applied, maxRows, this.#size.bytes)
      if (entries.length === 0) {
        this.#tell(undefined)
        return
      }
      const began = performance.now()
      const newest = log.last
      try {
        for (const batch of batchesOf(entries, () => this.#size.bytes)) {
          const isStored = await this.#store(batch)
          if (this.#stopping) return
          if (!isStored) break
          failures = 0
          this.#tell(undefined)
        }
        // What is left was cut off for its size.
        if (this.#applied >= newest) await this.#rest(performance.now() - began)
      } catch (error) {
        this.#tell(error)
        if (this.#stopping) return
        await delay(retryMs[Math.min(failures, retryMs.length - 1)])
        failures++
        if (isOutOfMemory(error)) onStarved?.(failures)
      }
    }
  }

  /** Gives false where it needs more memory than there is, so that it must be tried in smaller batches. */
  async #store(entries: readonly LogEntry[]): Promise<boolean> {
    const { attempt } = this.#options
    const row = entries.length === 1 && entries[0]!.count === 1 ? entries[0] : undefined
    const bytes = entries.reduce((sum, { body }) => sum + body.length, 0)
    const isSuspect = row !== undefined && (this.#isWary || attempt.isRowAt(this.#applied))
    let isStored = false
    try {
      attempt.note({ applied: this.#applied, bytes, isOneRow: row !== undefined, isToBlame: this.#isStarved })
      if (!isSuspect) {
        await this.#applyOrSplit(entries)
        isStored = true
      }
    } catch (error) {
      if (!isOutOfMemory(error)) {
        attempt.clear()
        throw error
      }
      if (row === undefined) {
        this.#tell(error)
        this.#size.shrink(bytes)
        return false
      }
    }
    isStored ||= await this.#storeAlone(row!)
    this.#isWary = !isStored
    if (isStored) this.#size.grow()
    return true
  }

  /** A row that does not fit while nothing else needs memory never will: it is set aside, and this gives false. */
  async #storeAlone(row: LogEntry): Promise<boolean> {
    const { attempt, alone, memoryBytes } = this.#options
    const noted = { applied: this.#applied, bytes: row.body.length, isOneRow: true }
    const ends = attempt.endsAt(this.#applied)
    let reason = `The engine ended ${ends} times while this was stored alone.`
    if (ends < maxEnds) {
      const { error, wasFree } = await alone((isFree) => {
        attempt.note({ ...noted, isToBlame: isFree || this.#isStarved })
        return this.#applyOrSplit([row])
      })
      if (error === undefined) return true
      if (!isOutOfMemory(error) || isOutOfRoom(error)) {
        attempt.clear()
        throw error
      }
      if (!wasFree && ends < surelyAlone) {
        // If this goes on, the engine begins anew, and the next one shall know of it.
        this.#isStarved = true
        attempt.note({ ...noted, isToBlame: true })
        throw error
      }
      const limit = Math.round(memoryBytes / 2 ** 20)
      reason = `To store it takes more memory than DuckDB may have (--memory-limit, ${limit} MiB).`
    }
    await this.#setAside([row], lastOf(row), reason)
    this.#advance([row])
    this.#size.forget()
    return false
  }

  /** Halves the run, and then the entry, around a row that DuckDB will never take, so that its neighbours get in. */
  async #applyOrSplit(entries: readonly LogEntry[]): Promise<void> {
    const through = lastOf(entries.at(-1)!)
    try {
      await this.#options.apply(entries, through, this.#restWithin)
    } catch (error) {
      if (this.#options.isTransient(error)) throw error
      const [entry] = entries
      // One row of several may be stored by itself where what the request says of all of them does not hold.
      const isPart = entry!.request !== undefined && entry!.isAlone !== true
      const parts = entries.length > 1 ? entries : rowsOf(entry!)
      if ((parts.length > 1 || isPart) && !this.#isHopeless(entries, error)) {
        const middle = parts.length >> 1
        if (middle > 0) await this.#applyOrSplit(parts.slice(0, middle))
        await this.#applyOrSplit(parts.slice(middle))
        return
      }
      await this.#setAside(entries, through, shortReasonOf(error))
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

  /** A failure is told at once, and logged when it is new. */
  #tell(error: unknown): void {
    const { logger, onStoring } = this.#options
    if (error !== undefined) {
      const reason = shortReasonOf(error)
      const times = this.#failures.note(reason)
      if (times !== undefined)
        logger.warn('Storing accepted requests failed; they stay in the log.', { reason, times })
    }
    const failing = error === undefined ? null : whyFailing(error)
    if (failing === this.#told) return
    this.#told = failing
    onStoring?.(failing ?? undefined, error)
  }

  #advance(entries: readonly LogEntry[]): void {
    this.#applied = lastOf(entries.at(-1)!)
    this.#isStarved = false
    this.#waiters.reach(this.#applied)
    this.#options.onApplied(this.#applied)
  }

  /** Between two pieces of a batch. */
  readonly #restWithin = async (rows: number): Promise<void> => {
    const restMs = this.#pace.pauseMs(rows)
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
