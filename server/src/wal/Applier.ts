import { setTimeout as delay } from 'node:timers/promises'
import { shorten } from '../http/HttpError.js'
import { Recurring } from '../Watchdog.js'
import { collectSoon } from '../duckdb/givingBack.js'
import { isOutOfMemory, isOutOfRoom } from '../duckdb/transactions.js'
import type { ApplierOptions } from './Attempt.js'
import { batchesOf, lastOf, type LogEntry, requestOf, rowsIn, rowsOf } from './segment.js'
import { Waiters } from './RemoteApplier.js'
import { whyFailing, Unstorable, type DeadLetter } from './rejected.js'
import { reasonOf } from '../OperatorError.js'

/** From 1 GiB of memory on, a sixteenth of it is this much: usual batches then reach their limit of rows first. */
const mostBytes = 2 ** 26
/**
 * Measured with 256 MiB and events of 0.2 to 100 kB: a batch of four times this share fits, but the whole process
 * then holds 850 MiB of the 896 that it may. Users with hundreds of traits, or with ids of some kB, need so much more
 * memory that even this share does not fit; then halving finds the size that does.
 */
const memoryShare = 1 / 16
/**
 * A batch is at most one row group of DuckDB, which DuckDB writes to its file as it is. It writes an incomplete row
 * group to its own log first and then twice to the file.
 */
const mostRows = 122_880
/** A batch takes about so long, so that the rows that come meanwhile need not wait longer for the next one. */
const batchMs = 1000
/** Fewer rows than this cost hardly less time, so nothing is learned from them. */
export const fewRows = 2000
/** The divisor after an engine has ended while it stored: each try costs a start, so the steps are larger than halves. */
const afterEnd = 8
/** Near the size that did not fit a batch grows by a tenth: doubling would meet it again at once. */
const slowGrowth = 1.1

/**
 * Decides how much is stored together: as many rows as take a second, and as many bytes of bodies as fit into memory. A batch that did not fit is halved
 * until it does. After that batches double up to half of the size that did not fit, and grow slowly from there on.
 */
export class BatchSize {
  readonly #most: number
  #bytes: number
  #rows = mostRows / 8
  /** The size that did not fit last. */
  #tooMany = Infinity

  constructor(memoryBytes: number) {
    this.#most = Math.min(mostBytes, Math.floor(memoryBytes * memoryShare))
    this.#bytes = this.#most
  }

  get bytes(): number {
    return this.#bytes
  }

  get rows(): number {
    return this.#rows
  }

  /** Takes how long so many rows took. */
  took(rows: number, ms: number): void {
    if (rows < fewRows) return
    const next = Math.min(2 * this.#rows, (rows * batchMs) / Math.max(1, ms))
    this.#rows = Math.round(Math.max(fewRows, Math.min(mostRows, next)))
  }

  /** Halves the size: a batch of this many bytes did not fit. */
  shrink(bytes: number): void {
    this.#tooMany = bytes
    this.#bytes = Math.max(1, Math.floor(Math.min(this.#bytes, bytes) / 2))
  }

  /** Begins with an eighth of a batch during which an engine ended. */
  beginBelow(bytes: number): void {
    this.#bytes = Math.max(1, Math.floor(Math.min(this.#most, bytes) / afterEnd))
  }

  /** Raises the size: a batch was stored. */
  grow(): void {
    const doubled = 2 * this.#bytes
    const next = doubled <= this.#tooMany / 2 ? doubled : Math.ceil(slowGrowth * this.#bytes)
    this.#bytes = Math.min(this.#most, next)
  }

  /** Forgets the size that did not fit: the row that was the cause is set aside. */
  forget(): void {
    this.#tooMany = Infinity
  }
}

/**
 * A batch costs time of its own, however few rows are in it. So the applier rests after each batch for three times as
 * long as it took, and more rows share the next one: at 1,000 rows a second a row costs the engine 162 µs of a
 * processor, 316 without pauses. Both together take a second at most: the waiting rows are then as old as that.
 */
const pausePerBatch = 3
/** So many rows fill a batch well enough. */
const manyRows = 10_000
const maxCycleMs = 1000
const retryMs = [20, 50, 100, 250, 500, 1000, 2000]

/**
 * Each row that fails costs the catalog's only writer some milliseconds. After this many failures in one request, the
 * rest of it is set aside without a try of each row.
 */
const maxRowsAlone = 1000

/** After two restarts memory that is held while nothing else runs is the store's own, and never becomes free. */
const surelyAlone = 2
/** What a query or another applier has just given back may not be free yet when a row is tried alone. */
const failsAlone = 2
/** An engine that has ended four times at one row would end there again and again. */
const maxEnds = 4

/** An error's message without the statement that DuckDB quotes in it: users did not write it and would look for it. */
const shortReasonOf = (error: unknown) => shorten(reasonOf(error).split(/\n+LINE \d+:/, 1)[0]!, 500)

/** The only writer of a catalog: it stores what the log holds, in order, in batches of what came meanwhile. */
export class Applier {
  readonly #options: ApplierOptions
  #applied: number
  #running: Promise<void> | undefined
  #isStopping = false
  /** When what is stored now was begun. */
  #beganMs = 0
  /** Ends the current pause. */
  #hurry: (() => void) | undefined
  readonly #waiters = new Waiters()
  readonly #size: BatchSize
  readonly #failures = new Recurring()
  /** The row before was set aside because it needs too much memory: its neighbours may be like it. */
  #isWary = false
  /** There was no memory for the next row, and it is not known what held the memory. */
  #isStarved = false
  /** The failure that `onStoring` heard last; null when it heard of a success, undefined when it heard nothing yet. */
  #reported: string | null | undefined

