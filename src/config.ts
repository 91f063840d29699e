import type { Complain } from './signals'
import { isObject, tagOf } from './toJson'
import type { Config, InitConfig } from './types'

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

/** Options that take a type besides their default's, or one where they have no default. */
const alsoTakes: Record<string, string> = {
  cookie: 'string',
  beacon: 'boolean',
  fetch: 'function',
  insertId: 'boolean',
  redact: 'function',
  beforeSend: 'function',
}

/** Fills in what is not given from `base`. What is unknown or of the wrong type is reported by name, and left out. */
export const readConfig = (given: InitConfig, complain: Complain, base = defaults): Config =>
  merge(base, given, '', complain)

function merge<T extends object>(base: T, given: object, path: string, complain: Complain): T {
  const merged = { ...base } as Record<string, unknown>
  for (const [name, value] of Object.entries(given)) {
    const usual = merged[name]
    if (value === undefined) continue
    if (!Object.hasOwn(base, name)) {
      complain('unknown-option', `"${path}${name}" is none of: ${Object.keys(base).join(', ')}`, true)
    } else if (alsoTakes[name] !== typeof value && tagOf(value) !== tagOf(usual)) {
      complain('invalid-option', `"${path}${name}" has to be like ${JSON.stringify(usual)}`, true)
    } else {
      merged[name] = isObject(value) ? merge(usual as object, value, `${path}${name}.`, complain) : value
    }
  }
  return merged as T
}
