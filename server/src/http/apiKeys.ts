import { hash as digest, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { OperatorError } from '../OperatorError.js'
import { refuse } from './HttpError.js'

/** A key that was made by clicking. */
export interface KeptKey {
  /** Names it in changes. */
  id: string
  name: string
  /** A key of pages is public; a key of servers is shown once. */
  kind: 'public' | 'server'
  /** Null: all. */
  environments: string[] | null
  /** Null for a key of servers, of which the hash alone is kept. */
  key: string | null
  hash: string
  made_by: string
  made_at: string
  /** When a key ends that was replaced. */
  ends_at: string | null
}

/** Keys, and the tokens of invitations, are long and random, so a plain hash tells nothing of them. */
export const hashSecret = (secret: string): string => digest('sha256', secret)

export const hasEnded = ({ ends_at: end }: { ends_at: string | null }, nowMs = Date.now()): boolean =>
  end !== null && Date.parse(end) <= nowMs

export const makeKey = (
  { name, kind, environments }: Pick<KeptKey, 'name' | 'kind' | 'environments'>,
  by: string,
) => {
  const key = `${kind === 'public' ? 'pk' : 'sk'}_${randomBytes(kind === 'public' ? 12 : 24).toString('base64url')}`
  const hash = hashSecret(key)
  const kept: KeptKey = {
    id: hash.slice(0, 12),
    name,
    kind,
    environments,
    key: kind === 'public' ? key : null,
    hash,
    made_by: by,
    made_at: new Date().toISOString(),
    ends_at: null,
  }
  return { key, kept }
}

/** A key as the service knows it. */
interface KnownKey {
  environments: ReadonlySet<string>
  /** Whether it writes to all environments, also to those that are added. */
  isOfAll: boolean
  /** In pages, where everybody can read it. */
  isPublic: boolean
  /** Null for a key of servers: it is shown to nobody. */
  key: string | null
  hash: string
  /** The flag that gives the key, or what is kept of one that was made by clicking. */
  from: '--api-keys' | '--server-keys' | KeptKey
}

/** A key of a flag. */
interface FixedKey extends Omit<KnownKey, 'environments' | 'isOfAll'> {
  /** Null: all. */
  environments: readonly string[] | null
}

/**
 * The keys that write events and read nothing: `key` for all environments, `key:staging` for one. Those of pages are
 * public; those of servers are secret. A key is found by its hash, whose letters tell a guesser nothing.
 */
export class ApiKeys {
  readonly #environments: ReadonlySet<string>
  readonly #fixed: readonly FixedKey[]
  #known!: ReadonlyMap<string, KnownKey>

  /** @param environments those that there are, of which there may be others at the next `keep` */
  constructor(
    listed: readonly string[],
    environments: ReadonlySet<string>,
    ofServers: readonly string[] = [],
  ) {
    this.#environments = environments
    const keys = new Map<string, FixedKey>()
    const read = (each: string, from: '--api-keys' | '--server-keys') => {
      const cut = each.lastIndexOf(':')
      const [key, environment] = cut < 0 ? [each] : [each.slice(0, cut), each.slice(cut + 1)]
      if (environment !== undefined && !environments.has(environment)) {
        throw new OperatorError(
          `A key of ${from} is for the environment ${JSON.stringify(environment)}, which does not exist; there are ${[...environments].join(', ')}. Write key:environment, or the key alone for all.`,
        )
      }
      const hash = hashSecret(key)
      const before = keys.get(hash)
      const isPublic = before?.isPublic ?? from === '--api-keys'
      keys.set(hash, {
        environments:
          environment === undefined || before?.environments === null
            ? null
            : [...(before?.environments ?? []), environment],
        isPublic,
        key: isPublic ? key : null,
        hash,
        from: before?.from ?? from,
      })
    }
    for (const each of listed) read(each, '--api-keys')
    for (const each of ofServers) read(each, '--server-keys')
    this.#fixed = [...keys.values()]
    this.keep([])
  }

  /** Takes the keys that were made by clicking, and the environments as they are now. */
  keep(kept: readonly KeptKey[]): void {
    // What is made of a set once, by `plainEventCounter`, is of these environments alone.
    const all = new Set(this.#environments)
    const known = new Map<string, KnownKey>()
    const made = kept.map((from) => ({ ...from, isPublic: from.kind === 'public', from }))
    for (const { environments, isPublic, key, hash, from } of [...this.#fixed, ...made]) {
      const isOfAll = environments === null
      const writable = isOfAll ? all : new Set(environments.filter((each) => all.has(each)))
      if (!known.has(hash)) known.set(hash, { environments: writable, isOfAll, isPublic, key, hash, from })
    }
    this.#known = known
  }

  get isEmpty(): boolean {
    return this.#known.size === 0
  }

  /** The keys that are good, those of flags first. */
  list(): KnownKey[] {
    return [...this.#known.values()].filter(isGood)
  }

  /** The environments that a key may write to; undefined when there is no such key. */
  find(key: string): ReadonlySet<string> | undefined {
    return this.#find(key)?.environments
  }

  /** Whether a key is in pages, where everybody can read it. A key in both lists is. */
  isPublic(key: string): boolean {
    return this.#find(key)?.isPublic === true
  }

  #find(key: string): KnownKey | undefined {
    const known = this.#known.get(hashSecret(key))
    return known !== undefined && isGood(known) ? known : undefined
  }
}

const isGood = ({ from }: KnownKey): boolean => typeof from === 'string' || !hasEnded(from)

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
