import { setTimeout as delay } from 'node:timers/promises'
import { event } from '../fixtures/events.js'

interface Attempt {
  sentMs: number
  /** 0 where no answer came. */
  status: number
  retryAfter: string | null
}

export interface SenderOptions {
  events: number
  /** Where the ingest processes are at the moment. */
  urls(): readonly string[]
}

const perRequest = 50
const connections = 8
/** A request without an answer says nothing about its events, so they are sent again. */
const answerMs = 20_000
/** Less than the service asks for, which makes the test shorter and the service's life no easier. */
const restMs = 300

/** So far it goes beyond what was last waited for: on a fast machine it would be done before anything is killed. */
const aheadShare = 0.1

/** Sends numbered events, each request again until it is acknowledged, to one ingest process after the other. */
export class Sender {
  readonly #attempts: Attempt[] = []
  readonly #options: SenderOptions
  #next = 0
  #limit = 0
  #acknowledged = 0

  constructor(options: SenderOptions) {
    this.#options = options
  }

  /** Events that were answered by `ok: true`. */
  get acknowledged(): number {
    return this.#acknowledged
  }

  /** Resolves once all are acknowledged. */
  async run(): Promise<void> {
    await Promise.all(Array.from({ length: connections }, () => this.#work()))
  }

  /** Resolves once so many more than now are acknowledged. */
  async goesOn(more: number): Promise<void> {
    const wanted = Math.min(this.#acknowledged + more, this.#options.events)
    await this.reaches(wanted)
  }

  async reaches(count: number): Promise<void> {
    this.#limit = Math.max(this.#limit, count + aheadShare * this.#options.events)
    while (this.#acknowledged < count) await delay(10)
  }

  /** Resolves with the requests that are sent from now on, once so many have ended. */
  async tries(count: number): Promise<Attempt[]> {
    if (this.#acknowledged >= this.#options.events) throw new Error('There is nothing left to be tried.')
    this.#limit = Math.max(this.#limit, this.#next + connections * perRequest)
    const sinceMs = performance.now()
    for (;;) {
      const attempts = this.#attempts.filter(({ sentMs }) => sentMs > sinceMs)
      if (attempts.length >= count) return attempts
      await delay(10)
    }
  }

  async #work(): Promise<void> {
    while (this.#next < this.#options.events) {
      if (this.#next >= this.#limit) {
        await delay(10)
        continue
      }
      const first = this.#next
      this.#next = Math.min(first + perRequest, this.#options.events)
      await this.#deliver(first, this.#next)
    }
  }

  async #deliver(first: number, end: number): Promise<void> {
    const numbers = Array.from({ length: end - first }, (_, at) => first + at)
    const body = JSON.stringify(
      numbers.map((n) => event('numbered', { properties: { n, insert_id: `id-${n}` } })),
    )
    for (let tries = first / perRequest; ; tries++) {
      const urls = this.#options.urls()
      const attempt = await post(`${urls[tries % urls.length]}/track?apiKey=key`, body)
      this.#attempts.push(attempt)
      if (attempt.status === 200) break
      await delay(restMs)
    }
    this.#acknowledged += numbers.length
  }
}

const post = async (url: string, body: string): Promise<Attempt> => {
  const sentMs = performance.now()
  try {
    const answer = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(answerMs) })
    const { ok } = (await answer.json()) as { ok: boolean }
    if (ok !== (answer.status === 200)) throw new Error(`ok is ${ok}, and the status ${answer.status}.`)
    const retryAfter = answer.headers.get('retry-after')
    return { sentMs, status: answer.status, retryAfter }
  } catch {
    return { sentMs, status: 0, retryAfter: null }
  }
}
