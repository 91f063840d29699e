import { openSync, readFileSync, writeSync, closeSync } from 'node:fs'
import type { Logger } from '../Logger.js'
import type { DeadLetter, RecentDeadLetters } from './rejected.js'
import type { LogReader } from './LogReader.js'
import type { LogEntry } from './segment.js'

/** What became of work that was done while nothing else ran. */
export interface AloneOutcome {
  /** What it was rejected with; undefined when it was done. */
  error: unknown
  /** Whether nothing else held memory meanwhile. */
  wasFree: boolean
  /** Whether nothing else ran, whatever memory was held. */
  wasAlone: boolean
}

export interface ApplierOptions {
  log: Pick<LogReader, 'read' | 'last'>
  /** The position at the start. */
  applied: number
  /** What was set aside until now. */
  deadLetters: RecentDeadLetters
  /** Writes the entries and the new position in one transaction. */
  apply(entries: readonly LogEntry[], through: number): Promise<void>
  /** Keeps rows of one request as dead letters, and moves the position past them, in one transaction. */
  setAside(entries: readonly LogEntry[], through: number, reason: string): Promise<void>
  /** Whether another try may succeed: a full disk, a conflict. Otherwise the data is at fault. */
  isTransient(error: unknown): boolean
  /** What DuckDB may hold. */
  memoryBytes: number
  /** What the engine before this one was at, and this one is. */
  attempt: Pick<Attempt, 'unfinishedAt' | 'isRowAt' | 'endsAt' | 'note' | 'clear'>
  /**
   * Does work while queries and all else that stores rows are held back, and ends queries that hold memory; tells it
   * whether nothing else does.
   */
  alone(work: (isFree: boolean) => Promise<void>): Promise<AloneOutcome>
  /** Does work beside others, which `alone` waits for. */
  among<T>(work: () => Promise<T>): Promise<T>
  logger: Logger
  /** Tells how many times in succession a single row found no memory, when nothing known held it. */
  onStarved?(failures: number): void
  /** Why the last try failed; undefined once one has succeeded, or nothing is left to store. */
  onStoring?(failing: string | undefined, error?: unknown): void
  /** News, for the process that took the requests; `tookMs` is what storing took since the news before, without rests. */
  onApplied(through: number, tookMs: number): void
  onSetAside(letter: DeadLetter): void
}

/** Describes a batch that is about to be stored. */
export interface Tried {
  /** The position before the batch. */
  applied: number
  bytes: number
  isOneRow: boolean
  /** Whether the row is the cause if the engine ends now, because nothing else needs memory. */
  isToBlame: boolean
}

interface Noted extends Tried {
  /** How many engines before this one ended because of the same row. */
  ends: number
}

const lineBytes = 128

const read = (file: string): Noted | undefined => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Noted
  } catch {
    // There is no file yet, or the write was cut off: then nothing is known.
    return undefined
  }
}

/**
 * Notes what the engine is about to store, so that the next engine does not begin with the batch that ended this one.
 * The file is written over in place without waiting for the disk: it need only outlive the process, and may be lost.
 *
 * | offset | length | meaning |
 * |---|---|---|
 * | 0 | 128 | one line of JSON, filled up with spaces |
 *
 * The line is, for example, `{"applied":1200,"bytes":9000,"isOneRow":false,"isToBlame":false,"ends":0}`.
 * Check: a line that is not JSON counts as no note. Another version: a note counts only for a row after `applied`.
 */
export class Attempt {
  readonly #file: number | undefined
  readonly #before: Noted | undefined

  constructor(file: string) {
    this.#before = read(file)
    try {
      this.#file = openSync(file, this.#before === undefined ? 'w' : 'r+', 0o600)
    } catch {
      // On a full disk storing goes on without notes.
    }
  }

  /** The size of the batch after a position that was being stored when an engine ended, in bytes. */
  unfinishedAt(applied: number): number | undefined {
    return this.#before?.applied === applied ? this.#before.bytes : undefined
  }

  /** Whether an engine ended while it stored the row after a position by itself. */
  isRowAt(applied: number): boolean {
    return this.#before?.applied === applied && this.#before.isOneRow
  }

  /** How many engines ended because of the row after a position. */
  endsAt(applied: number): number {
    const before = this.#before
    return before?.applied === applied ? before.ends + Number(before.isToBlame) : 0
  }

  note(tried: Tried): void {
    this.#write({ ...tried, ends: this.endsAt(tried.applied) })
  }

  /** Removes the note: the batch failed for a reason that the next engine need not know. */
  clear(): void {
    this.#write({ applied: -1, bytes: 0, isOneRow: false, isToBlame: false, ends: 0 })
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
  }

  #write(noted: Noted): void {
    if (this.#file === undefined) return
    try {
      writeSync(this.#file, JSON.stringify(noted).padEnd(lineBytes), 0)
    } catch {
      // On a full disk storing goes on without this note.
    }
  }
}
