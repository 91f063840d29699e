import type { IncomingHttpHeaders } from 'node:http'
import { timingSafeEqual } from 'node:crypto'
import { OperatorError } from '../OperatorError.js'
import { refuse } from './HttpError.js'

const lengthBytes = 4
const usualBytes = 256

/** Finds a presented secret among a few, in a time that reveals nothing about them. */
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

  /** The index of a presented secret, -1 when it is none of them. */
  indexOf(presented: string): number {
    const asked = this.#pad(presented, this.#asked.fill(0))
    let found = -1
    for (let at = 0; at < this.#known.length; at++) {
      if (timingSafeEqual(this.#known[at]!, asked)) found = at
    }
    return found
  }

  /** Pads secrets to one size, with the length first, so that every comparison takes the same time. */
  #pad(secret: string, padded: Buffer): Buffer {
    padded.writeUInt32LE(Buffer.byteLength(secret))
    padded.write(secret, lengthBytes)
    return padded
  }
}

/**
 * The keys that write events and read nothing: `key` for all environments, `key:staging` for one. Those of pages are
 * public; those of servers are secret.
 */
export class ApiKeys {
  readonly #publicKeys: number
  readonly #keys: readonly string[]
  readonly #secrets: SecretSet
  readonly #writable: readonly ReadonlySet<string>[]

  constructor(
    listed: readonly string[],
    environments: ReadonlySet<string>,
    ofServers: readonly string[] = [],
  ) {
    const keys = new Map<string, ReadonlySet<string>>()
    const read = (each: string, flag: string) => {
      const cut = each.lastIndexOf(':')
      const [key, environment] = cut < 0 ? [each] : [each.slice(0, cut), each.slice(cut + 1)]
      if (environment !== undefined && !environments.has(environment)) {
        throw new OperatorError(
          `A key of ${flag} is for the environment ${JSON.stringify(environment)}, which does not exist; there are ${[...environments].join(', ')}. Write key:environment, or the key alone for all.`,
        )
      }
      keys.set(
        key,
        environment === undefined ? environments : new Set([...(keys.get(key) ?? []), environment]),
      )
    }
    for (const each of listed) read(each, '--api-keys')
    this.#publicKeys = keys.size
    for (const each of ofServers) read(each, '--server-keys')
    this.#keys = [...keys.keys()]
    this.#secrets = new SecretSet(this.#keys)
    this.#writable = [...keys.values()]
  }

  /** The keys for pages. */
  list(): { key: string; environments: string[] }[] {
    return this.#keys
      .slice(0, this.#publicKeys)
      .map((key, at) => ({ key, environments: [...this.#writable[at]!] }))
  }

  /** The environments that a key may write to; undefined when there is no such key. */
  find(key: string): ReadonlySet<string> | undefined {
    return this.#writable[this.#secrets.indexOf(key)]
  }

  /** Whether a key is in pages, where everybody can read it. A key in both lists is. */
  isPublic(key: string): boolean {
    const at = this.#secrets.indexOf(key)
    return at >= 0 && at < this.#publicKeys
  }
}

/**
 * The API key that a request presents. If there are several, the first of `X-API-Key`, `Authorization: Bearer` and
 * `?apiKey=` counts, and a right key after a wrong one changes nothing. `Authorization` with another scheme is ignored:
 * it is meant for a proxy, such as that of a staging site.
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

/** The refusal of an `Authorization` header without a key. */
export const notBearer = () =>
  refuse(400, 'invalid-headers', 'The Authorization header must read: Bearer <API key>.')
