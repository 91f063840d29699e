import { setTimeout as delay } from 'node:timers/promises'
import { refuse } from '../http/HttpError.js'
import { findUnfinished, readProgress } from './log/erasureTables.js'
import type { ServerConnection } from './log/ServerConnection.js'
import { LogUnavailable } from '../wal/AcceptLog.js'
import type { LogRecord } from '../wal/segment.js'
import { eraseKind, type ErasureOutcome, keyOf } from '../payloads/erasure.js'
import type { Erasing, RoundsOf, Waiting } from '../privacy/ErasureRounds.js'

export interface LoggedRoundsOptions {
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
