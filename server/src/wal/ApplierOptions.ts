import type { Logger } from '../Logger.js'
import type { Attempt } from './Attempt.js'
import type { DeadLetter, RecentDeadLetters } from './RecentDeadLetters.js'
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
