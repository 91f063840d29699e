/** Together with the rows' own limit this leaves usual batches whole from 1 GiB of memory on. */
const mostBytes = 2 ** 26
/**
 * Measured with 256 MiB: of events of 0.2 to 100 kB a batch of four times this share fits, but the whole process then
 * holds 850 MiB of the 896 that it may. Users with hundreds of traits, and ids of some kB, need so much more that
 * this share of them does not fit, which is found out by halving.
 */
const memoryShare = 1 / 16
/** After an engine was ended while it stored: each try costs a start, so the steps are larger. */
const afterEnd = 8
const slowGrowth = 1.1

/**
 * How many bytes of bodies are stored together: as many as fit into memory. What did not fit is halved until it
 * does; after that batches double up to half of what did not fit, and from there on grow slowly.
 */
export class BatchSize {
  readonly #most: number
  #bytes: number
  /** What did not fit last. */
  #tooMany = Infinity

  constructor(memoryBytes: number) {
    this.#most = Math.min(mostBytes, Math.floor(memoryBytes * memoryShare))
    this.#bytes = this.#most
  }

  get bytes(): number {
    return this.#bytes
  }

  /** A batch of so many bytes did not fit. */
  shrink(bytes: number): void {
    this.#tooMany = bytes
    this.#bytes = Math.max(1, Math.floor(Math.min(this.#bytes, bytes) / 2))
  }

  /** An engine ended while it stored a batch of so many bytes. */
  beginBelow(bytes: number): void {
    this.#bytes = Math.max(1, Math.floor(Math.min(this.#most, bytes) / afterEnd))
  }

  /** A batch was stored. */
  grow(): void {
    const doubled = 2 * this.#bytes
    const next = doubled <= this.#tooMany / 2 ? doubled : Math.ceil(slowGrowth * this.#bytes)
    this.#bytes = Math.min(this.#most, next)
  }

  /** What did not fit is gone. */
  forget(): void {
    this.#tooMany = Infinity
  }
}
