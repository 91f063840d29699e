import { isObject, kindOf } from './json'
import type { Config } from './types'

/** Options that are functions have no default, and are not listed. */
export const defaults: Config = {
  endpoint: '',
  environment: 'production',
  release: '',
  consent: 'granted',
  anonymous: { whenDenied: false, join: false },
  respectGpc: true,
  persistence: 'indexeddb',
  bootstrap: { deviceId: '', anonymousId: '', userId: '' },
  session: { idleMs: 1_800_000, maxMs: 86_400_000 },
  batch: { maxEvents: 20, maxBytes: 28_672, intervalMs: 2000 },
  queue: { maxEvents: 10_000, maxBytes: 5_242_880, ttlMs: 1_209_600_000 },
  transport: { auth: 'query', beacon: 'auto', timeoutMs: 20_000 },
  insertId: 'insert_id',
  delivery: 'once',
  url: {
    keepParams: ['utm_*', 'gclid', 'dclid', 'fbclid', 'msclkid', 'ttclid', 'twclid', 'li_fat_id', 'ref'],
  },
  plugins: [],
  debug: false,
}

/** Options that take one of a few values. */
const choices: Record<string, unknown[]> = {
  consent: ['granted', 'denied', 'pending', 'anonymous'],
  persistence: ['indexeddb', 'memory'],
  delivery: ['once', 'at-least-once'],
  auth: ['query', 'header', 'bearer'],
  beacon: ['auto', true, false],
}

/**
 * Fills in what is not given, is none of its choices, or is of another type than what is usual. What is wrong is told by `waymark/checks`, which
 * has the words for it.
 */
export const readConfig = <T extends object = Config>(
  given: object | undefined,
  usual = defaults as T,
): T => {
  const merged = { ...usual, ...given } as Record<string, unknown>
  for (const [name, value] of Object.entries(usual)) {
    const own = merged[name] ?? value
    merged[name] = choices[name]
      ? choices[name].includes(own)
        ? own
        : value
      : kindOf(own) !== kindOf(value) && value != null && name !== 'insertId'
        ? value
        : isObject(value)
          ? readConfig(own, value)
          : own
  }
  return merged as T
}
