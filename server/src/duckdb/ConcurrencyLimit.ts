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

interface Waiting extends Share {
  user: string
  /** Whether it has had a permit before. */
  isBack: boolean
  /** How many that came later were started before it. */
  passed: number
  start(from: Pool): void
  /** Takes it out of the queue. */
  refuse(reason: Error): void
}

/** How much of the limit something takes. */
export interface Share {
  /** How many permits it takes at once. */
  permits: number
  /** Whether it may take a kept permit. */
  isSmall: boolean
}

/** Where permits were taken from, and are given back to. */
type Pool = 'usual' | 'kept'

interface ConcurrencyLimitOptions {
  permits: number
  /** How many more permits are kept for what is small. @defaultValue 0 */
  kept?: number
  maxWaiting: number
  /** How many may be paused, because each keeps memory of DuckDB's and a connection. Unbounded by default. */
  maxPaused?: number
}

interface Paused {
  user: string
  end(): void
}

interface Asking extends Partial<Share> {
  user?: string
  /** Aborted, it leaves the queue. */
  signal?: AbortSignal
  /** Ends it when too many are paused. */
  end?(): void
}

/** One that needs many permits is passed by so many others at most; then they wait until it has had its turn. */
const maxPassed = 20
/** With so many permits, one user never has the last one beside others: who has none finds one free. */
const reservedFrom = 4
/** A client that takes what it is sent is seldom later than this. */
const pauseAfterMs = 50

/** The last that came of the user who has most in a queue; undefined when the asking user would have as many. */
const lastOfMost = (waiting: readonly Waiting[], asking: string): Waiting | undefined => {
  const counts = new Map<string, number>()
  for (const { user } of waiting) counts.set(user, (counts.get(user) ?? 0) + 1)
  const most = Math.max(...counts.values())
  if (most <= (counts.get(asking) ?? 0) + 1) return undefined
  return waiting.findLast(({ user, isBack }) => !isBack && counts.get(user) === most)
}

/**
 * Every running DuckDB call holds a thread of libuv's pool, which the file system needs too. So
 * fewer queries run at once than the pool has threads, and the others wait here, where a cancelled
 * one is simply not started. This is the one place that is fair by user, for all doors: the next one is of the user with
 * the fewest permits, among those of the user whose turn is longest ago, and then the first that came. The last permit
 * is for a user who has none. In a full queue, room is made by the last that came of the user who has most in it.
 * One that needs more permits than are free is passed by others for a while.
 *
 *   waiting → running ⇄ paused
 *   any of them → released
 */
export class ConcurrencyLimit {
  readonly #free: Record<Pool, number>
  readonly #options: ConcurrencyLimitOptions
  /** How many callers of `hold` have not called its result yet. */
  #holds = 0
  readonly #waiting: Waiting[] = []
  /** In the order in which they paused. */
  readonly #paused = new Set<Paused>()
  readonly #permitsByUser = new Map<string, number>()
  /** A number that grows with each start: that of the last start of each user who has permits or waits. */
  readonly #lastTurn = new Map<string, number>()
  #turns = 0

  constructor(options: ConcurrencyLimitOptions) {
    this.#free = { usual: options.permits, kept: options.kept ?? 0 }
    this.#options = options
  }

