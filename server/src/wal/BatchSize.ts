/** From 1 GiB of memory on, a sixteenth of it is this much: usual batches then reach their limit of rows first. */
const mostBytes = 2 ** 26
/**
 * Measured with 256 MiB and events of 0.2 to 100 kB: a batch of four times this share fits, but the whole process
 * then holds 850 MiB of the 896 that it may. Users with hundreds of traits, or with ids of some kB, need so much more
 * memory that even this share does not fit; then halving finds the size that does.
 */
const memoryShare = 1 / 16
/** The divisor after an engine has ended while it stored: each try costs a start, so the steps are larger than halves. */
const afterEnd = 8
/** Near the size that did not fit a batch grows by a tenth: doubling would meet it again at once. */
const slowGrowth = 1.1

/**
 * Decides how many bytes of bodies are stored together: as many as fit into memory. A batch that did not fit is halved
 * until it does. After that batches double up to half of the size that did not fit, and grow slowly from there on.
 */
export class BatchSize {
  readonly #most: number
  #bytes: number
  /** The size that did not fit last. */
  #tooMany = Infinity

  constructor(memoryBytes: number) {
    this.#most = Math.min(mostBytes, Math.floor(memoryBytes * memoryShare))
    this.#bytes = this.#most
  }

  get bytes(): number {
    return this.#bytes
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
