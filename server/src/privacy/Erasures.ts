import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../Logger.js'
import { reasonOf } from '../OperatorError.js'
import type { ErasureOutcome, ErasureRequest, ErasureState } from '../payloads/erasure.js'
import { type Erasure, type ErasureList, maxTries } from './ErasureList.js'

/** Where erases come from: the ingest process, or entries of a log in PostgreSQL. */
export interface ErasureSource {
  /** The last row before the erases that wait; undefined when none waits. */
  readonly through: number | undefined
  /** Gives those that wait, which are on the list now. It is called once all rows before them are stored. */
  hold(): Promise<readonly Erasure[]>
  /** Sees to it that files which all stores share no longer hold the persons; rejects until that is done. */
  eraseShared?(held: readonly Erasure[]): Promise<void>
  /** Whether rows behind an erase wait until it can be carried out. If not, it fails, and is to be asked for again. */
  readonly isPatient: boolean
  /** What is told of them whenever the ingest process connects. */
  readonly states?: readonly ErasureState[]
  tell(outcome: ErasureOutcome): Promise<void> | void
  /** Rows behind those that waited may be stored. */
  lift(): void
  /** Takes persons who are erased out of what is no file of this store, and tells what became of them. */
  clean?(done: readonly Erasure[]): Promise<void>
}

interface ErasuresOptions {
  list: ErasureList
  source: ErasureSource
  /** The last row that is in the store. */
  applied(): number
  /** Whether the store has a person, or a record set aside, with the id of the erasure. */
  isKnown(erasure: Erasure): Promise<boolean>
  /** Says why persons cannot be erased at the moment; undefined when they can. */
  findObstacle(): Promise<string | undefined>
  /** Restarts the engine, because persons are erased at its start. */
  restart(): Promise<void>
  logger: Logger
}

type OutcomeOf = (erasure: Erasure) => ErasureOutcome
const asUnknown: OutcomeOf = ({ task }) => ({ task, state: 'unknown' })

const againMs = 1000
const obstacleMs = 10_000
/** After so many tries that ended the engine, so long nothing is tried. */
const tiredMs = 3_600_000

/**
 * What the engine does about erases while it runs. The store takes all rows before them and none behind them until the
 * persons are gone:
 *
 *   all rows before them are stored → listed → nobody has an id: told, off the list, and stored on
 *                                            → they cannot be carried out: waited for, or told and stored on
 *                                            → shared files are without them → restart, and `carryOutErasures`
 *   carried out, and no other file of this store holds rows of the persons → cleaned → told, off the list
 *
 * So a store, or a copy of one, has the person or has not come to the erase yet, wherever it was killed.
 */
export class Erasures {
  readonly #options: ErasuresOptions
  readonly #stopping = new AbortController()
  #working: Promise<void> | undefined
  #cleaning: Promise<void> | undefined

  constructor(options: ErasuresOptions) {
    this.#options = options
  }

  get states(): readonly ErasureState[] {
    return this.#options.source.states ?? []
  }

  /** Goes on when all rows before an erase are stored. It is called after each batch that was stored. */
  check(): void {
    const { source, applied } = this.#options
    const { through } = source
    if (this.#working !== undefined || through === undefined || applied() < through) return
    this.#working = this.#tryAgain('An erase waits.', () => this.#reach())
  }

  /** Ends what was carried out before the store was opened. It is called once no other file holds rows of the persons. */
  finish(erased: ReadonlySet<string>): void {
    const { list, source } = this.#options
    const done = list.all.filter(({ task }) => erased.has(task))
    if (done.length === 0) return
    this.#cleaning = this.#tryAgain('An erased person is not out of everything yet.', async () => {
      await source.clean?.(done)
      list.drop(erased)
      return undefined
    })
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all([this.#working, this.#cleaning])
  }

  /** Does work again until it succeeds or gives a time to wait for. */
  async #tryAgain(message: string, work: () => Promise<number | undefined>): Promise<void> {
    const { signal } = this.#stopping
    let told: string | undefined
    while (!signal.aborted) {
      const waitMs = await work().catch((error: unknown) => {
        const reason = reasonOf(error)
        if (reason !== told && !signal.aborted) this.#options.logger.warn(message, { reason })
        told = reason
        return againMs
      })
      if (waitMs === undefined) return
      await delay(waitMs, undefined, { signal }).catch(() => undefined)
    }
  }

