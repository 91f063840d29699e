import type { ErasureRequest } from './erasure.js'

/** An erasure that somebody waits for. */
export interface Waiting<Outcome> {
  request: ErasureRequest
  resolve(outcome: Outcome): void
  reject(error: unknown): void
}

/** Settles those of a round; gives the ones that must be tried again. */
export type RunRound<Outcome> = (round: readonly Waiting<Outcome>[]) => Promise<readonly Waiting<Outcome>[]>

/** How many erasures one round carries out. */
const maxRound = 100

/**
 * Runs one round at a time. Each rewrites a whole store, so requests that come during a round are carried out together
 * in the next one.
 */
export class Rounds<Outcome> {
  readonly #runRound: RunRound<Outcome>
  #waiting: Waiting<Outcome>[] = []
  #isRunning = false

  constructor(runRound: RunRound<Outcome>) {
    this.#runRound = runRound
  }

  add(request: ErasureRequest): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject })
      if (!this.#isRunning) void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      const round = this.#waiting.splice(0, maxRound)
      try {
        this.#waiting.push(...(await this.#runRound(round)))
      } catch (error) {
        for (const { reject } of round) reject(error)
      }
    }
    this.#isRunning = false
  }
}
