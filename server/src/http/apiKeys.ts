import type { IncomingHttpHeaders } from 'node:http'
import { OperatorError } from '../OperatorError.js'
import { refuse } from './HttpError.js'
import { SecretSet } from './SecretSet.js'

/** Keys that write events and read nothing: `key` for all environments, `key:staging` for one. */
export class ApiKeys {
  readonly #secrets: SecretSet
  readonly #writable: readonly ReadonlySet<string>[]

  constructor(listed: readonly string[], environments: ReadonlySet<string>) {
    const keys = new Map<string, ReadonlySet<string>>()
    for (const each of listed) {
      const cut = each.lastIndexOf(':')
      const [key, environment] = cut < 0 ? [each] : [each.slice(0, cut), each.slice(cut + 1)]
      if (environment !== undefined && !environments.has(environment)) {
        throw new OperatorError(
          `A key of --api-keys is for the environment ${JSON.stringify(environment)}, which does not exist; there are ${[...environments].join(', ')}. Write key:environment, or the key alone for all.`,
        )
      }
      keys.set(
        key,
        environment === undefined ? environments : new Set([...(keys.get(key) ?? []), environment]),
      )
    }
    this.#secrets = new SecretSet([...keys.keys()])
    this.#writable = [...keys.values()]
  }

  /** The environments that a key may write to; undefined for a key that there is not. */
  find(key: string): ReadonlySet<string> | undefined {
    return this.#writable[this.#secrets.indexOf(key)]
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
