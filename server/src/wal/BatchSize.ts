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
