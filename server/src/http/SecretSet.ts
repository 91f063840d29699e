import { timingSafeEqual } from 'node:crypto'

const lengthBytes = 4
const usualBytes = 256

/** Finds a presented secret among a few, in a time that reveals nothing about them. */
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

  /** The index of a presented secret, -1 when it is none of them. */
  indexOf(presented: string): number {
    const asked = this.#pad(presented, this.#asked.fill(0))
    let found = -1
    for (let at = 0; at < this.#known.length; at++) {
      if (timingSafeEqual(this.#known[at]!, asked)) found = at
    }
    return found
  }

  /** Pads secrets to one size, with the length first, so that every comparison takes the same time. */
  #pad(secret: string, padded: Buffer): Buffer {
    padded.writeUInt32LE(Buffer.byteLength(secret))
    padded.write(secret, lengthBytes)
    return padded
  }
}
