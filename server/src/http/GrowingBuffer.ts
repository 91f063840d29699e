/** A buffer that doubles: each chunk kept by itself would hold some hundred bytes for one that was sent. */
export class GrowingBuffer {
  readonly #most: number
  #buffer: Buffer | undefined
  #length = 0

  constructor(most: number) {
    this.#most = most
  }

  get bytes(): number {
    return this.#buffer?.length ?? 0
  }

  /** How many bytes it will hold once so many more have come. */
  with(more: number): number {
    const needed = this.#length + more
    if (needed <= this.bytes || this.#buffer === undefined) return Math.max(needed, this.bytes)
    return Math.max(needed, Math.min(2 * this.bytes, this.#most))
  }

  add(chunk: Buffer): void {
    const bytes = this.with(chunk.length)
    // Most bodies come in one chunk, which is not copied.
    if (this.#buffer === undefined) this.#buffer = chunk
    else {
      if (bytes > this.bytes) {
        const larger = Buffer.allocUnsafeSlow(bytes)
        this.#buffer.copy(larger, 0, 0, this.#length)
        this.#buffer = larger
      }
      chunk.copy(this.#buffer, this.#length)
    }
    this.#length += chunk.length
  }

  get content(): Buffer {
    return this.#buffer?.subarray(0, this.#length) ?? Buffer.alloc(0)
  }
}