  constructor(options: ApplierOptions) {
    this.#options = options
    this.#applied = options.applied
    const { memoryBytes, attempt } = options
    this.#size = new BatchSize(memoryBytes)
    const unfinished = attempt.unfinishedAt(options.applied)
    if (unfinished !== undefined) this.#size.beginBelow(unfinished)
  }

  get applied(): number {
    return this.#applied
  }

  /** Whether the last try to store rows failed. */
  get isFailing(): boolean {
    return typeof this.#reported === 'string'
  }

  /** The dead letter of the request whose last row has this sequence; undefined when there is none among the newest. */
  deadLetter(request: number): DeadLetter | undefined {
    return this.#options.deadLetters.get(request)
  }

  /** Starts the applier, or shortens its pause: the log has grown. */
  wake(): void {
    const { log, logger } = this.#options
    if (this.#waiting() >= manyRows) this.#hurry?.()
    if (this.#running !== undefined || this.#isStopping) return
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

  /** Resolves true once the row is stored or set aside, false after `withinMs`. */
  reached(sequence: number, withinMs: number): Promise<boolean> {
    if (sequence <= this.#applied) return Promise.resolve(true)
    const reached = this.#waiters.wait(sequence, withinMs)
    this.#hurry?.()
    return reached
  }

  /** Ends after the current batch; the other rows stay in the log. */
  async stop(): Promise<void> {
    this.#isStopping = true
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
      const entries = await log.read(this.#applied, this.#size.rows, this.#size.bytes)
      if (entries.length === 0) {
        this.#report(undefined)
        return
      }
      const began = (this.#beganMs = performance.now())
      const newest = log.last
      try {
        for (const batch of batchesOf(entries, () => this.#size.bytes)) {
          const beganMs = performance.now()
          const isStored = await this.#store(batch)
          if (isStored) this.#size.took(rowsIn(batch), performance.now() - beganMs)
          if (this.#isStopping) return
          if (!isStored) break
          failures = 0
          this.#report(undefined)
        }
        // Rows that were there before the batch and did not fit into it are stored without a pause. So are those of
        // which half a batch has come meanwhile: a pause would only make them late.
        if (this.#applied >= newest && this.#waiting() < Math.max(fewRows, rowsIn(entries)) / 2)
          await this.#pauseAfterBatch(performance.now() - began)
      } catch (error) {
        this.#report(error)
        if (this.#isStopping) return
        await delay(retryMs[Math.min(failures, retryMs.length - 1)])
        failures++
        if (isOutOfMemory(error)) onStarved?.(failures)
      }
    }
  }

  /** Gives false when the batch needs more memory than there is: it must be tried in smaller batches. */
  async #store(entries: readonly LogEntry[]): Promise<boolean> {
    const { attempt } = this.#options
    const row = entries.length === 1 && entries[0]!.count === 1 ? entries[0] : undefined
    const bytes = entries.reduce((sum, { body }) => sum + body.length, 0)
    const isSuspect = row !== undefined && (this.#isWary || attempt.isRowAt(this.#applied))
    let isStored = false
    try {
      attempt.note({ applied: this.#applied, bytes, isOneRow: row !== undefined, isToBlame: this.#isStarved })
      if (!isSuspect) {
        await this.#options.among(() => this.#applyOrSplit(entries))
        isStored = true
      }
    } catch (error) {
      if (!isOutOfMemory(error)) {
        attempt.clear()
        throw error
      }
      collectSoon()
      if (row === undefined) {
        this.#report(error)
        this.#size.shrink(bytes)
        return false
      }
    }
    isStored ||= await this.#storeAlone(row!)
    this.#isWary = !isStored
    if (isStored) this.#size.grow()
    return true
  }

  /**
   * Sets a row aside, and gives false, when twice it does not fit while nothing else needs memory: it would never fit.
   */
  async #storeAlone(row: LogEntry): Promise<boolean> {
    const { attempt, alone, memoryBytes } = this.#options
    const noted = { applied: this.#applied, bytes: row.body.length, isOneRow: true }
    const ends = attempt.endsAt(this.#applied)
    let reason = `The engine ended ${ends} times while it stored this row alone.`
    for (let fails = 0; fails < failsAlone && ends < maxEnds; fails++) {
      const { error, wasFree, wasAlone } = await alone((isFree) => {
        attempt.note({ ...noted, isToBlame: isFree || this.#isStarved })
        return this.#applyOrSplit([row])
      })
      if (error === undefined) return true
      if (!isOutOfMemory(error) || isOutOfRoom(error)) {
        attempt.clear()
        throw error
      }
      collectSoon()
      if (!wasFree && (!wasAlone || ends < surelyAlone)) {
        // If this goes on, the engine is started again, and the next engine must know which row it was.
        this.#isStarved = wasAlone
        attempt.note({ ...noted, isToBlame: wasAlone })
        throw error
      }
      const limit = Math.round(memoryBytes / 2 ** 20)
      reason = `Storing it takes more memory than DuckDB may have (--memory-limit, ${limit} MiB).`
    }
    await this.#setAside([row], lastOf(row), reason)
    this.#advance([row])
    this.#size.forget()
    return false
  }

  /** Halves the batch, and then the entry, around a row that DuckDB will never take, so that its neighbours are stored. */
  async #applyOrSplit(entries: readonly LogEntry[]): Promise<void> {
    const through = lastOf(entries.at(-1)!)
    try {
      await this.#options.apply(entries, through)
    } catch (error) {
      if (this.#options.isTransient(error)) throw error
      const [entry] = entries
      // A row may be stored by itself although what its request says about all rows is not true of this one.
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

  /** Whether it is useless to look for rows of the request that can be stored. */
  #isHopeless(entries: readonly LogEntry[], error: unknown): boolean {
    const request = requestOf(entries[0]!).last
    if (entries.some((entry) => requestOf(entry).last !== request)) return false
    const { deadLetters } = this.#options
    const concernsAllRows = error instanceof Unstorable && error.of === 'request'
    return concernsAllRows || (deadLetters.get(request)?.rows ?? 0) >= maxRowsAlone
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

  /** Reports a failure or a success to `onStoring` at once, and logs a failure when it is new. */
  #report(error: unknown): void {
    const { logger, onStoring } = this.#options
    if (error !== undefined) {
      const reason = shortReasonOf(error)
      const times = this.#failures.note(reason)
      if (times !== undefined)
        logger.warn('Storing accepted requests failed; they stay in the log.', { reason, times })
    }
    const failing = error === undefined ? null : whyFailing(error)
    if (failing === this.#reported) return
    this.#reported = failing
    onStoring?.(failing ?? undefined, error)
  }

  #advance(entries: readonly LogEntry[]): void {
    this.#applied = lastOf(entries.at(-1)!)
    this.#isStarved = false
    this.#waiters.reach(this.#applied)
    const nowMs = performance.now()
    this.#options.onApplied(this.#applied, nowMs - this.#beganMs)
    this.#beganMs = nowMs
  }

  async #pauseAfterBatch(tookMs: number): Promise<void> {
    const ms = Math.min(pausePerBatch * tookMs, maxCycleMs - tookMs)
    if (ms <= 0 || this.#waiting() >= manyRows || !this.#waiters.isEmpty || this.#isStopping) return
    const abort = new AbortController()
    this.#hurry = () => abort.abort()
    await delay(ms, undefined, { signal: abort.signal }).catch(() => undefined)
    this.#hurry = undefined
  }
}
