import type { DuckDBConnection } from '@duckdb/node-api'
import type { Logger } from '../Logger.js'
import { reasonOf } from '../OperatorError.js'
import { type SealedReceiver, unseal } from './alert.js'
import type { AlertNews, Message } from './alertsSchema.js'
import { send, type SendOptions } from './send.js'

interface Waiting {
  id: string
  receiver: number
  name: string
  message: Message
  sentTo: SealedReceiver
  attempts: number
  nextMs: number
}

/** The waits between tries: some twenty hours in all. */
const backOffMs = [10, 60, 300, 1800, 7200, 21_600, 43_200].map((seconds) => seconds * 1000)
/** News that the store does not have by then was lost. */
export const lostMs = 30_000
const maxAtOnce = 16
/** A place that hangs leaves room for the others. */
const maxAtPlace = 2
/** The messages that are due, of each receiver of an alert the oldest alone, so that they come in their order. */
const waitingSql = `SELECT id, receiver, name, value::VARCHAR, sent_to::VARCHAR, attempts, epoch_ms(next_at)
FROM analytics.raw.alert_messages WHERE next_at IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY name, sent_to::VARCHAR ORDER BY seq) = 1`

/** Where a receiver is: those of one place wait for each other. */
const placeOf = ({ shown }: SealedReceiver) => ('mail' in shown ? 'mail' : shown.webhook)

const keyOf = ({ id, receiver, attempts }: Pick<Waiting, 'id' | 'receiver' | 'attempts'>) =>
  `${id} ${receiver} ${attempts}`

const readWaiting = ([id, receiver, name, message, sentTo, attempts, nextMs]: [
  string,
  number,
  string,
  string,
  string,
  number,
  bigint,
]): Waiting => ({
  id,
  receiver,
  name,
  message: JSON.parse(message) as Message,
  sentTo: JSON.parse(sentTo) as SealedReceiver,
  attempts,
  nextMs: Number(nextMs),
})

export const readWaitingMessages = async (connection: DuckDBConnection): Promise<readonly Waiting[]> =>
  ((await connection.runAndReadAll(waitingSql)).getRows() as Parameters<typeof readWaiting>[0][]).map(
    readWaiting,
  )

export interface OutboxOptions {
  /** Puts news into the log. It may be lost, and is then said again. */
  tell(news: readonly AlertNews[]): void
  sending: SendOptions
  /** The service's secret, with which receivers are sealed. */
  secret: Buffer
  now(): number
  logger: Logger
}

/** Sends the messages that wait in the store, and tells the log what became of each try. */
export class Outbox {
  readonly #options: OutboxOptions
  /** Aborted when the service stops. */
  readonly #gone: AbortSignal
  /** What became of tries, by message, receiver and try, until the store has it. */
  readonly #tried = new Map<string, { news: AlertNews | undefined; toldMs: number }>()
  readonly #atPlace = new Map<string, number>()

  constructor(options: OutboxOptions, gone: AbortSignal) {
    this.#options = options
    this.#gone = gone
  }

  sendDue(waiting: readonly Waiting[]): void {
    const { now, tell } = this.#options
    const keys = new Set(waiting.map(keyOf))
    for (const [key, { news, toldMs }] of this.#tried) {
      if (news === undefined) continue
      if (!keys.has(key)) this.#tried.delete(key)
      else if (performance.now() - toldMs > lostMs) {
        tell([news])
        this.#tried.set(key, { news, toldMs: performance.now() })
      }
    }
    const nowMs = now()
    for (const each of waiting) {
      const place = placeOf(each.sentTo)
      const atPlace = this.#atPlace.get(place) ?? 0
      const atOnce = [...this.#atPlace.values()].reduce((sum, count) => sum + count, 0)
      if (each.nextMs > nowMs || this.#tried.has(keyOf(each)) || atPlace >= maxAtPlace || atOnce >= maxAtOnce)
        continue
      this.#atPlace.set(place, atPlace + 1)
      this.#tried.set(keyOf(each), { news: undefined, toldMs: 0 })
      void this.#sendOne(each).finally(() => {
        const left = this.#atPlace.get(place)! - 1
        if (left > 0) this.#atPlace.set(place, left)
        else this.#atPlace.delete(place)
      })
    }
  }

  async #send(receiver: SealedReceiver, message: Message): Promise<string | null> {
    const { sending, secret } = this.#options
    try {
      return await send(unseal(receiver, secret), message, sending, this.#gone)
    } catch (error) {
      return reasonOf(error)
    }
  }

  async #sendOne(each: Waiting): Promise<void> {
    const { id, receiver, name, message, sentTo, attempts } = each
    const { now, tell, logger } = this.#options
    const error = await this.#send(sentTo, message)
    // The next process sends it again.
    if (this.#gone.aborted) return
    const waitMs = error === null ? undefined : backOffMs[attempts]
    const atMs = now()
    const nextMs = waitMs === undefined ? null : atMs + waitMs
    const news: AlertNews = { kind: 'tried', name, id, receiver, attempt: attempts + 1, error, nextMs, atMs }
    this.#tried.set(keyOf(each), { news, toldMs: performance.now() })
    tell([news])
    if (error !== null)
      logger.warn('A message of an alert was not taken.', {
        alert: name,
        to: placeOf(sentTo),
        error,
        attempt: attempts + 1,
      })
  }
}
