import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { refuse } from './HttpError.js'

const lengthBytes = 4
const usualBytes = 256

/** Says whether a presented secret is one of a few, in a time that tells nothing about them. */
export class SecretSet {
  readonly #longest: number
  readonly #known: readonly Buffer[]
  readonly #asked: Buffer

  constructor(secrets: readonly string[]) {
    this.#longest = Math.max(usualBytes, ...secrets.map((secret) => Buffer.byteLength(secret)))
    const size = lengthBytes + this.#longest
    this.#known = secrets.map((secret) => this.#pad(secret, Buffer.alloc(size)))
    this.#asked = Buffer.alloc(size)
  }

  has(presented: string): boolean {
    const asked = this.#pad(presented, this.#asked.fill(0))
    let found = false
    for (const each of this.#known) found = timingSafeEqual(each, asked) || found
    return found
  }

  /** All of one size, with the length before, so that comparing takes as long whatever is compared. */
  #pad(secret: string, padded: Buffer): Buffer {
    padded.writeUInt32LE(Buffer.byteLength(secret))
    padded.write(secret, lengthBytes)
    return padded
  }
}

/**
 * The API key that a request presents. When it comes in several ways the first of `X-API-Key`,
 * `Authorization: Bearer`, `?apiKey=` counts, and a right key further down does not mend a wrong one.
 * `Authorization` with another scheme is for somebody on the way here, such as a staging site.
 */
export const readApiKey = (headers: IncomingHttpHeaders, search: string): string | undefined => {
  const direct = headers['x-api-key']
  if (direct !== undefined) return String(direct)
  const [scheme, token, ...rest] = (headers.authorization ?? '').trim().split(/\s+/)
  if (scheme?.toLowerCase() === 'bearer') {
    if (token === undefined || rest.length > 0) throw notBearer()
    return token
  }
  return new URLSearchParams(search).get('apiKey') ?? undefined
}

/** What is wrong with an `Authorization` that holds no key. */
export const notBearer = () =>
  refuse(400, 'invalid-headers', 'The Authorization header must read: Bearer <API key>.')
