import { refuse } from '../http/HttpError.js'

/** What waits for its client now and then. */
export interface Pausable {
  /** Others may have the place from a moment on, until `resume`. */
  pause(): void
  /** Resolves with a place again. */
  resume(): Promise<void>
}

export interface Permit extends Pausable {
  /** Gives the place to the next in the queue. */
  release(): void
}

interface Waiting {
  user: string
  /** It has had a place already. */
  isBack: boolean
  start(): void
}

export interface ConcurrencyLimitOptions {
  permits: number
  maxWaiting: number
  /** So many may rest, because each keeps memory of DuckDB's and a connection. */
  maxPaused?: number
}

interface Paused {
  user: string
  end(): void
}

export interface Asking {
  user?: string
  /** Aborted, it leaves the queue. */
  signal?: AbortSignal
  /** Ends one that rests, when too many do. */
  end?(): void
}

/** A client that takes what it is sent is seldom later than this. */
const restAfterMs = 50

/**
 * Every running DuckDB call holds a thread of libuv's pool, which the file system needs too. So
 * fewer queries run at once than the pool has threads, and the rest wait here, where a cancelled
 * one is simply not started. The next is who has the fewest places, and among those who came first.
 *
 *   waiting → running ⇄ resting
 *   any of them → released
 */
export class ConcurrencyLimit {
  #free: number
  readonly #options: ConcurrencyLimitOptions
  /** How many want that nothing is started. */
  #holds = 0
  readonly #waiting: Waiting[] = []
  /** In the order in which they began to rest. */
  readonly #resting = new Set<Paused>()
  readonly #places = new Map<string, number>()

  constructor(options: ConcurrencyLimitOptions) {
    this.#free = options.permits
    this.#options = options
  }

  /** Whether nothing runs, and nothing rests with its rows. */
  get isIdle(): boolean {
    return this.#free === this.#options.permits && this.#resting.size === 0
  }

  /** Starts nothing until the result is called. */
  hold(): () => void {
    this.#holds++
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#holds--
      this.#startWaiting()
    }
  }

  get #canStart(): boolean {
    return this.#free > 0 && this.#holds === 0
  }

  /** Waits for a permit; rejects when the queue is full, or when the signal is aborted first. */
  async acquire(asking: Asking = {}): Promise<Permit> {
    const ahead = this.#waiting.length
    if (!this.#canStart && ahead >= this.#options.maxWaiting) {
      const message = `${ahead} queries are waiting already. Send again in a while.`
      throw refuse(503, 'overloaded', message, { 'retry-after': '2' })
    }
    await this.#enter(asking, false)
    return this.#permit(asking)
  }

  #enter({ user = '', signal }: Asking, isBack: boolean): Promise<void> {
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error)
    if (this.#canStart) {
      this.#take(user)
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener('abort', leave)
        this.#take(user)
        resolve()
      }
      const waiting: Waiting = { user, isBack, start }
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        reject(signal?.reason as Error)
      }
      this.#waiting.push(waiting)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  #take(user: string): void {
    this.#free--
    this.#places.set(user, this.#placesOf(user) + 1)
  }

  #placesOf(user: string): number {
    return this.#places.get(user) ?? 0
  }

  #give(user: string): void {
    this.#free++
    const left = this.#placesOf(user) - 1
    if (left === 0) this.#places.delete(user)
    else this.#places.set(user, left)
    this.#startWaiting()
  }

  #startWaiting(): void {
    const rank = (each: Waiting) => 2 * this.#placesOf(each.user) + (each.isBack ? 0 : 1)
    while (this.#canStart) {
      const [first] = this.#waiting.toSorted((a, b) => rank(a) - rank(b))
      if (first === undefined) return
      this.#waiting.splice(this.#waiting.indexOf(first), 1)
      first.start()
    }
  }

  /** Of the user who has the most of them, the one that has rested for the longest time ends. */
  #endOne(): void {
    const counts = new Map<string, number>()
    for (const { user } of this.#resting) counts.set(user, (counts.get(user) ?? 0) + 1)
    const most = Math.max(...counts.values())
    const found = [...this.#resting].find(({ user }) => counts.get(user) === most)
    found?.end()
  }

  #permit(asking: Asking): Permit {
    const { user = '', end } = asking
    const resting: Paused = { user, end: () => end?.() }
    let state: 'running' | 'resting' | 'released' = 'running'
    let timer: NodeJS.Timeout | undefined
    const beginRest = () => {
      state = 'resting'
      this.#resting.add(resting)
      this.#give(user)
      if (this.#resting.size > (this.#options.maxPaused ?? Infinity)) this.#endOne()
    }
    return {
      release: () => {
        clearTimeout(timer)
        if (state === 'running') this.#give(user)
        this.#resting.delete(resting)
        state = 'released'
      },
      pause: () => {
        clearTimeout(timer)
        if (state === 'running') timer = setTimeout(beginRest, restAfterMs)
      },
      resume: async () => {
        clearTimeout(timer)
        if (state !== 'resting') return
        this.#resting.delete(resting)
        await this.#enter(asking, true)
        // It may have been given up while it waited.
        if (state === 'resting') state = 'running'
        else this.#give(user)
      },
    }
  }
}
