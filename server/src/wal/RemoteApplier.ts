import type { DeadLetter, RecentDeadLetters } from './rejected.js'

interface Waiter {
  sequence: number
  settle(isReached: boolean): void
}

/** The waits for rows that are not applied yet. */
export class Waiters {
  #waiters: Waiter[] = []

  get isEmpty(): boolean {
    return this.#waiters.length === 0
  }

  /** Resolves true once the sequence is reached, false after `withinMs` or at the end. */
  wait(sequence: number, withinMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => waiter.settle(false), withinMs)
      const waiter: Waiter = {
        sequence,
        settle: (isReached) => {
          clearTimeout(timer)
          this.#waiters = this.#waiters.filter((each) => each !== waiter)
          resolve(isReached)
        },
      }
      this.#waiters.push(waiter)
    })
  }

  reach(applied: number): void {
    if (this.isEmpty) return
    for (const waiter of this.#waiters.filter(({ sequence }) => sequence <= applied)) waiter.settle(true)
  }

  /** Settles all waits: no further row will be reached. */
  end(): void {
    for (const waiter of this.#waiters) waiter.settle(false)
  }
}

/** Each message wakes the engine process, so it hears of new rows at most 40 times a second. */
const tellEveryMs = 25

interface RemoteApplierOptions {
  /** A position that has surely been reached. */
  applied: number
  /** The dead letters that the engine has reported. */
  deadLetters: RecentDeadLetters
  /** Tells the engine that the log has grown. */
  tellGrown(): void
  /** Tells the engine that somebody waits for this row. */
  tellWanted(sequence: number): void
}

/** What this process knows of the applier in the engine process. */
export class RemoteApplier {
  readonly #options: RemoteApplierOptions
  readonly #waiters = new Waiters()
  #applied: number
  #toldMs = 0
  #telling: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(options: RemoteApplierOptions) {
    this.#options = options
    this.#applied = options.applied
  }

  get applied(): number {
    return this.#applied
  }

  deadLetter(request: number): DeadLetter | undefined {
    return this.#options.deadLetters.get(request)
  }

  /** Tells the engine that the log has grown, at once or up to 25 ms later. */
  wake(): void {
    const restMs = this.#toldMs + tellEveryMs - performance.now()
    this.#telling ??= setTimeout(() => this.#tell(), Math.max(0, restMs))
  }

  reached(sequence: number, withinMs: number): Promise<boolean> {
    if (sequence <= this.#applied) return Promise.resolve(true)
    if (this.#isStopped) return Promise.resolve(false)
    this.#tell()
    this.#options.tellWanted(sequence)
    return this.#waiters.wait(sequence, withinMs)
  }

  /** Takes a position from the engine, which may send an older one after a restart. */
  advance(through: number): void {
    if (through <= this.#applied) return
    this.#applied = through
    this.#waiters.reach(through)
  }

  /** Settles all waits: nothing more will be heard. */
  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#telling)
    this.#waiters.end()
  }

  #tell(): void {
    clearTimeout(this.#telling)
    this.#telling = undefined
    this.#toldMs = performance.now()
    this.#options.tellGrown()
  }
}
