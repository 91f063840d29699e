import type { Properties } from './types'

export const isObject = (value: unknown): value is Properties =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What kind of value it is: `[object Array]`, `[object Null]`, `[object HTMLDivElement]`. */
export const tagOf = (value: unknown) => ({}).toString.call(value)

/** What JSON would show as `{}`, or walk through without end. */
export function flat(value: unknown): unknown {
  if (value instanceof Error) return String(value)
  if (value instanceof Map || value instanceof Set) return [...value]
  // A DOM node or a window: frameworks hang whole trees on them.
  return isObject(value) && ('nodeType' in value || 'postMessage' in value) ? tagOf(value) : value
}

/** `JSON.stringify` that always succeeds: bigints as strings, circles and throwing getters named as such. */
export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    return JSON.stringify(fit(value, []))
  }
}

/** The beginning of a value, for a message. */
export const brief = (value: unknown) => toJson([value]).slice(1, 60)

function fit(value: unknown, parents: unknown[]): unknown {
  if (typeof value === 'bigint') return String(value)
  try {
    value = flat(value)
    if (typeof value !== 'object' || value === null) return value
    if (parents.includes(value)) return '[circular]'
    const inner = [...parents, value]
    if (typeof (value as Date).toJSON === 'function') return fit((value as Date).toJSON(), inner)
    if (Array.isArray(value)) return value.map((item) => fit(item, inner))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fit(item, inner)]))
  } catch {
    return '[unreadable]'
  }
}
