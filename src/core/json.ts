import { maybe } from './maybe'
import type { Properties } from './types'

/** What a value is, by a brand that data does not have: `[object Object]`, `[object Map]`, `[object HTMLDivElement]`. */
export const kindOf = (value: unknown): string => ({}).toString.call(value)

export const isObject = (value: unknown): value is Properties => kindOf(value) === '[object Object]'

/** What a value of any kind may have. */
interface Foreign {
  toJSON?: unknown
  entries?: unknown
}

let second = ''
let secondAt = NaN

/**
 * ISO 8601; undefined beyond the years of four digits. Within a second only the milliseconds differ: writing all of it
 * takes a microsecond; in a task of its own, eight.
 */
export const toIso = (at: number): string | undefined => {
  if (!(at >= -621_672_192e5 && at < 2_534_023_008e5)) return
  const date = new Date(at)
  // Datejs writes quotes around it, and no milliseconds.
  if (secondAt !== (secondAt = Math.floor(at / 1000)))
    second = date.toISOString().replace('"', '').slice(0, 19) + '.'
  return second + (1000 + date.getMilliseconds() + 'Z').slice(1)
}

/**
 * `JSON.stringify` for values of any kind (see "Values" in `docs/library.md`). What a page has put on the lists and dates
 * of all scripts as `toJSON` is passed over: prototype.js makes texts of them. Throws what a getter of the caller's throws.
 */
export const toJson = (value: unknown): string => {
  const parents: unknown[] = []
  return JSON.stringify(value, function (this: Properties, name, given: unknown) {
    const raw = this[name] as Foreign
    if (typeof raw !== 'object' && typeof raw !== 'bigint') return given
    const kind = kindOf(raw)
    if (/ Date]/.test(kind) && raw.toJSON === Date.prototype.toJSON) return toIso(+raw) ?? null
    if (/(BigInt|Error|Exception|RegExp)]/.test(kind)) return String(raw)
    const inner = / Array]/.test(kind) && raw.toJSON === ([] as Foreign).toJSON ? raw : given
    if (typeof inner !== 'object' || !inner) return inner
    // All objects behind the holder of this value are written.
    parents.length = parents.indexOf(this) + 1
    if (parents.includes(inner)) return '[circular]'
    // Whatever is none of these is an object of the platform: frameworks hang whole trees on a DOM node.
    const next =
      inner !== raw || / (Object|Array|String|Number|Boolean)]/.test(kind)
        ? inner
        : raw.entries
          ? [...(raw as Iterable<unknown>)]
          : kind
    parents.push(inner, next)
    return next
  })
}

/** Writes JSON of what was copied already, several times as fast: that fails only for what a `beforeSend` has added. */
export const toText = (value: object): string =>
  // Undefined for a circle, or a bigint.
  maybe(() => (([] as Foreign).toJSON ? undefined : JSON.stringify(value))) ?? toJson(value)

/** The beginning of a text, never with half of a character. */
export const cut = (text: string, length: number) => text.slice(0, length).replace(/[\ud800-\udbff]$/, '')

/** The beginning of a value, for a message. */
export const brief = (value: unknown) =>
  cut(
    maybe(() =>
      typeof value === 'string' ? value : ((toJson(value) as string | undefined) ?? String(value)),
    ) ?? '[unreadable]',
    60,
  )

/** Bytes in UTF-8 of JSON, which has no lone surrogates. Jest's jsdom has no `TextEncoder`. */
export const byteLength = (text: string) =>
  // Nearly always all of it is ASCII, and that is found out in a tenth of the time.
  /[^\0-\x7f]/.test(text) ? encodeURIComponent(text).replace(/%../g, '.').length : text.length
