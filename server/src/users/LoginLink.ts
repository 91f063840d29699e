import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isOwnMachine } from '../http/clientAddress.js'

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
