import { cleanLog } from './log/cleanLog.js'
import type { TakeOver } from './lake/takeOver.js'
import { checkLake, noteReached, publishKeys, report } from './log/erasureTables.js'
import type { ErasePoint, LogFollower } from './log/LogFollower.js'
import { type ErasureOutcome, keyOf } from '../payloads/erasure.js'
import type { Erasure, ErasureList, Logged } from '../privacy/ErasureList.js'
import type { ErasureSource } from '../privacy/Erasures.js'

export interface LoggedErasuresOptions {
  list: ErasureList
  follower(): Pick<LogFollower, 'connection' | 'pass'>
  /** The name of the store among the readers of the log. */
  reader: string
  /** The secret of the log. */
  secret(): string
  /** The erasures that are in `privacy_log`, by their tasks. */
  readErased(): Promise<Map<string, Omit<Extract<ErasureOutcome, { state: 'done' }>, 'task' | 'state'>>>
  /**
   * Sees to it that the files that all stores share no longer hold some persons; rejects until that is done. Undefined
   * where this store shares none.
   */
  eraseFromLake: ((held: readonly Erasure[], through: number) => Promise<TakeOver>) | undefined
}

const found = (erasures: readonly Erasure[]) =>
  erasures.flatMap((each) => {
    const its = each.logged?.found
    return its === undefined ? [] : [{ ...each, ...its, logged: each.logged! }]
  })

/** Erases that are entries of a log in PostgreSQL. Every store that follows the log carries them out. */
export class LoggedErasures implements ErasureSource {
  readonly isPatient = true
  readonly #options: LoggedErasuresOptions
  #point: ErasePoint | undefined

  constructor(options: LoggedErasuresOptions) {
    this.#options = options
  }

  /** The store comes to this erase next. */
  take(point: ErasePoint): void {
    this.#point = point
  }

  get through(): number | undefined {
    return this.#point && this.#point.first - 1
  }

  async hold(): Promise<readonly Erasure[]> {
    const { list, follower, reader } = this.#options
    const { requests, last } = this.#point!
    const tasks = requests.map(({ task }) => task)
    const reached = { tasks, keys: requests.map(({ key }) => key), last }
    const keys = await noteReached(follower().connection, reader, reached)
    list.hold(requests, { through: this.through!, last, keys })
    return list.all.filter(({ task }) => tasks.includes(task))
  }

  async eraseShared(held: readonly Erasure[]): Promise<void> {
    const { list, eraseFromLake } = this.#options
    const lake = await eraseFromLake?.(held, this.through!)
    if (lake !== undefined) list.noteLake(new Set(held.map(({ task }) => task)), lake)
  }

  async tell(outcome: ErasureOutcome): Promise<void> {
    await report(this.#options.follower().connection, this.#options.reader, outcome)
  }

  lift(): void {
    const point = this.#point!
    this.#point = undefined
    this.#options.follower().pass(point)
  }

  async clean(all: readonly Erasure[]): Promise<void> {
    const { list, follower, readErased } = this.#options
    // Others are from the time before the store had a log in PostgreSQL.
    const done = all.filter(({ logged }) => logged !== undefined)
    if (done.length === 0) return
    const persons = found(done)
    const erased = await readErased()
    // These first: as long as an erase may still have to clean the log, no later one does.
    for (const { task, logged } of done)
      if (logged!.found === undefined && !erased.has(task)) await this.tell({ task, state: 'unknown' })
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
      if (its !== undefined) await this.tell({ task, state: 'done', ...its })
    }
  }

  #keysOf(environment: string, ids: readonly string[], { keys }: Logged): string[] {
    const secret = this.#options.secret()
    return [...new Set([...keys, ...ids.map((id) => keyOf(secret, { environment, id }))])]
  }
}
