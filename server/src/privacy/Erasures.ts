import type { ErasureOutcome, ErasureRequest, ErasureState } from './erasure.js'
import type { Erasure, ErasureList } from './ErasureList.js'

export interface ErasuresOptions {
  list: ErasureList
  /** What became of those that were due at the start. */
  finished: readonly ErasureState[]
  /** Up to where rows are in the store. */
  applied(): number
  /** Whether anybody has the id that it names. */
  isKnown(erasure: Erasure): Promise<boolean>
  /** Why persons cannot be erased at the moment, if they cannot. */
  findObstacle(): Promise<string | undefined>
  /** Starts the engine again, which is when persons are erased. */
  restart(): Promise<void>
  /** The applier may go on. */
  onLifted(): void
  tell(state: ErasureState): void
}

/**
 * What the engine does about erases while it runs: it writes them down, stores all rows up to the last
 * one that was accepted before them and none after it, and then starts anew.
 *
 *   written down → all rows are stored → nobody has the id, or the disk is full: told, and forgotten
 *                                      → somebody has it: restart → `carryOutErasures`
 */
export class Erasures {
  readonly #options: ErasuresOptions
  #waiting: readonly Erasure[]
  readonly #known = new Set<string>()
  #checking: Promise<void> | undefined

  constructor(options: ErasuresOptions) {
    this.#options = options
    const { list, finished } = options
    const tasks = new Set(finished.map(({ task }) => task))
    this.#waiting = list.all.filter(({ task }) => !tasks.has(task))
  }

  /** The last row that may be stored for now. */
  get limit(): number {
    return this.#waiting.length === 0 ? Infinity : Math.max(...this.#waiting.map(({ through }) => through))
  }

  states(): ErasureState[] {
    const pending = this.#waiting.map(({ task }): ErasureState => ({ task, state: 'pending' }))
    return [...this.#options.finished, ...pending]
  }

  take(requests: readonly ErasureRequest[], through: number): void {
    const { list } = this.#options
    list.add(requests, through)
    const tasks = new Set(requests.map(({ task }) => task))
    this.#waiting = [...this.#waiting, ...list.all.filter(({ task }) => tasks.has(task))]
    this.check()
  }

  /** Looks whether all rows are stored by now. */
  check(): void {
    const { applied, onLifted } = this.#options
    if (this.#checking !== undefined || this.#waiting.length === 0 || applied() < this.limit) return
    this.#checking = this.#goOn().then((isRestarting) => {
      // What came meanwhile goes into the store after the restart only.
      if (isRestarting) return
      this.#checking = undefined
      onLifted()
    })
  }

  /** Resolves true when the engine is being started again. */
  async #goOn(): Promise<boolean> {
    const { applied, isKnown, findObstacle, restart } = this.#options
    while (this.#waiting.length > 0 && applied() >= this.limit) {
      const next = this.#waiting.find(({ task }) => !this.#known.has(task))
      if (next !== undefined) {
        if (await isKnown(next)) this.#known.add(next.task)
        else this.#forget({ task: next.task, state: 'unknown' })
        continue
      }
      const obstacle = await findObstacle()
      if (obstacle === undefined) {
        await restart()
        return true
      }
      const reason = `${obstacle} Nothing was erased; ask again.`
      for (const { task } of this.#waiting) this.#forget({ task, state: 'failed', reason })
    }
    return false
  }

  #forget(outcome: ErasureOutcome): void {
    const { list, tell } = this.#options
    list.drop(new Set([outcome.task]))
    this.#waiting = this.#waiting.filter(({ task }) => task !== outcome.task)
    tell(outcome)
  }
}
