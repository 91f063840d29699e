import { createHmac, randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { refuse } from '../http/HttpError.js'
import type { Logger } from '../Logger.js'
import { Recurring } from '../Watchdog.js'
import { reasonOf } from '../OperatorError.js'
import { writeWhole } from '../disk/writeWhole.js'

/** The file: a day, a space, the 32 bytes of its salt in base64. */
const form = /^(\d{4}-\d\d-\d\d) ([\w+/]{43}=)$/

const read = (file: string) => {
  let text: string
  try {
    text = readFileSync(file, 'latin1')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const [, day = '', salt = ''] = form.exec(text) ?? []
  return { day, salt: Buffer.from(salt, 'base64'), bytes: text.length }
}

/** Removes a file whose bytes shall not stay on the disk either, as far as the disk writes in place. */
const erase = (file: string, bytes: number): void => {
  const descriptor = openSync(file, 'r+')
  try {
    writeSync(descriptor, Buffer.alloc(bytes), 0, bytes, 0)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  rmSync(file)
}

const isOfOne = (days: SaltDays, { day }: { day: string }) => day === days.today || day === days.tomorrow

/** Keeps the salt in a file of the data folder, which belongs to one process and is in no backup. */
export const saltFile = (file: string): SaltPlace => ({
  async take(days) {
    const found = read(file)
    if (found !== undefined && isOfOne(days, found)) return found.salt
    if (found !== undefined) erase(file, found.bytes)
    const salt = randomBytes(32)
    writeWhole(file, `${days.today} ${salt.toString('base64')}`)
    return salt
  },

  async forgetOthers(days) {
    const found = read(file)
    if (found === undefined || isOfOne(days, found)) return undefined
    erase(file, found.bytes)
    return found.day
  },
})

/** The day, such as 2026-01-31, and the next one: the clocks of several processes differ a little around midnight. */
export interface SaltDays {
  today: string
  tomorrow: string
}

/** Where the salt of a day is kept. All processes that share one place count with one salt. */
export interface SaltPlace {
  /** Gives the salt of one of these days. Where there is none, a new one of today takes the place of what is there. */
  take(days: SaltDays): Promise<Buffer>
  /** Removes the salt of any other day, and gives that day. */
  forgetOthers(days: SaltDays): Promise<string | undefined>
}

/** A salt is gone this long after its day, also when nobody comes. */
const lookMs = 60_000
const dayMs = 86_400_000

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

  /**
   * The id of whoever is described, for today. The day is hashed, too: a salt that is left from a wrong clock gives
   * nobody one id for two days.
   */
  async idOf(description: readonly string[]): Promise<string> {
    const days = this.#days
    const salt = await this.#saltOf(days)
    const said = JSON.stringify([days.today, ...description])
    return `day-${createHmac('sha256', salt).update(said).digest('base64url').slice(0, 22)}`
  }

  /** Forgets the salt of another day, here and in its place. */
  async forget(): Promise<void> {
    const days = this.#days
    if (this.#held !== undefined && this.#held.day !== days.today) {
      // Buffers that are no longer used keep their bytes until the memory is used again.
      void this.#held.salt.then((salt) => salt.fill(0)).catch(() => undefined)
      this.#held = undefined
    }
    try {
      await this.#forgetOthers(days)
    } catch (error) {
      const reason = reasonOf(error)
      const times = this.#failures.note(reason)
      if (times !== undefined)
        this.#logger.error('The salt of an earlier day cannot be removed.', { reason, times })
    }
  }

  get #days(): SaltDays {
    const [today, tomorrow] = [0, dayMs].map((ms) => new Date(this.#now() + ms).toISOString().slice(0, 10))
    return { today: today!, tomorrow: tomorrow! }
  }

  async #forgetOthers(days: SaltDays): Promise<void> {
    const day = await this.#place.forgetOthers(days)
    if (day !== undefined && day > days.tomorrow)
      this.#logger.warn('The salt of a later day is removed: a clock was wrong.', { day })
  }

  async #saltOf(days: SaltDays): Promise<Buffer> {
    if (this.#held?.day !== days.today)
      this.#held = {
        day: days.today,
        salt: this.#forgetOthers(days).then(() => this.#place.take(days)),
      }
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
