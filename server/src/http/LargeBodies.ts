import { refuse } from './HttpError.js'

export interface LargeBodiesOptions {
  /** Smaller bodies, which is what browsers send, are always taken. */
  smallBytes?: number
  /** What the larger ones of one key may hold at once. */
  maxBytes?: number
}

/** One body that may be large. */
export interface LargeBody {
  /** Told how many bytes have come. Throws 503 when there is no room for them. */
  grow(bytes: number): void
  /** It was answered. */
  end(): void
}

/**
 * Bounds what large bodies hold in memory at once, from their first byte until they are answered. Keys are public, so
 * whoever fills this up must not keep out the small bodies of others.
 */
export class LargeBodies {
  readonly #options: Required<LargeBodiesOptions>
  /** By key. */
  readonly #held = new Map<string, number>()

  constructor(options: LargeBodiesOptions = {}) {
    this.#options = { smallBytes: 2 ** 18, maxBytes: 2 ** 25, ...options }
  }

  /**
   * Undefined for a body whose header says that it is small. Throws 503 when there is no room for a larger one; without
   * a header that shows as it comes.
   */
  begin(key: string, declared: string | undefined): LargeBody | undefined {
    const { smallBytes, maxBytes } = this.#options
    if (declared !== undefined && Number(declared) <= smallBytes) return undefined
    let own = 0
    const hold = (bytes: number) => {
      const all = (this.#held.get(key) ?? 0) + bytes - own
      if (all > maxBytes) throw tooMuch()
      own = bytes
      if (all > 0) this.#held.set(key, all)
      else this.#held.delete(key)
    }
    // More than that is refused by whoever reads it.
    if (declared !== undefined && Number(declared) <= maxBytes) hold(Number(declared))
    return {
      grow: (bytes) => {
        if (bytes > smallBytes && bytes > own) hold(bytes)
      },
      end: () => hold(0),
    }
  }
}

const tooMuch = () =>
  refuse(503, 'overloaded', 'This key has too many large bodies under way. Send again in a while.', {
    'retry-after': '2',
  })
