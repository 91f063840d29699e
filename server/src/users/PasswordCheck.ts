import { refuse } from '../http/HttpError.js'
import type { Logger } from '../Logger.js'
import type { Identity } from './Identity.js'
import { TryLimit } from './TryLimit.js'
import type { Users } from './Users.js'

export interface Try {
  name: string
  password: string
  /** Where it comes from. */
  address: string
  /** Of the request that it came with, if it did. */
  requestId?: string
}

/** Twenty wrong passwords at once, then one every two seconds: nobody guesses at that rate, or waits for long. */
const wrongTries = { atOnce: 20, everyMs: 2000 }
/** What an address may try for a user whose tries others have used up. */
const ownTries = { atOnce: 3, everyMs: 3_600_000 }
/** What all addresses together may try in that way: a hash keeps a thread busy for a tenth of a second and more. */
const allOwnTries = { atOnce: 20, everyMs: 250 }
const maxKnownAddresses = 10_000

/** A limit that a try counts against, and by which keys. */
interface Taken {
  limit: TryLimit
  keys: readonly string[]
}

/**
 * Checks passwords, and bounds how many wrong ones there are by address and by user. Nobody can keep another one out
 * for long: where a user has logged in before, tries from elsewhere do not count; and an address that has hardly tried
 * has a few tries of its own when those of a user are used up.
 */
export class PasswordCheck {
  readonly #users: Users
  readonly #logger: Logger
  readonly #limit: TryLimit
  readonly #own: TryLimit
  readonly #allOwn: TryLimit
  /** Users with the addresses from which they have logged in. */
  readonly #places = new Set<string>()
  /** A program that begins with many requests at once tries once. */
  readonly #underWay = new Map<string, Promise<Identity | undefined>>()

  constructor(users: Users, logger: Logger, now = () => performance.now()) {
    this.#users = users
    this.#logger = logger
    this.#limit = new TryLimit({ ...wrongTries, now })
    this.#own = new TryLimit({ ...ownTries, now })
    this.#allOwn = new TryLimit({ ...allOwnTries, now })
  }

  /** Undefined when the name or the password is wrong; throws 429 when that was so too often. */
  check(given: Try): Promise<Identity | undefined> {
    const { name, password, address } = given
    const key = JSON.stringify([name, password, address])
    const known = this.#underWay.get(key)
    if (known !== undefined) return known
    const checking = this.#check(given).finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, checking)
    return checking
  }

  identityOf(name: string): Identity | undefined {
    const user = this.#users.find(name)
    return user && { user: name, role: user.role }
  }

  async #check({ name, password, address, requestId }: Try): Promise<Identity | undefined> {
    const place = JSON.stringify([name, address])
    const taken = this.#take(place, name, address)
    const identity = await this.#users.check(name, password)
    if (identity === undefined) {
      // What is no user's name may be a password in the wrong field.
      const user = this.#users.find(name) && name
      this.#logger.warn('A password was wrong.', { request_id: requestId, user, address })
      return undefined
    }
    for (const { limit, keys } of taken) limit.giveBack(keys)
    this.#places.add(place)
    if (this.#places.size > maxKnownAddresses) this.#places.delete(this.#places.values().next().value!)
    return identity
  }

  /** Counts a try against one of the ways in which it may be made; throws 429 when there is none now. */
  #take(place: string, name: string, address: string): Taken[] {
    const byAddress = `address ${address}`
    // All names that are nobody's are one, or guessing them would never come to an end.
    const byUser = this.#users.find(name) === undefined ? 'nobody' : `user ${name}`
    const ways: Taken[][] = this.#places.has(place)
      ? [[{ limit: this.#limit, keys: [place] }]]
      : [
          [{ limit: this.#limit, keys: [byAddress, byUser] }],
          [
            { limit: this.#limit, keys: [byAddress] },
            { limit: this.#own, keys: [byAddress] },
            { limit: this.#allOwn, keys: ['all'] },
          ],
        ]
    const waits: number[] = []
    for (const way of ways) {
      const waitMs = takeAll(way)
      if (waitMs === 0) return way
      waits.push(waitMs)
    }
    throw tooMany(Math.min(...waits))
  }
}

/** How long to wait until all of them have room; 0 when they have it now, and then the try counts. */
const takeAll = (limits: readonly Taken[]): number => {
  for (const [at, { limit, keys }] of limits.entries()) {
    const waitMs = limit.take(keys)
    if (waitMs === 0) continue
    for (const before of limits.slice(0, at)) before.limit.giveBack(before.keys)
    return waitMs
  }
  return 0
}

const tooMany = (waitMs: number) => {
  const seconds = Math.ceil(waitMs / 1000)
  return refuse(429, 'too-many-tries', `There were too many wrong passwords. Try again in ${seconds} s.`, {
    'retry-after': String(seconds),
  })
}
