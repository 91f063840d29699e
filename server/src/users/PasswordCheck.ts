import { refuse } from '../http/HttpError.js'
import type { Logger } from '../Logger.js'
import type { Identity } from './Identity.js'
import type { PasswordHash } from './passwordHash.js'
import type { Users } from './Users.js'

const maxKeys = 10_000

/**
 * Limits wrong tries. A try counts under one or more keys. For each key there is one number: the time at
 * which all its tries are paid for (https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm).
 */
export class TryLimit {
  readonly #atOnce: number
  readonly #everyMs: number
  readonly #now: () => number
  readonly #paidAt = new Map<string, number>()

  /** So many wrong tries in a row need no wait, and each further one waits for `everyMs`. */
  constructor({ atOnce, everyMs }: { atOnce: number; everyMs: number }, now = () => performance.now()) {
    this.#atOnce = atOnce
    this.#everyMs = everyMs
    this.#now = now
  }

  /** Returns how long to wait before a try under these keys. When it may be made now it counts, and the result is 0. */
  take(keys: readonly string[]): number {
    const now = this.#now()
    const latest = Math.max(...keys.map((key) => this.#paidAt.get(key) ?? 0))
    const waitMs = latest - now - (this.#atOnce - 1) * this.#everyMs
    if (waitMs > 0) return waitMs
    for (const key of keys) this.#set(key, Math.max(this.#paidAt.get(key) ?? 0, now) + this.#everyMs)
    return 0
  }

  /** Takes a try back that was right, because only wrong ones count. */
  giveBack(keys: readonly string[]): void {
    for (const key of keys) this.#set(key, (this.#paidAt.get(key) ?? 0) - this.#everyMs)
  }

  #set(key: string, paidAt: number): void {
    // The key moves to the end of the map, so that the key at the front, the oldest, is deleted first.
    this.#paidAt.delete(key)
    if (paidAt > this.#now()) this.#paidAt.set(key, paidAt)
    if (this.#paidAt.size > maxKeys) this.#paidAt.delete(this.#paidAt.keys().next().value!)
  }
}

interface Origin {
  name: string
  /** The client's network address. */
  address: string
  /** The id of the HTTP request, if it came by one. */
  requestId?: string
}

interface Try extends Origin {
  password: string
}

/** After twenty wrong passwords at once, one every two seconds is allowed: too slow for guessing, and no long wait for a person. */
export const wrongTries = { atOnce: 20, everyMs: 2000 }
/** An address has these tries of its own for a user whose tries other addresses have used up. */
const ownTries = { atOnce: 3, everyMs: 3_600_000 }
/** All addresses together have these tries of that kind, because one hash keeps a thread busy for at least a tenth of a second. */
const allOwnTries = { atOnce: 20, everyMs: 250 }
const maxKnownAddresses = 10_000

/** A limit that a try counts against, and the keys under which it is counted. */
interface CountedLimit {
  limit: TryLimit
  keys: readonly string[]
}

/**
 * Checks passwords, and limits the wrong ones by address and by user. Nobody can lock another user out for long. Tries
 * from elsewhere do not count for an address from which the user has logged in before. An address that has hardly tried
 * has a few tries of its own when those of the user are used up.
 */
export class PasswordCheck {
  readonly #users: Users
  readonly #logger: Logger
  readonly #limit: TryLimit
  readonly #own: TryLimit
  readonly #allOwn: TryLimit
  /** Pairs of a user and an address from which that user has logged in. */
  readonly #knownOrigins = new Set<string>()
  /** Checks that run now: a program that begins with many requests at once counts as one try. */
  readonly #underWay = new Map<string, Promise<Identity | undefined>>()

  constructor(users: Users, logger: Logger, now = () => performance.now()) {
    this.#users = users
    this.#logger = logger
    this.#limit = new TryLimit(wrongTries, now)
    this.#own = new TryLimit(ownTries, now)
    this.#allOwn = new TryLimit(allOwnTries, now)
  }

  /** Resolves to undefined when the name or the password is wrong. Rejects with a 429 after too many wrong passwords. */
  check(given: Try): Promise<Identity | undefined> {
    const { name, password, address } = given
    const key = JSON.stringify([name, password, address])
    const known = this.#underWay.get(key)
    if (known !== undefined) return known
    const checking = this.#count(given, () => this.#users.check(name, password))
    const ended = () => void this.#underWay.delete(key)
    checking.then(ended, ended)
    this.#underWay.set(key, checking)
    return checking
  }

  hashOf(name: string): Promise<PasswordHash> {
    return this.#users.hashOf(name)
  }

  /** As `check`, for a client that shows by `isRight` that it knows the password. */
  checkProof(origin: Origin, isRight: () => boolean): Promise<Identity | undefined> {
    return this.#count(origin, async () => (isRight() ? this.identityOf(origin.name) : undefined))
  }

  identityOf(name: string): Identity | undefined {
    const user = this.#users.find(name)
    return user && { user: name, role: user.role }
  }

  /** Whether a provider of OpenID Connect vouches for the user. */
  isForeign(name: string): boolean {
    return this.#users.find(name)?.from === '--oidc-issuer'
  }

  async #count(
    { name, address, requestId }: Origin,
    identify: () => Promise<Identity | undefined>,
  ): Promise<Identity | undefined> {
    const origin = JSON.stringify([name, address])
    const counted = this.#take(origin, name, address)
    const identity = await identify()
    if (identity === undefined) {
      // An unknown name is not logged: it may be a password that was typed into the wrong field.
      const user = this.#users.find(name) && name
      this.#logger.warn('A password was wrong.', { request_id: requestId, user, address })
      return undefined
    }
    for (const { limit, keys } of counted) limit.giveBack(keys)
    this.#knownOrigins.add(origin)
    if (this.#knownOrigins.size > maxKnownAddresses)
      this.#knownOrigins.delete(this.#knownOrigins.values().next().value!)
    return identity
  }

  /** Counts a try under the first set of limits that has room; throws a 429 when none has. */
  #take(origin: string, name: string, address: string): CountedLimit[] {
    const byAddress = `address ${address}`
    // All unknown names share one key, because there is no end of names to guess.
    const byUser = this.#users.find(name) === undefined ? 'nobody' : `user ${name}`
    const ways: CountedLimit[][] = this.#knownOrigins.has(origin)
      ? [[{ limit: this.#limit, keys: [origin] }]]
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
    throw tooManyTries(Math.min(...waits))
  }
}

/** Returns how long to wait until all limits have room. When they have room now it counts the try and returns 0. */
const takeAll = (limits: readonly CountedLimit[]): number => {
  for (const [at, { limit, keys }] of limits.entries()) {
    const waitMs = limit.take(keys)
    if (waitMs === 0) continue
    for (const before of limits.slice(0, at)) before.limit.giveBack(before.keys)
    return waitMs
  }
  return 0
}

export const tooManyTries = (waitMs: number, what = 'passwords') => {
  const seconds = Math.ceil(waitMs / 1000)
  return refuse(429, 'too-many-tries', `There were too many wrong ${what}. Try again in ${seconds} s.`, {
    'retry-after': String(seconds),
  })
}
