/** A message is a letter, its length in four bytes that count themselves, and the rest. */
const headBytes = 5

/** Knows of a stream of messages whether it is between two of them, without reading them. */
export class MessageBounds {
  readonly #head = Buffer.alloc(headBytes)
  /** How much of a head has come. */
  #headAt = 0
  /** How much of a message is still to come behind its head. */
  #left = 0

  get isAtEnd(): boolean {
    return this.#left === 0 && this.#headAt === 0
  }

  pass(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      if (this.#left > 0) {
        const some = Math.min(this.#left, chunk.length - at)
        this.#left -= some
        at += some
        continue
      }
      this.#head[this.#headAt++] = chunk[at++]!
      if (this.#headAt < headBytes) continue
      this.#headAt = 0
      this.#left = this.#head.readUInt32BE(1) - (headBytes - 1)
    }
  }
}