  /** Whether no query runs, and none is paused. */
  get isIdle(): boolean {
    const { permits, kept = 0 } = this.#options
    return this.#free.usual === permits && this.#free.kept === kept && this.#paused.size === 0
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

  /**
   * Waits for a permit; rejects when the queue is full, or when the signal is aborted first. One that waits is also
   * refused when another user comes who has fewer in the full queue.
   */
  async acquire(asking: Asking = {}): Promise<Permit> {
    const { user = '' } = asking
    const share = this.#shareOf(asking)
    const ahead = this.#waiting.filter(({ isSmall }) => isSmall === share.isSmall)
    if (this.#poolFor({ ...share, user }) === undefined && ahead.length >= this.#options.maxWaiting) {
      const message = `${ahead.length} queries are waiting already. Send again in a while.`
      const full = refuse(503, 'overloaded', message, { 'retry-after': '2' })
      const last = lastOfMost(ahead, user)
      if (last === undefined) throw full
      last.refuse(full)
    }
    return this.#permit(asking, await this.#enter(asking, false))
  }

  #shareOf({ permits = 1, isSmall = false }: Asking): Share {
    return { permits: Math.min(permits, this.#options.permits), isSmall }
  }

  /** Where there are enough permits now. */
  #poolFor({ permits, isSmall, user }: Share & { user: string }): Pool | undefined {
    if (this.#holds > 0) return undefined
    if (isSmall && permits <= this.#free.kept) return 'kept'
    return permits <= this.#free.usual - this.#reservedFrom(user) ? 'usual' : undefined
  }

  /** How many of the usual permits are not for this user now. */
  #reservedFrom(user: string): number {
    return this.#options.permits >= reservedFrom && this.#permitsByUser.has(user) ? 1 : 0
  }

  #enter(asking: Asking, isBack: boolean): Promise<Pool> {
    const { user = '', signal } = asking
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error)
    return new Promise((resolve, reject) => {
      const start = (from: Pool) => {
        signal?.removeEventListener('abort', leave)
        resolve(from)
      }
      const leave = () => {
        waiting.refuse(signal?.reason as Error)
        // Others may have waited behind it.
        this.#startWaiting()
      }
      const refuseIt = (reason: Error) => {
        signal?.removeEventListener('abort', leave)
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        this.#forgetTurn(user)
        reject(reason)
      }
      const waiting: Waiting = {
        user,
        isBack,
        passed: 0,
        start,
        refuse: refuseIt,
        ...this.#shareOf(asking),
      }
      this.#waiting.push(waiting)
      signal?.addEventListener('abort', leave, { once: true })
      this.#startWaiting()
    })
  }

  #permitsOf(user: string): number {
    return this.#permitsByUser.get(user) ?? 0
  }

  #take(user: string, permits: number, from: Pool): void {
    this.#free[from] -= permits
    this.#permitsByUser.set(user, this.#permitsOf(user) + permits)
    this.#lastTurn.set(user, ++this.#turns)
  }

  #give(user: string, permits: number, to: Pool): void {
    this.#free[to] += permits
    const left = this.#permitsOf(user) - permits
    if (left === 0) this.#permitsByUser.delete(user)
    else this.#permitsByUser.set(user, left)
    this.#forgetTurn(user)
    this.#startWaiting()
  }

  #forgetTurn(user: string): void {
    if (!this.#permitsByUser.has(user) && !this.#waiting.some((each) => each.user === user))
      this.#lastTurn.delete(user)
  }

  #startWaiting(): void {
    while (this.#holds === 0 && this.#startNext());
  }

  /** Starts the first that may start; false when there is none. */
  #startNext(): boolean {
    const rank = (each: Waiting) => 2 * this.#permitsOf(each.user) + (each.isBack ? 0 : 1)
    const turn = (each: Waiting) => this.#lastTurn.get(each.user) ?? 0
    const passed: Waiting[] = []
    let isBlocked = false
    for (const next of this.#waiting.toSorted((a, b) => rank(a) - rank(b) || turn(a) - turn(b))) {
      const from = this.#poolFor(next)
      if (from === undefined || (isBlocked && from === 'usual')) {
        // Who waits because of what the same user has already is not passed by: others have less.
        if (next.permits <= this.#free.usual) continue
        passed.push(next)
        isBlocked ||= next.passed >= maxPassed
        continue
      }
      this.#waiting.splice(this.#waiting.indexOf(next), 1)
      if (from === 'usual') for (const each of passed) each.passed++
      this.#take(next.user, next.permits, from)
      next.start(from)
      return true
    }
    return false
  }

  /** Ends the query that has been paused longest, of the user who has the most paused ones. */
  #endOne(): void {
    const counts = new Map<string, number>()
    for (const { user } of this.#paused) counts.set(user, (counts.get(user) ?? 0) + 1)
    const most = Math.max(...counts.values())
    const found = [...this.#paused].find(({ user }) => counts.get(user) === most)
    found?.end()
  }

  #permit(asking: Asking, first: Pool): Permit {
    const { user = '', end } = asking
    const { permits } = this.#shareOf(asking)
    let pool = first
    const paused: Paused = { user, end: () => end?.() }
    let state: 'running' | 'paused' | 'released' = 'running'
    let timer: NodeJS.Timeout | undefined
    const beginPause = () => {
      state = 'paused'
      this.#paused.add(paused)
      this.#give(user, permits, pool)
      if (this.#paused.size > (this.#options.maxPaused ?? Infinity)) this.#endOne()
    }
    return {
      release: () => {
        clearTimeout(timer)
        if (state === 'running') this.#give(user, permits, pool)
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
        pool = await this.#enter(asking, true)
        // It may have been given up while it waited.
        if (state === 'paused') state = 'running'
        else this.#give(user, permits, pool)
      },
    }
  }
}
