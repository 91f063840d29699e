import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

export interface Login {
  user: string
  /** The same in all tokens of one login. */
  id: string
  /** When its user logged in. */
  beganMs: number
  /** When this token was made. */
  issuedMs: number
}

const hourMs = 3_600_000
/** Without a request for so long a session ends. */
export const loginMs = 12 * hourMs
/** And so long after the login in any case. */
const longestMs = 30 * 24 * hourMs
/** A token is made anew when it is older than this, so that not every answer carries one. */
const renewAfterMs = hourMs / 6
const maxEnded = 10_000

const form = /^([\w-]+)\.([\w-]{22})\.([\da-z]{1,11})\.([\da-z]{1,11})\.([\w-]{43})$/

/**
 * Tokens of logins. They are signed with a key made of the store's secret and the user's password, so
 * that none has to be kept: a restart ends no session, and a changed password ends all of its user.
 */
export class LoginTokens {
  /** By which a browser tells the cookies of several services on one host apart. */
  readonly storeId: string
  readonly #secret: Buffer
  readonly #secretOf: (user: string) => string | undefined
  readonly #now: () => number
  /** Logged out, until their tokens expire by themselves. */
  readonly #ended = new Map<string, number>()

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

  /** Undefined when the token is not ours, has expired, or was ended. */
  read(token: string): Login | undefined {
    const [, name, id, began, issued, signature] = form.exec(token) ?? []
    if (signature === undefined) return undefined
    const session = {
      user: Buffer.from(name!, 'base64url').toString(),
      id: id!,
      beganMs: Number.parseInt(began!, 36),
      issuedMs: Number.parseInt(issued!, 36),
    }
    const expected = this.#sign(session)
    if (expected === undefined || !timingSafeEqual(expected, Buffer.from(signature, 'base64url')))
      return undefined
    const now = this.#now()
    if (now > session.issuedMs + loginMs || now > session.beganMs + longestMs) return undefined
    return this.#ended.has(id!) ? undefined : session
  }

  /** A newer token in the place of one that has some age. */
  renew(session: Login): string | undefined {
    const now = this.#now()
    return now - session.issuedMs < renewAfterMs ? undefined : this.#write({ ...session, issuedMs: now })
  }

  end({ id }: Login): void {
    const now = this.#now()
    for (const [each, untilMs] of this.#ended) {
      if (untilMs > now && this.#ended.size < maxEnded) break
      this.#ended.delete(each)
    }
    this.#ended.set(id, now + loginMs)
  }

  #write(session: Login): string {
    return `${payloadOf(session)}.${this.#sign(session)!.toString('base64url')}`
  }

  #sign(session: Login): Buffer | undefined {
    const password = this.#secretOf(session.user)
    if (password === undefined) return undefined
    const key = createHmac('sha256', this.#secret).update(password).digest()
    return createHmac('sha256', key).update(payloadOf(session)).digest()
  }
}

const payloadOf = ({ user, id, beganMs, issuedMs }: Login) =>
  [Buffer.from(user).toString('base64url'), id, beganMs.toString(36), issuedMs.toString(36)].join('.')
