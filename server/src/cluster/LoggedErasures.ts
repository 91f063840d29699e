import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../Logger.js'
import { cleanLog } from './log/cleanLog.js'
import type { TakeOver } from './lake/takeOver.js'
import { checkLake, noteReached, publishKeys, report } from './log/erasureTables.js'
import type { ErasePoint, LogFollower } from './log/LogFollower.js'
import { reasonOf } from '../OperatorError.js'
import { maxTries } from '../privacy/carryOut.js'
import { type ErasureOutcome, keyOf } from '../payloads/erasure.js'
import type { Erasure, ErasureList, Logged } from '../privacy/ErasureList.js'

export interface LoggedErasuresOptions {
  list: ErasureList
  /** The last row that is in the store. */
  applied(): number
  follower(): Pick<LogFollower, 'connection' | 'pass'>
  /** The name of the store among the readers of the log. */
  reader: string
  /** The secret of the log. */
  secret(): string
  /** Whether the store has a person, or a record set aside, with the id of the erasure. */
  isKnown(erasure: Erasure): Promise<boolean>
  /** The erasures that are in `privacy_log`, by their tasks. */
  readErased(): Promise<Map<string, Omit<Extract<ErasureOutcome, { state: 'done' }>, 'task' | 'state'>>>
  /**
   * Sees to it that the files that all stores share no longer hold some persons; rejects until that is done. Undefined
   * where this store shares none.
   */
  eraseFromLake: ((held: readonly Erasure[], through: number) => Promise<TakeOver>) | undefined
  /** Says why persons cannot be erased at the moment; undefined when they can. */
  findObstacle(): Promise<string | undefined>
  /** Restarts the engine, because persons are erased at its start. */
  restart(): Promise<void>
  logger: Logger
}

const againMs = 1000
const obstacleMs = 10_000
/** After so many tries that ended the engine, so long nothing is tried. */
const tiredMs = 3_600_000

const found = (erasures: readonly Erasure[]) =>
  erasures.flatMap((each) => {
    const its = each.logged?.found
    return its === undefined ? [] : [{ ...each, ...its, logged: each.logged! }]
  })

/**
 * What the engine does about erases that are entries of a log in PostgreSQL. The store takes all rows before the erase
 * and none behind it until the person is gone:
 *
 *   the row before it is stored → nobody has the id: reported, and read on
 *                               → somebody has it: on the list → the shared files are written anew, by one store →
 *                                 restart → `carryOutErasures`, which moves the store's position behind the erase →
 *                                 the log is cleaned, old files are removed → reported, and taken off the list
 *
 * So a store, or a copy of one, has the person or has not come to the erase yet, wherever it was killed.
 */
export class LoggedErasures {
  readonly #options: LoggedErasuresOptions
  readonly #stopping = new AbortController()
  #point: ErasePoint | undefined
  #working: Promise<void> | undefined
  #finishing: Promise<void> | undefined

  constructor(options: LoggedErasuresOptions) {
    this.#options = options
  }

  /** The store comes to this erase next. */
  take(point: ErasePoint): void {
    this.#point = point
    this.check()
  }

  /** Goes on when all rows before the erase are stored. It is called after each batch that was stored. */
  check(): void {
    const point = this.#point
    if (point === undefined || this.#working !== undefined || this.#options.applied() < point.first - 1)
      return
    this.#working = this.#tryAgain('An erase waits.', () => this.#reach(point)).finally(
      () => (this.#working = undefined),
    )
  }

  /** Ends what was carried out before the store was opened. It is called once no other file holds rows of the persons. */
  finish(): void {
    const { list, applied } = this.#options
    const done = list.all.filter(({ logged }) => logged !== undefined && logged.last <= applied())
    if (done.length === 0) return
    this.#finishing = this.#tryAgain('The log cannot be cleaned of an erased person yet.', () =>
      this.#end(done),
    )
  }

  /** Empty: the process that was asked finds the states in the log's database. */
  states(): [] {
    return []
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all([this.#working, this.#finishing])
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

  async #reach(point: ErasePoint): Promise<number | undefined> {
    const { list, follower, reader, isKnown, eraseFromLake, findObstacle, restart, logger } = this.#options
    const { requests, first, last } = point
    const tasks = requests.map(({ task }) => task)
    const reached = { tasks, keys: requests.map(({ key }) => key), last }
    const keys = await noteReached(follower().connection, reader, reached)
    list.hold(requests, { through: first - 1, last, keys })
    const held = list.all.filter(({ task }) => tasks.includes(task))
    if (!(await this.#isAnyKnown(held, isKnown))) {
      for (const task of tasks) await report(follower().connection, reader, { task, state: 'unknown' })
      list.drop(new Set(tasks))
      this.#point = undefined
      follower().pass(point)
      return undefined
    }
    if (held.every(({ tries }) => tries >= maxTries)) {
      logger.error('An erase was begun too often, and the engine ended each time. Nothing more is stored.', {
        tries: maxTries,
        again_after_s: tiredMs / 1000,
      })
      await delay(tiredMs, undefined, { signal: this.#stopping.signal })
      list.forgetTries(new Set(tasks))
    }
    if (eraseFromLake !== undefined) list.noteLake(new Set(tasks), await eraseFromLake(held, first - 1))
    const obstacle = await findObstacle()
    if (obstacle !== undefined) {
      logger.error('An erase cannot be carried out, and nothing more is stored until it is.', {
        reason: obstacle,
      })
      return obstacleMs
    }
    this.#point = undefined
    await restart()
    return undefined
  }

  async #isAnyKnown(held: readonly Erasure[], isKnown: LoggedErasuresOptions['isKnown']): Promise<boolean> {
    for (const each of held) if (await isKnown(each)) return true
    return false
  }

  async #end(done: readonly Erasure[]): Promise<undefined> {
    const { list, follower, reader, readErased } = this.#options
    const persons = found(done)
    const erased = await readErased()
    // These first: as long as an erase may still have to clean the log, no later one does.
    for (const { task, logged } of done) {
      if (logged!.found === undefined && !erased.has(task))
        await report(follower().connection, reader, { task, state: 'unknown' })
    }
    for (const { task, environment, ids, logged } of persons)
      await publishKeys(follower().connection, {
        task,
        ...logged,
        keys: this.#keysOf(environment, ids, logged),
      })
    if (persons.length > 0) {
      const through = Math.max(...persons.map(({ logged }) => logged.last))
      await cleanLog(follower().connection.address, { persons, through })
    }
    await checkLake(
      follower().connection,
      persons.map(({ task }) => task),
    )
    // Before the report: whoever is told that it is over may look at all files.
    list.forgetIds(new Set(persons.map(({ task }) => task)))
    for (const { task } of done) {
      const its = erased.get(task)
      if (its !== undefined) await report(follower().connection, reader, { task, state: 'done', ...its })
    }
    list.drop(new Set(done.map(({ task }) => task)))
    return undefined
  }

  #keysOf(environment: string, ids: readonly string[], { keys }: Logged): string[] {
    const secret = this.#options.secret()
    return [...new Set([...keys, ...ids.map((id) => keyOf(secret, { environment, id }))])]
  }
}
