import { DeadLetters } from './DeadLetters.js'
import { Waiters } from './Waiters.js'

export interface RemoteApplierOptions {
  /** What has surely been applied. */
  applied: number
  /** Tells the engine that the log has grown. */
  tellGrown(): void
  /** Tells the engine that somebody waits for this row. */
  tellWanted(sequence: number): void
}

const tellEveryMs = 10

/** What this process knows of an applier that works in another one. */
export class RemoteApplier {
  readonly #options: RemoteApplierOptions
  readonly #waiters = new Waiters()
  readonly #deadLetters = new DeadLetters()
  #applied: number
  #telling: NodeJS.Timeout | undefined
  #hasGrown = false

  constructor(options: RemoteApplierOptions) {
    this.#options = options
    this.#applied = options.applied
  }

  get applied(): number {
    return this.#applied
  }

  deadLetter(sequence: number): string | undefined {
    return this.#deadLetters.get(sequence)
  }

  /** Says that the log has grown. Each telling wakes the engine, so those that follow share one. */
  wake(): void {
    if (this.#telling !== undefined) {
      this.#hasGrown = true
      return
    }
    this.#telling = setTimeout(() => {
      this.#telling = undefined
      if (this.#hasGrown) this.wake()
      this.#hasGrown = false
    }, tellEveryMs)
    this.#options.tellGrown()
  }

  reached(sequence: number, withinMs: number): Promise<boolean> {
    if (sequence <= this.#applied) return Promise.resolve(true)
    this.#options.tellGrown()
    this.#options.tellWanted(sequence)
    return this.#waiters.wait(sequence, withinMs)
  }

  /** News of the engine. It may repeat itself after a restart. */
  advance(through: number): void {
    if (through <= this.#applied) return
    this.#applied = through
    this.#waiters.reach(through)
  }

  setAside(sequence: number, reason: string): void {
    this.#deadLetters.add(sequence, reason)
  }

  stop(): void {
    clearTimeout(this.#telling)
    this.#waiters.end()
  }
}
