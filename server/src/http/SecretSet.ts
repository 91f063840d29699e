import { timingSafeEqual } from 'node:crypto'

const lengthBytes = 4
const usualBytes = 256

/** Says whether a presented secret is one of a few, in a time that tells nothing about them. */
export class SecretSet {
  readonly #longest: number
  readonly #known: readonly Buffer[]
  readonly #asked: Buffer

  constructor(secrets: readonly string[]) {
    this.#longest = Math.max(usualBytes, ...secrets.map((secret) => Buffer.byteLength(secret)))
    const size = lengthBytes + this.#longest
    this.#known = secrets.map((secret) => this.#pad(secret, Buffer.alloc(size)))
    this.#asked = Buffer.alloc(size)
  }

  /** The place of a secret among those given, -1 for any other text. */
  indexOf(presented: string): number {
    const asked = this.#pad(presented, this.#asked.fill(0))
    let found = -1
    for (let at = 0; at < this.#known.length; at++) {
      if (timingSafeEqual(this.#known[at]!, asked)) found = at
    }
    return found
  }

  /** All of one size, with the length before, so that comparing takes as long whatever is compared. */
  #pad(secret: string, padded: Buffer): Buffer {
    padded.writeUInt32LE(Buffer.byteLength(secret))
    padded.write(secret, lengthBytes)
    return padded
  }
}