  async #reach(): Promise<undefined | number> {
    const { list, source, findObstacle, restart, logger } = this.#options
    const all = await source.hold()
    const [known, unknown] = await this.#part(all)
    if (known.length === 0) return this.#giveUp(all, asUnknown)
    // Those of a log have one end: `clean` tells who was unknown.
    if (!source.isPatient) await this.#end(unknown, asUnknown)
    const held = source.isPatient ? all : known
    const tasks = new Set(held.map(({ task }) => task))
    if (held.every(({ tries }) => tries >= maxTries)) {
      logger.error('An erase was begun too often, and the engine ended each time. Nothing more is stored.', {
        tries: maxTries,
        again_after_s: tiredMs / 1000,
      })
      await delay(tiredMs, undefined, { signal: this.#stopping.signal })
      list.forgetTries(tasks)
    }
    await source.eraseShared?.(held)
    const obstacle = await findObstacle()
    if (obstacle !== undefined && source.isPatient) {
      logger.error('An erase cannot be carried out, and nothing more is stored until it is.', {
        reason: obstacle,
      })
      return obstacleMs
    }
    const reason = `${obstacle} Nothing was erased; ask again.`
    if (obstacle !== undefined) return this.#giveUp(held, ({ task }) => ({ task, state: 'failed', reason }))
    // Rows behind it are stored only after the restart, so nothing is checked any more.
    await restart()
    return undefined
  }

  async #part(held: readonly Erasure[]): Promise<[known: Erasure[], unknown: Erasure[]]> {
    const [known, unknown]: [Erasure[], Erasure[]] = [[], []]
    for (const each of held) ((await this.#options.isKnown(each)) ? known : unknown).push(each)
    return [known, unknown]
  }

  async #end(some: readonly Erasure[], outcomeOf: OutcomeOf): Promise<void> {
    const { list, source } = this.#options
    list.drop(new Set(some.map(({ task }) => task)))
    for (const each of some) await source.tell(outcomeOf(each))
  }

  async #giveUp(held: readonly Erasure[], outcomeOf: OutcomeOf): Promise<undefined> {
    await this.#end(held, outcomeOf)
    this.#working = undefined
    this.#options.source.lift()
    // More may have been asked for meanwhile, whose rows are stored already.
    this.check()
    return undefined
  }
}

interface AskedErasuresOptions {
  list: ErasureList
  /** How the erasures ended that were due at the start. */
  finished: readonly ErasureState[]
  tell(state: ErasureState): void
  /** Called when the applier may go on. */
  onLifted(): void
}

/** Erases that the ingest process has asked for. What it learns of each is the answer to a request. */
export class AskedErasures implements ErasureSource {
  readonly isPatient = false
  readonly #options: AskedErasuresOptions
  readonly #finished: ReadonlySet<string>

  constructor(options: AskedErasuresOptions) {
    this.#options = options
    this.#finished = new Set(options.finished.map(({ task }) => task))
  }

  get #waiting(): readonly Erasure[] {
    return this.#options.list.all.filter(({ task }) => !this.#finished.has(task))
  }

  get through(): number | undefined {
    const waiting = this.#waiting
    return waiting.length === 0 ? undefined : Math.max(...waiting.map(({ through }) => through))
  }

  get states(): readonly ErasureState[] {
    const pending = this.#waiting.map(({ task }): ErasureState => ({ task, state: 'pending' }))
    return [...this.#options.finished, ...pending]
  }

  take(requests: readonly ErasureRequest[], through: number): void {
    this.#options.list.add(requests, through)
  }

  hold(): Promise<readonly Erasure[]> {
    return Promise.resolve(this.#waiting)
  }

  tell(outcome: ErasureOutcome): void {
    this.#options.tell(outcome)
  }

  lift(): void {
    this.#options.onLifted()
  }
}
