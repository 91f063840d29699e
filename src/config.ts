import type { Complain } from './signals'
import { isObject, tagOf, toJson } from './toJson'
import type { Config } from './types'

const defaults: Config = {
  endpoint: '',
  environment: 'production',
  release: '',
  consent: 'granted',
  respectGpc: true,
  respectDnt: false,
  persistence: 'indexeddb',
  cookie: false,
  bootstrap: { deviceId: '', anonymousId: '', userId: '' },
  session: { idleMs: 30 * 60_000, maxMs: 86_400_000 },
  batch: { maxEvents: 20, maxBytes: 28 * 1024, intervalMs: 2000 },
  queue: { maxEvents: 10_000, maxBytes: 5 * 1024 * 1024, ttlMs: 14 * 86_400_000 },
  transport: { auth: 'query', beacon: 'auto', timeoutMs: 20_000, fetch: undefined },
  insertId: 'insert_id',
  delivery: 'once',
  url: {
    keepParams: ['utm_*', 'gclid', 'dclid', 'fbclid', 'msclkid', 'ttclid', 'twclid', 'li_fat_id', 'ref'],
    redact: undefined,
  },
  sampleRate: 1,
  beforeSend: undefined,
  plugins: [],
  debug: false,
}

/** What takes a name, or yes or no. What has no default is a function. */
const nameOrNot = /^(cookie|beacon|insertId)$/

const fits = (name: string, usual: unknown, value: unknown) =>
  usual === undefined
    ? typeof value === 'function'
    : nameOrNot.test(name)
      ? /^(string|boolean)$/.test(typeof value)
      : tagOf(value) === tagOf(usual)

/** Fills in what is not given from `base`. What is unknown or of the wrong type is reported by name, and left out. */
export function readConfig<T extends object = Config>(
  given: object | null | undefined,
  complain: Complain,
  base = defaults as T,
  path = '',
): T {
  const merged = { ...base } as Record<string, unknown>
  for (const [name, value] of Object.entries(given ?? {})) {
    const usual = merged[name]
    const option = `"${path}${name}"`
    if (value === undefined) continue
    if (!Object.hasOwn(base, name)) {
      complain('unknown-option', `${option} is none of: ${Object.keys(base).join(', ')}`, true)
    } else if (!fits(name, usual, value)) {
      complain('invalid-option', `${option} has to be like ${toJson(usual) ?? 'a function'}`, true)
    } else {
      merged[name] = isObject(value) ? readConfig(value, complain, usual as object, `${path}${name}.`) : value
    }
  }
  return merged as T
}
