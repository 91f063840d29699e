import type { ErasureOutcome, ErasureRequest, ErasureState } from '../payloads/erasure.js'
import type { Erasure, ErasureList } from './ErasureList.js'

export interface ErasuresOptions {
  list: ErasureList
  /** How the erasures ended that were due at the start. */
  finished: readonly ErasureState[]
  /** The last row that is in the store. */
  applied(): number
  /** Whether a person has the id of the erasure. */
  isKnown(erasure: Erasure): Promise<boolean>
  /** Says why persons cannot be erased at the moment; undefined when they can. */
  findObstacle(): Promise<string | undefined>
  /** Restarts the engine, because persons are erased at its start. */
  restart(): Promise<void>
  /** Called when the applier may go on. */
  onLifted(): void
  tell(state: ErasureState): void
}

/**
 * What the engine does about erasures while it runs. It puts them on the list on disk. It stores all rows that
 * were accepted before them, and no later row. Then it restarts.
 *
 *   listed → all rows are stored → nobody has the id, or the disk is full: reported, and taken off the list
 *                                → somebody has it: restart → `carryOutErasures`
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

  /** Erases that were carried out before the start are off the list already. */
  finish(): void {}

  /** Has nothing to stop: erases go on only when rows are stored. */
  async stop(): Promise<void> {}

  take(requests: readonly ErasureRequest[], through: number): void {
    const { list } = this.#options
    list.add(requests, through)
    const tasks = new Set(requests.map(({ task }) => task))
    this.#waiting = [...this.#waiting, ...list.all.filter(({ task }) => tasks.has(task))]
    this.check()
  }

  /** Goes on when all rows are stored. It is called after each batch that was stored. */
  check(): void {
    const { applied, onLifted } = this.#options
    if (this.#checking !== undefined || this.#waiting.length === 0 || applied() < this.limit) return
    this.#checking = this.#goOn().then((isRestarting) => {
      // Rows that came meanwhile are stored only after the restart.
      if (isRestarting) return
      this.#checking = undefined
      onLifted()
    })
  }

  /** Resolves to true when the engine restarts. */
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
