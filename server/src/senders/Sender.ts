import type { IncomingHttpHeaders } from 'node:http'
import type { EntryKind } from '../payloads/payloads.js'
import { checkTimestamp } from '../http/json/storableJson.js'

export type Fields = Readonly<Record<string, unknown>>

/** A request of another program's SDK, as its sender reads it. */
export interface Asked {
  method: 'GET' | 'POST'
  /** The path behind the sender's own name. */
  path: string
  search: URLSearchParams
  headers: IncomingHttpHeaders
  /** What the JSON of the body says, or that of the field `data` of a form or an address. */
  body: unknown
  receivedMs: number
  /** The address by which the SDK reaches the sender, without its scheme. */
  address: string
  isHttps: boolean
}

/** What one thing in a request says in the words of this API; the environment is added to it. */
export interface Message {
  kind: EntryKind
  payload: Fields
  /** Its place in the request, for a refusal. */
  at: string
  /** Whether it names nobody, so that its visitor is counted by the day. */
  isAnonymous?: true
}

/** A text is sent as it is, all else as JSON. */
export interface Answer {
  status?: number
  body: unknown
  type?: string
}

/** A program whose SDKs may send here: all that is known of its protocol is in its file. */
export interface Sender {
  /** How Set up calls it. */
  title: string
  /** The paths that bring events, after the sender's name. */
  paths: RegExp
  /** What it calls its key. */
  keyName: string
  keyOf: (asked: Asked) => unknown
  /** Throws what refuses all of a request, or gives in place of a message why it alone is refused. */
  read: (asked: Asked) => (Message | Refused)[]
  /** What its SDKs take for success. */
  taken: (asked: Asked, count: number) => Answer
  /** What its SDKs take for a failure. @defaultValue that of the lakehouse group */
  failed?: (code: string, message: string, status: number) => Record<string, unknown>
  /** What its SDKs ask before they send; undefined for all else. */
  tell?: (asked: Asked, isKey: (key: string) => boolean) => Answer | undefined
}

/** Something in a request that has no place here. */
export interface Refused {
  refused: string
  at: string
}

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

/** One thing, or a list of them. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value])

/** What says something, as a text; an id may come as a number. */
export const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value === '' ? undefined : value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

/** The Unix milliseconds of a number of them, or of a time in ISO 8601 (UTC without a zone). */
export const msOf = (time: unknown): number | undefined => {
  if (typeof time === 'number') return Number.isFinite(time) ? Math.round(time) : undefined
  const check = typeof time === 'string' ? checkTimestamp(time) : 'invalid'
  if (check === 'invalid') return undefined
  const form = check === 'plain' ? (time as string) : check.rewritten
  return Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(form) ? form : `${form}Z`)
}

/** A time by this service's clock, when the sender's says when it sent it; what is no time is refused by its check. */
export const timeOf = (time: unknown, sentAt: unknown, receivedMs: number): unknown => {
  const [ms, sentMs] = [msOf(time), msOf(sentAt)]
  if (ms === undefined) return time
  return sentMs === undefined ? ms : receivedMs - sentMs + ms
}

/**
 * The time at which a trait that is only set once is stored: before 1970, and the later the call the earlier. So that of
 * the first call stays, and that of a call which sets it in any case takes its place.
 */
export const onceAt = (time: unknown, receivedMs: number): number => -Math.abs(msOf(time) ?? receivedMs)

/**
 * The properties of an event: `known`, then what has another name here by `names` (null: it is left out), then all else
 * under its own name, without a `$`. Where that is taken an underscore comes before it. Null says nothing.
 */
export const placeProperties = (
  given: Fields,
  names: Readonly<Record<string, string | null>>,
  known: Fields = {},
): Fields => {
  const placed = new Map(Object.entries(known).filter(([, value]) => value !== undefined && value !== null))
  const others: [string, unknown][] = []
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue
    const here = Object.hasOwn(names, name) ? names[name]! : undefined
    if (here === null || (here !== undefined && value === '')) continue
    const text = here === undefined ? undefined : textOf(value)
    if (text === undefined) others.push([name, value])
    else if (!placed.has(here!)) placed.set(here!, text)
    else if (placed.get(here!) !== text) others.push([name, value])
  }
  for (const [name, value] of others) {
    let own = name.replace(/^\$+/, '') || 'value'
    while (placed.has(own) && placed.get(own) !== value) own = `_${own}`
    placed.set(own, value)
  }
  return Object.fromEntries(placed)
}

/** Those that have a value. */
export const withValues = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined))

/** The size of a window or screen as it is written here. */
export const sizeOf = (width: unknown, height: unknown): string | undefined =>
  typeof width === 'number' && typeof height === 'number' && width > 0 && height > 0
    ? `${Math.round(width)}x${Math.round(height)}`
    : undefined

/** An id that is the same on two devices, such as the second in which a session began, with one that is not. */
export const idWith = (id: unknown, of: unknown): string | undefined => {
  const text = textOf(id)
  return text === undefined ? undefined : [text, textOf(of) ?? []].flat().join('-')
}
