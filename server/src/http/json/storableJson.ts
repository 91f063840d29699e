import { shorten } from '../HttpError.js'

const maxDepth = 100

/** Says why a parsed value cannot go into a column of JSON; undefined when it can. */
export const checkValue = (value: unknown, depth = 0): string | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'holds a number out of range'
  if (typeof value !== 'object' || value === null) return undefined
  if (depth >= maxDepth) return `is nested deeper than ${maxDepth} levels`
  for (const each of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof each === 'string') continue
    const problem = checkValue(each, depth + 1)
    if (problem !== undefined) return problem
  }
  return undefined
}

const [backslash, letterU] = [0x5c, 0x75]
const unicodeEscapeBytes = 6

type Half = 'high' | 'low' | undefined

/** The half of a character that the escape at an offset names; undefined when it is no such escape. */
const halfAt = (json: Buffer, at: number): Half => {
  if (json[at] !== backslash || json[at + 1] !== letterU || (json[at + 2]! | 0x20) !== 0x64) return undefined
  // The escapes \ud800 to \udbff name a high half, and \udc00 to \udfff a low half.
  const digit = Number.parseInt(String.fromCharCode(json[at + 3]!), 16)
  return digit < 8 ? undefined : digit < 12 ? 'high' : 'low'
}

/** Writes U+FFFD for lone surrogates, as browsers do where a text is sent: an event is not lost for them. */
const mendSurrogates = (json: Buffer): Buffer => {
  // Most JSON holds no such escape, and a search for three letters is the fastest way to see that.
  if (!json.includes(String.raw`\ud`) && !json.includes(String.raw`\uD`)) return json
  let mended: Buffer | undefined
  for (let at = 0; at < json.length; at++) {
    if (json[at] !== backslash) continue
    const half = halfAt(json, at)
    if (half === undefined) {
      // The character after a backslash belongs to its escape, so a second backslash begins none.
      at++
      continue
    }
    if (half === 'high' && halfAt(json, at + unicodeEscapeBytes) === 'low') at += unicodeEscapeBytes
    else (mended ??= Buffer.from(json)).write('fffd', at + 2, 'latin1')
    at += unicodeEscapeBytes - 1
  }
  return mended ?? json
}

/** JSON.stringify writes whole characters as they are, half of one as an escape, and a backslash as two. */
const halfCharacter = /(?<!\\)(?:\\\\)*\\ud[89a-f]/

/**
 * Makes a function for the values in a body. It says which field of a value holds half of a character, in its name or at
 * any depth. JSON's grammar allows lone surrogates, but they name no character, and no UTF-8 store takes them.
 */
export const halfFinder = (json: Buffer) => {
  const isWhole = mendSurrogates(json) === json
  return (value: unknown): string | undefined => {
    if (isWhole) return undefined
    const found = Object.entries(value ?? {}).find((field) => halfCharacter.test(JSON.stringify(field)))
    return found && `the field ${JSON.stringify(shorten(found[0]))} holds half a character`
  }
}

/** The JSON array that is stored: the bytes that were sent, whenever they can be stored. */
export const storableBody = ({ bytes, text }: { bytes: Buffer; text: string }, array: string): Buffer =>
  mendSurrogates(array === text ? bytes : Buffer.from(array))

/** The form that nearly all clients send. */
const common = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/
/** The forms that DuckDB reads as they are. */
const plain = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$/
const iso =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?\s?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i
/** The greatest number of milliseconds that a JavaScript Date holds; a TIMESTAMP holds it, too. */
const maxMs = 8.64e15

const twoDigits = (text: string, at: number) => 10 * text.charCodeAt(at) + text.charCodeAt(at + 1) - 11 * 0x30

/** Whether a text has the common form and surely names a time: from the 29th on a day needs a calendar. */
const isCommon = (text: string): boolean => {
  if (!common.test(text)) return false
  const month = twoDigits(text, 5)
  const day = twoDigits(text, 8)
  return (
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= 28 &&
    twoDigits(text, 11) <= 23 &&
    twoDigits(text, 14) <= 59 &&
    twoDigits(text, 17) <= 59
  )
}

type TimestampCheck = 'plain' | 'invalid' | { rewritten: string }

/** The number of days in a month; `month` is 1 to 12. */
export const daysIn = (year: number, month: number) => new Date(Date.UTC(year, month, 0)).getUTCDate()

/** Says whether a timestamp can be stored as it was sent, must be rewritten, or is invalid. Without a zone it is in UTC. */
export const checkTimestamp = (value: number | string): TimestampCheck => {
  if (typeof value === 'number') return Math.abs(value) <= maxMs ? 'plain' : 'invalid'
  if (isCommon(value)) return 'plain'
  const found = iso.exec(value)
  if (found === null) return 'invalid'
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '0', zone = 'Z'] = found
  const isReal =
    Number(month) >= 1 &&
    Number(month) <= 12 &&
    Number(day) >= 1 &&
    Number(day) <= daysIn(Number(year), Number(month)) &&
    Number(hour) <= 23 &&
    Number(minute) <= 59 &&
    Number(second) <= 59
  if (!isReal) return 'invalid'
  const offset =
    zone.toUpperCase() === 'Z' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`
  if (Number(offset.slice(1, 3)) > 15 || Number(offset.slice(4, 6)) > 59) return 'invalid'
  if (plain.test(value)) return 'plain'
  return { rewritten: `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction}${offset}` }
}
