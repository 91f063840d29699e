import { createHmac } from 'node:crypto'
import { refuse } from '../http/HttpError.js'
import type { Logger } from '../Logger.js'
import { Recurring } from '../Recurring.js'
import { reasonOf } from '../reasonOf.js'

/** Where the salt of a day is kept. All processes that share one place count with one salt. */
export interface SaltPlace {
  /** Gives the salt of a day. Where there is none of that day or of a later one, a new one takes the place of what is there. */
  take(day: string): Promise<Buffer>
  /** Removes the salt of an earlier day. */
  forgetBefore(day: string): Promise<void>
}

/** A salt is gone this long after its day, also when nobody comes. */
const lookMs = 60_000

/**
 * Makes the ids under which visitors are counted who did not agree to be recognised. An id holds for one day (UTC): it
 * is made with a salt that is gone when the day is over, so that nobody can find out again whose it was.
 */
export class DaySalt {
  readonly #place: SaltPlace
  readonly #logger: Logger
  readonly #now: () => number
  readonly #failures = new Recurring()
  #held: { day: string; salt: Promise<Buffer> } | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(place: SaltPlace, logger: Logger, now = Date.now) {
    this.#place = place
    this.#logger = logger
    this.#now = now
  }

  async start(): Promise<void> {
    await this.forget()
    this.#timer = setInterval(() => void this.forget(), lookMs).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** The id of whoever is described, for today. */
  async idOf(description: readonly string[]): Promise<string> {
    const salt = await this.#today()
    const hash = createHmac('sha256', salt).update(JSON.stringify(description)).digest('base64url')
    return `day-${hash.slice(0, 22)}`
  }

  /** Forgets the salt of an earlier day, here and in its place. */
  async forget(): Promise<void> {
    const day = this.#day
    if (this.#held !== undefined && this.#held.day < day) {
      // Buffers that are no longer used keep their bytes until the memory is used again.
      void this.#held.salt.then((salt) => salt.fill(0)).catch(() => undefined)
      this.#held = undefined
    }
    try {
      await this.#place.forgetBefore(day)
    } catch (error) {
      const reason = reasonOf(error)
      const times = this.#failures.note(reason)
      if (times !== undefined)
        this.#logger.error('The salt of an earlier day cannot be removed.', { reason, times })
    }
  }

  get #day(): string {
    return new Date(this.#now()).toISOString().slice(0, 10)
  }

  async #today(): Promise<Buffer> {
    const day = this.#day
    if (this.#held?.day !== day) this.#held = { day, salt: this.#place.take(day) }
    const held = this.#held
    try {
      return await held.salt
    } catch (error) {
      if (this.#held === held) this.#held = undefined
      this.#logger.warn('The salt of the day cannot be kept.', { reason: reasonOf(error) })
      const message = 'Visitors cannot be counted without consent at the moment. Send again in a while.'
      throw refuse(503, 'log-unavailable', message, { 'retry-after': '10' })
    }
  }
}
