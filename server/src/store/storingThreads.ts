import { availableParallelism } from 'node:os'

/**
 * How many threads DuckDB stores rows with. One processor is left to the process that takes requests:
 * with two threads on two processors one spins while it waits for the other, which took a third more
 * processor time a row, and beside a full burst stored 32 to 40 thousand rows a second instead of 40 to 54.
 */
export const storingThreads = (threads: number): number =>
  Math.max(1, Math.min(threads, availableParallelism() - 1))
