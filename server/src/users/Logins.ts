import { refuse } from '../http/HttpError.js'
import type { Identity } from './Identity.js'
import { TryLimit } from './TryLimit.js'
import type { Users } from './Users.js'

export interface Try {
  name: string
  password: string
  /** Where it comes from. */
  address: string
}

/** Twenty wrong passwords at once, then one every two seconds: nobody guesses at that rate, or waits for long. */
const wrongTries = { atOnce: 20, everyMs: 2000 }
const maxPlaces = 10_000

/**
 * Checks passwords, and bounds how many wrong ones there are by address and by user. Where a user
 * has logged in before, tries from elsewhere do not count: nobody can keep another one out for long.
 */
export class Logins {
  readonly #users: Users
  readonly #limit = new TryLimit(wrongTries)
  /** Users with the addresses from which they have logged in. */
  readonly #places = new Set<string>()
  /** A program that begins with many requests at once tries once. */
  readonly #underWay = new Map<string, Promise<Identity | undefined>>()

  constructor(users: Users) {
    this.#users = users
  }

  /** Undefined when the name or the password is wrong; throws 429 when that was so too often. */
  check({ name, password, address }: Try): Promise<Identity | undefined> {
    const key = JSON.stringify([name, password, address])
    const known = this.#underWay.get(key)
    if (known !== undefined) return known
    const checking = this.#check({ name, password, address }).finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, checking)
    return checking
  }

  identityOf(name: string): Identity | undefined {
    const user = this.#users.find(name)
    return user && { user: name, role: user.role }
  }

  async #check({ name, password, address }: Try): Promise<Identity | undefined> {
    const place = JSON.stringify([name, address])
    const keys = this.#places.has(place) ? [place] : [`address ${address}`, `user ${name}`]
    const waitMs = this.#limit.take(keys)
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000)
      throw refuse(429, 'too-many-tries', `There were too many wrong passwords. Try again in ${seconds} s.`, {
        'retry-after': String(seconds),
      })
    }
    const identity = await this.#users.check(name, password)
    if (identity === undefined) return undefined
    this.#limit.giveBack(keys)
    this.#places.add(place)
    if (this.#places.size > maxPlaces) this.#places.delete(this.#places.values().next().value!)
    return identity
  }
}
