import type { Properties } from './types'

export const isObject = (value: unknown): value is Properties =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * `JSON.stringify` for values of any kind: bigints, errors and DOM nodes as text, maps and sets as lists, circles named
 * as such. Throws what a getter of the caller's throws.
 */
export const toJson = (value: unknown): string => {
  const parents: unknown[] = []
  return JSON.stringify(value, function (this: unknown, _, inner: unknown) {
    if (typeof inner === 'bigint' || inner instanceof Error) return String(inner)
    if (typeof inner !== 'object' || !inner) return inner
    // A DOM node or a window: frameworks hang whole trees on them.
    if ('nodeType' in inner || 'postMessage' in inner) return {}.toString.call(inner)
    // All objects behind the holder of this value are written.
    parents.length = parents.indexOf(this) + 1
    if (parents.includes(inner)) return '[circular]'
    const next = inner instanceof Map || inner instanceof Set ? [...inner] : inner
    parents.push(inner, next)
    return next
  })
}

/** Writes JSON of what was copied already, several times as fast: that fails only for what a `beforeSend` has added. */
export const toText = (value: object): string => {
  try {
    return JSON.stringify(value)
  } catch {
    return toJson(value)
  }
}

/** The beginning of a value, for a message. */
export const brief = (value: unknown) => {
  try {
    const text = typeof value === 'string' ? value : (toJson(value) as string | undefined)
    return (text ?? String(value)).slice(0, 60)
  } catch {
    return '[unreadable]'
  }
}

/** Bytes in UTF-8 of JSON, which has no lone surrogates. Jest's jsdom has no `TextEncoder`. */
export const byteLength = (text: string) =>
  // Nearly always all of it is ASCII, and that is found out in a tenth of the time.
  /[^\0-\x7f]/.test(text) ? encodeURIComponent(text).replace(/%../g, '.').length : text.length
