import { setTimeout as delay } from 'node:timers/promises'
import { cleanLog } from './log/cleanLog.js'
import type { TakeOver } from './lake/takeOver.js'
import { checkLake, findUnfinished, noteReached, publishKeys, readProgress, report } from './erasureTables.js'
import type { ErasePoint, LogFollower } from './log/LogFollower.js'
import { eraseKind, type ErasureOutcome, keyOf } from '../payloads/erasure.js'
import type { Erasure, ErasureList, Logged } from '../privacy/ErasureList.js'
import type { ErasureSource } from '../privacy/Erasures.js'
import { refuse } from '../http/HttpError.js'
import type { ServerConnection } from './ServerConnection.js'
import { LogUnavailable } from '../wal/AcceptLog.js'
import type { LogRecord } from '../wal/segment.js'
import type { Erasing, RoundsOf, Waiting } from '../privacy/ErasureRounds.js'

interface LoggedRoundsOptions {
  /** The secret of the log. */
  secret: string
  /** The name of this process's store among the readers of the log; undefined until it follows the log. */
  reader(): string | undefined
  append(record: LogRecord): Promise<number>
  /** Asks the database of the log; rejects while it cannot be reached. */
  ask: ServerConnection['ask']
  /** How long processes are waited for that were there when the erase was asked for. @defaultValue five minutes */
  patienceMs?: number
}

interface Watched {
  task: string
  /** The sequence of the last row of the erase. */
  last: number
  untilMs: number
  /** What is said of this process where it began after the erase. */
  unknown?: ErasureOutcome
}

const unreachable = () =>
  refuse(
    503,
    'log-unavailable',
    'The erase is in the log, and every process carries it out. The log in PostgreSQL cannot be reached to ask how far they are: ask again later.',
  )

const pollMs = 250
const usualPatienceMs = 300_000

/**
 * The ingest process's part of an erase with a log in PostgreSQL: it puts the erase into the log, and waits for the
 * processes that follow the log. Each of them rewrites its whole store for an entry, so the requests of a round
 * are put into one.
 */
export class LoggedRounds implements RoundsOf<Erasing> {
  readonly #options: LoggedRoundsOptions
  readonly #stopping = new AbortController()

  constructor(options: LoggedRoundsOptions) {
    this.#options = options
  }

  stop(): void {
    this.#stopping.abort()
  }

  async run(round: readonly Waiting<Erasing>[]): Promise<[]> {
    const { secret } = this.#options
    const requests = round.map(({ request: { id, ...more } }) => ({
      ...more,
      key: keyOf(secret, { environment: more.environment, id }),
    }))
    const last = await this.#append({
      kind: eraseKind,
      count: requests.length,
      receivedAtMs: Date.now(),
      body: Buffer.from(JSON.stringify(requests)),
    })
    const untilMs = performance.now() + (this.#options.patienceMs ?? usualPatienceMs)
    await Promise.all(
      round.map(async ({ resolve }, at) => {
        const { task, key } = requests[at]!
        const outcome = await this.#watch({ task, last, untilMs })
        const unknown = outcome.own?.state === 'unknown' ? outcome.own : undefined
        const earlier = unknown && (await this.#findEarlier(key, task))
        resolve(earlier ? await this.#watch({ ...earlier, untilMs, unknown }) : outcome)
      }),
    )
    return []
  }

  async #append(record: LogRecord): Promise<number> {
    try {
      return await this.#options.append(record)
    } catch (error) {
      if (!(error instanceof LogUnavailable)) throw error
      const message = 'The log in PostgreSQL did not confirm the erase. Ask again in a while.'
      throw refuse(503, 'log-unavailable', message, { 'retry-after': '10' })
    }
  }

  /** Waits until every process has carried out the erase, but not for those that were away when it began. */
  async #watch({ task, last, untilMs, unknown }: Watched): Promise<Erasing> {
    let away: Set<string> | undefined
    for (;;) {
      const progress = await this.#progress(task, last)
      if (progress !== undefined) {
        const { awaited, outcome = unknown } = progress
        away ??= new Set(awaited.flatMap(({ name, isLive }) => (isLive ? [] : [name])))
        const isOver = performance.now() > untilMs || this.#stopping.signal.aborted
        const isFirst = outcome === undefined && awaited.length === 0
        if (isOver || (!isFirst && awaited.every(({ name }) => away!.has(name))))
          return { own: outcome, awaited: awaited.map(({ store, last_seen }) => ({ store, last_seen })) }
      } else if (performance.now() > untilMs || this.#stopping.signal.aborted) {
        throw unreachable()
      }
      await delay(pollMs)
    }
  }

  #progress(task: string, last: number) {
    const { ask, reader } = this.#options
    return readProgress(ask, { task, last, reader: reader() ?? '' }).catch(() => undefined)
  }

  /** An earlier erase may have made the person unknown, and not be over yet. */
  #findEarlier(key: string, task: string) {
    return findUnfinished(this.#options.ask, { key, task }).catch(() => {
      throw unreachable()
    })
  }
}

interface LoggedErasuresOptions {
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
