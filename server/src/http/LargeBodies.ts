import { refuse } from './HttpError.js'

export interface LargeBodiesOptions {
  /** Bodies up to this size are always taken: browsers send no larger ones. @defaultValue 256 KiB */
  smallBytes?: number
  /** How many bytes the larger bodies of one key may hold at once. @defaultValue 32 MiB */
  maxBytes?: number
}

/** One body that may be large. */
export interface LargeBody {
  /** Notes how many bytes have come. Throws 503 when there is no room for them. */
  grow(bytes: number): void
  /** Frees the room: the request has been answered. */
  end(): void
}

/**
 * Bounds the memory of large bodies, from their first byte until they are answered. Keys are public, so a client that
 * uses up this room must not keep out the small bodies of others.
 */
export class LargeBodies {
  readonly #options: Required<LargeBodiesOptions>
  /** The bytes that are held, by key. */
  readonly #held = new Map<string, number>()

  constructor(options: LargeBodiesOptions = {}) {
    this.#options = { smallBytes: 2 ** 18, maxBytes: 2 ** 25, ...options }
  }

  /**
   * Begins to count a body; undefined when its header says that it is small. Throws 503 when there is no room for the
   * declared size. A body without a declared size is counted as it comes.
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
    // A larger declared size is refused by `readBody`.
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
