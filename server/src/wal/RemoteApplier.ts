import type { DeadLetter, DeadLetters } from './DeadLetters.js'
import { Waiters } from './Waiters.js'

const tellEveryMs = 25

export interface RemoteApplierOptions {
  /** What has surely been applied. */
  applied: number
  /** What the engine has said to be set aside. */
  deadLetters: DeadLetters
  /** Tells the engine that the log has grown. */
  tellGrown(): void
  /** Tells the engine that somebody waits for this row. */
  tellWanted(sequence: number): void
}

/** What this process knows of an applier that works in another one. */
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

  /** Says that the log has grown, at once or a moment later: each word wakes the other process. */
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

  /** News of the engine. It may repeat itself after a restart. */
  advance(through: number): void {
    if (through <= this.#applied) return
    this.#applied = through
    this.#waiters.reach(through)
  }

  /** Nobody is to wait any longer. */
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
