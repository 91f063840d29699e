import { setTimeout as delay } from 'node:timers/promises'
import { randomUUID } from 'node:crypto'
import { type HttpError, refuse } from '../http/HttpError.js'
import type { EngineLink } from '../link/EngineLink.js'
import type { WriteAheadLog } from '../wal/WriteAheadLog.js'
import {
  type AwaitedStore,
  erasePath,
  type ErasureOutcome,
  type ErasureRequest,
  type ErasureState,
  personNotFound,
  readAskedPerson,
} from '../payloads/erasure.js'
import type { Route } from '../http/Route.js'
import type { Logger } from '../Logger.js'
import type { Authenticate } from '../users/authenticate.js'
import { readOnlyUser } from '../users/Identity.js'

/** An erasure that somebody waits for. */
export interface Waiting<Outcome> {
  request: ErasureRequest
  resolve(outcome: Outcome): void
  reject(error: unknown): void
}

/** Settles those of a round; gives the ones that must be tried again. */
export type RunRound<Outcome> = (round: readonly Waiting<Outcome>[]) => Promise<readonly Waiting<Outcome>[]>

/** What a round does. */
export interface RoundsOf<Outcome> {
  run: RunRound<Outcome>
  /** Stops waiting. */
  stop(): void
}

/** What is known of an erase: what this process has done, and who has still to carry it out. */
export interface Erasing {
  own: ErasureOutcome | undefined
  awaited: readonly AwaitedStore[]
}

/** How many erasures one round carries out. */
const maxRound = 100

/**
 * Runs one round at a time. Each rewrites a whole store, so requests that come during a round are carried out together
 * in the next one.
 */
export class Rounds<Outcome> {
  readonly #of: RoundsOf<Outcome>
  #waiting: Waiting<Outcome>[] = []
  #isRunning = false

  constructor(of: RoundsOf<Outcome>) {
    this.#of = of
  }

  /** Resolves once nothing of the person is on disk, or with the reason why that is not so. */
  erase(request: ErasureRequest): Promise<Outcome> {
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
        this.#waiting.push(...(await this.#of.run(round)))
      } catch (error) {
        for (const { reject } of round) reject(error)
      }
    }
    this.#isRunning = false
  }

  /** Stops waiting. What has begun is carried out. */
  stop(): void {
    this.#of.stop()
  }
}

interface LocalRoundsOptions {
  link: EngineLink
  log: Pick<WriteAheadLog, 'seal' | 'remove'>
}

const graceMs = 3000
/** How long to wait before a request that the engine has lost is sent again. */
const againMs = 200

const unavailable = (code: string, message: string): HttpError =>
  refuse(503, code, message, { 'retry-after': '2' })

/**
 * The ingest process's part of an erasure: it removes the files of the write-ahead log, which hold rows of the
 * person.
 */
export class LocalRounds implements RoundsOf<Erasing> {
  readonly #options: LocalRoundsOptions
  #isStopped = false
  /** The requests of this round, by task. They are settled with undefined when the engine has lost them. */
  readonly #asked = new Map<string, (outcome: ErasureOutcome | undefined) => void>()

  constructor(options: LocalRoundsOptions) {
    this.#options = options
    const { link } = options
    link.on('erasure', (state) => this.#learn(state))
    link.on('up', ({ erasures }) => {
      for (const state of erasures) this.#learn(state)
      // This message comes first on a new connection, so a request that it does not name was lost.
      const known = new Set(erasures.map(({ task }) => task))
      for (const [task, settle] of this.#asked) if (!known.has(task)) settle(undefined)
    })
  }

  stop(): void {
    this.#isStopped = true
    for (const settle of this.#asked.values()) settle(undefined)
  }

  #learn(state: ErasureState): void {
    if (state.state !== 'pending') this.#asked.get(state.task)?.(state)
  }

  async run(round: readonly Waiting<Erasing>[]): Promise<readonly Waiting<Erasing>[]> {
    const { link, log } = this.#options
    if (this.#isStopped) {
      throw unavailable(
        'stopping',
        'The service is being stopped; an erasure that has begun is finished at its next start.',
      )
    }
    if (!(await link.whenUp(graceMs))) {
      throw unavailable(
        'engine-starting',
        'The query engine is being started. Nothing was erased; send again in a moment.',
      )
    }
    const through = await log.seal()
    const outcomes = round.map(({ request }) => this.#outcomeOf(request.task))
    link.tell({ kind: 'erase', requests: round.map(({ request }) => request), through })
    const settled = await Promise.all(outcomes)
    // The engine erases only once all rows up to `through` are stored, so the log may lose them now.
    if (settled.some((outcome) => outcome?.state === 'done')) await log.remove(through)
    const lost = round.filter((each, at) => {
      const outcome = settled[at]
      if (outcome !== undefined) each.resolve({ own: outcome, awaited: [] })
      return outcome === undefined
    })
    if (lost.length > 0 && !this.#isStopped) await delay(againMs)
    return lost
  }

  #outcomeOf(task: string): Promise<ErasureOutcome | undefined> {
    return new Promise((resolve) => {
      this.#asked.set(task, (outcome) => {
        this.#asked.delete(task)
        resolve(outcome)
      })
    })
  }
}

interface EraseRouteOptions {
  authenticate: Authenticate
  rounds: Pick<Rounds<Erasing>, 'erase'>
  logger: Logger
}

const message =
  'The erase is in the log: each of the awaited processes carries it out before it stores anything that came later, so once it runs again. One that stays away for longer than --log-readers-kept is no longer awaited, and its data folder cannot be used any more.'

const pending = (own: ErasureOutcome | undefined, awaited: readonly AwaitedStore[]) => ({
  status: 202,
  body: {
    ok: true,
    ...(own?.state === 'done' && { person: own.person, erased: own.erased }),
    awaited,
    message,
  },
})

/** `POST /persons/erase` is answered once no file of the service holds an id of the person. */
export const eraseRoute = ({ authenticate, rounds, logger }: EraseRouteOptions): Route => ({
  method: 'POST',
  path: erasePath,
  async handle({ request, response }) {
    const { user, role } = await authenticate(request, response)
    if (role === 'read') throw readOnlyUser()
    const asked = await readAskedPerson(request)
    const { own, awaited } = await rounds.erase({
      ...asked,
      task: randomUUID(),
      user,
      askedAtMs: Date.now(),
    })
    if (awaited.length > 0 || own === undefined) return pending(own, awaited)
    if (own.state === 'unknown') throw personNotFound(asked)
    if (own.state === 'failed') throw refuse(503, 'erase-failed', own.reason)
    const { person, erased } = own
    logger.info('A person was erased.', { user, environment: asked.environment, person, ...erased })
    return { status: 200, body: { ok: true, person, erased } }
  },
})
