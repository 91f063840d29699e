import { createHmac, hkdfSync, randomBytes, timingSafeEqual, createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isOwnMachine } from '../http/behindProxy.js'

/** How long the link can be used after the start of the service. */
export const linkMinutes = 15

const digestOf = (text: string) => createHash('sha256').update(text).digest()

/**
 * A link that logs its user in once, on this machine alone. Its token is behind the `#` of the address, which no browser
 * sends: no log of a server or proxy has it.
 */
export class LoginLink {
  readonly user: string
  readonly #token = randomBytes(18).toString('base64url')
  readonly #untilMs: number
  readonly #now: () => number
  #isUsed = false

  constructor(user: string, now: () => number = () => performance.now()) {
    this.user = user
    this.#now = now
    this.#untilMs = now() + linkMinutes * 60_000
  }

  /** The address for the person who has started the service. */
  addressAt(url: string): string {
    return `${url}/app/#login=${this.#token}`
  }

  /** Whether this request may log in; a second one may not. */
  take(token: string, request: IncomingMessage): boolean {
    if (this.#isUsed || this.#now() > this.#untilMs || !isOwnMachine(request)) return false
    this.#isUsed = timingSafeEqual(digestOf(token), digestOf(this.#token))
    return this.#isUsed
  }
}

export interface Login {
  user: string
  /** All tokens of one login have this id. */
  id: string
  /** When the user logged in. */
  beganMs: number
  /** When this token was made. */
  issuedMs: number
}

const hourMs = 3_600_000
/** A login ends after so long without a request. */
export const loginMs = 12 * hourMs
/** A login ends in any case so long after it began. */
const longestMs = 30 * 24 * hourMs
/** A token is renewed only when it is older than this, so that not every answer carries one. */
const renewAfterMs = hourMs / 6
const maxEnded = 10_000
/** The clocks of processes that share a store's secret differ by less. */
const skewMs = 300_000

const form = /^([\w-]+)\.([\w-]{22})\.([\da-z]{1,11})\.([\da-z]{1,11})\.([\w-]{43})$/

/**
 * Makes and checks the tokens of logins. They are signed with a key made of the store's secret and the user's
 * password, so the service need not keep them: a restart ends no login, and a changed password ends all logins
 * of its user.
 */
export class LoginTokens {
  /** A part of the cookie's name, so that several services on one host have different cookies. */
  readonly storeId: string
  readonly #secret: Buffer
  readonly #secretOf: (user: string) => string | undefined
  readonly #now: () => number
  /** The ids of the logins that were ended last. No time is kept of them: a wrong clock would forget them. */
  readonly #ended = new Set<string>()

  constructor(
    storeSecret: Buffer,
    /** The password of a user, or its hash; undefined when there is no such user. */
    secretOf: (user: string) => string | undefined,
    now: () => number = Date.now,
  ) {
    const derive = (use: string, bytes: number) =>
      Buffer.from(hkdfSync('sha256', storeSecret, '', `waymark session ${use}`, bytes))
    this.storeId = derive('cookie', 4).toString('hex')
    this.#secret = derive('tokens', 32)
    this.#secretOf = secretOf
    this.#now = now
  }

  begin(user: string): string {
    const now = this.#now()
    return this.#write({ user, id: randomBytes(16).toString('base64url'), beganMs: now, issuedMs: now })
  }

  /**
   * Undefined when this service did not make the token, when it has expired, or when its login was ended. A token of a
   * later time was made while the clock was wrong: it would not expire before that time comes.
   */
  read(token: string): Login | undefined {
    const [, name, id, began, issued, signature] = form.exec(token) ?? []
    if (signature === undefined) return undefined
    const login = {
      user: Buffer.from(name!, 'base64url').toString(),
      id: id!,
      beganMs: Number.parseInt(began!, 36),
      issuedMs: Number.parseInt(issued!, 36),
    }
    const expected = this.#sign(login)
    if (expected === undefined || !timingSafeEqual(expected, Buffer.from(signature, 'base64url')))
      return undefined
    const now = this.#now()
    if (now > login.issuedMs + loginMs || now > login.beganMs + longestMs) return undefined
    if (Math.max(login.beganMs, login.issuedMs) > now + skewMs) return undefined
    return this.#ended.has(id!) ? undefined : login
  }

  /** Makes a new token when the old one is older than `renewAfterMs`. */
  renew(login: Login): string | undefined {
    const now = this.#now()
    return now - login.issuedMs < renewAfterMs ? undefined : this.#write({ ...login, issuedMs: now })
  }

  end({ id }: Login): void {
    this.#ended.add(id)
    if (this.#ended.size > maxEnded) this.#ended.delete(this.#ended.values().next().value!)
  }

  #write(login: Login): string {
    return `${payloadOf(login)}.${this.#sign(login)!.toString('base64url')}`
  }

  #sign(login: Login): Buffer | undefined {
    const password = this.#secretOf(login.user)
    if (password === undefined) return undefined
    const key = createHmac('sha256', this.#secret).update(password).digest()
    return createHmac('sha256', key).update(payloadOf(login)).digest()
  }
}

const payloadOf = ({ user, id, beganMs, issuedMs }: Login) =>
  [Buffer.from(user).toString('base64url'), id, beganMs.toString(36), issuedMs.toString(36)].join('.')
