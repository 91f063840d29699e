import { refuse } from '../http/HttpError.js'

/** A running query that waits for its client now and then. */
export interface Pausable {
  /** Lets others have its permit, a moment from now and until `resume`. */
  pause(): void
  /** Resolves once it has a permit again. */
  resume(): Promise<void>
}

export interface Permit extends Pausable {
  /** Gives the permit to the next in the queue. */
  release(): void
}

interface Waiting {
  user: string
  /** Whether it has had a permit before. */
  isBack: boolean
  start(): void
}

export interface ConcurrencyLimitOptions {
  permits: number
  maxWaiting: number
  /** How many may be paused, because each keeps memory of DuckDB's and a connection. Unbounded by default. */
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
  /** Ends it when too many are paused. */
  end?(): void
}

/** A client that takes what it is sent is seldom later than this. */
const pauseAfterMs = 50

/**
 * Every running DuckDB call holds a thread of libuv's pool, which the file system needs too. So
 * fewer queries run at once than the pool has threads, and the others wait here, where a cancelled
 * one is simply not started. The next one is of the user with the fewest permits, and among those the first that came.
 *
 *   waiting → running ⇄ paused
 *   any of them → released
 */
export class ConcurrencyLimit {
  #free: number
  readonly #options: ConcurrencyLimitOptions
  /** How many callers of `hold` have not called its result yet. */
  #holds = 0
  readonly #waiting: Waiting[] = []
  /** In the order in which they paused. */
  readonly #paused = new Set<Paused>()
  readonly #permitsByUser = new Map<string, number>()

  constructor(options: ConcurrencyLimitOptions) {
    this.#free = options.permits
    this.#options = options
  }

  /** Whether no query runs, and none is paused. */
  get isIdle(): boolean {
    return this.#free === this.#options.permits && this.#paused.size === 0
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
    this.#permitsByUser.set(user, this.#permitsOf(user) + 1)
  }

  #permitsOf(user: string): number {
    return this.#permitsByUser.get(user) ?? 0
  }

  #give(user: string): void {
    this.#free++
    const left = this.#permitsOf(user) - 1
    if (left === 0) this.#permitsByUser.delete(user)
    else this.#permitsByUser.set(user, left)
    this.#startWaiting()
  }

  #startWaiting(): void {
    const rank = (each: Waiting) => 2 * this.#permitsOf(each.user) + (each.isBack ? 0 : 1)
    while (this.#canStart) {
      const [first] = this.#waiting.toSorted((a, b) => rank(a) - rank(b))
      if (first === undefined) return
      this.#waiting.splice(this.#waiting.indexOf(first), 1)
      first.start()
    }
  }

  /** Ends the query that has been paused longest, of the user who has the most paused ones. */
  #endOne(): void {
    const counts = new Map<string, number>()
    for (const { user } of this.#paused) counts.set(user, (counts.get(user) ?? 0) + 1)
    const most = Math.max(...counts.values())
    const found = [...this.#paused].find(({ user }) => counts.get(user) === most)
    found?.end()
  }

  #permit(asking: Asking): Permit {
    const { user = '', end } = asking
    const paused: Paused = { user, end: () => end?.() }
    let state: 'running' | 'paused' | 'released' = 'running'
    let timer: NodeJS.Timeout | undefined
    const beginPause = () => {
      state = 'paused'
      this.#paused.add(paused)
      this.#give(user)
      if (this.#paused.size > (this.#options.maxPaused ?? Infinity)) this.#endOne()
    }
    return {
      release: () => {
        clearTimeout(timer)
        if (state === 'running') this.#give(user)
        this.#paused.delete(paused)
        state = 'released'
      },
      pause: () => {
        clearTimeout(timer)
        if (state === 'running') timer = setTimeout(beginPause, pauseAfterMs)
      },
      resume: async () => {
        clearTimeout(timer)
        if (state !== 'paused') return
        this.#paused.delete(paused)
        await this.#enter(asking, true)
        // It may have been given up while it waited.
        if (state === 'paused') state = 'running'
        else this.#give(user)
      },
    }
  }
}
