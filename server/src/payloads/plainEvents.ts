import { isUtf8 } from 'node:buffer'
import { maxProperties } from '../http/json/sliceItems.js'
import { bugIds, builtInProperties, optionalIds } from './payloads.js'

/*
 * These are the pieces of one expression. It is matched against bytes, and a character has one byte or more, so a limit
 * on characters can only be stricter here. No two alternatives begin alike, so a mismatch shows in one pass.
 */
const character = String.raw`[^"\\\x00-\x1f]`
/** The escape \u is left out because it may name half a character. */
export const text = String.raw`"${character}*(?:\\["\\/bfnrt]${character}*)*"`
const integer = String.raw`(?:0|[1-9]\d{0,14})`
export const number = String.raw`-?${integer}(?:\.\d{1,15})?`
export const scalar = `(?:${text}|${number}|true|false|null)`
/** Python's JSON has a space after a comma and a colon. */
export const [comma, colon] = [', ?', ': ?']

const month = '(?:0[1-9]|1[0-2])'
const day = String.raw`(?:${month}-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)`
const moment = String.raw`"\d{4}-${day}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z"`

const escaped = (name: string) => name.replaceAll(/[$\-.]/g, String.raw`\$&`)
const oneOf = (names: Iterable<string>) => `(?:${[...names].map(escaped).join('|')})`

const propertyName = String.raw`"(?:[^"\\\x00-\x1f$]${character}{0,399}|${oneOf(builtInProperties)})"`
const property = `${propertyName}${colon}${scalar}`
const properties = String.raw`"properties"${colon}\{(?:${property}(?:${comma}${property})*)?\}`
const event = `"event"${colon}"${character}{1,400}"`
const inAnyCase = (word: string) =>
  word.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
const bug = String.raw`(?:${bugIds.map(inAnyCase).join('|')})(?![\w-])`
/** An id that begins like none of `bugIds`, nor with a space. Those that do and are somebody's are rare. */
const id = String.raw`"(?:(?!${bug})[!#-Z^-~]${text.slice(1, -1)})?"`
/** Milliseconds that are no seconds and no microseconds: of the years 1973 to 5138. */
const milliseconds = String.raw`[1-9]\d{11,13}`
const ids = optionalIds.track
const optional = `"(?:(?:${ids.join('|')})"${colon}(?:${id}|null)|timestamp"${colon}(?:${moment}|${milliseconds}|null))`
const optionalKeys = [...ids, 'timestamp'].map((name) => `"${name}":`)

/**
 * Makes a function that says of events, in their order, whether one has an optional field twice, when it
 * is told where each ends. A property of such a name counts, too: a false alarm costs only time.
 */
const repeatFinder = (events: string) => {
  const next = optionalKeys.map((key) => events.indexOf(key))
  return (end: number): boolean =>
    optionalKeys.some((key, at) => {
      if (next[at]! < 0 || next[at]! >= end) return false
      next[at] = events.indexOf(key, next[at]! + 1)
      return next[at] >= 0 && next[at] < end
    })
}

/** Matches all of these fields in any order, with optional fields after each. */
const inAnyOrder = (fields: readonly string[]): string => {
  const orders = fields.map((field) => {
    const others = fields.filter((each) => each !== field)
    const rest = others.length === 0 ? '' : `${comma}${inAnyOrder(others)}`
    return `${field}(?:${comma}${optional})*${rest}`
  })
  return `(?:${orders.join('|')})`
}

/** Names of these characters can go into the expression as they are, once their dots and hyphens are escaped. */
const plainName = /^[\w.-]+$/

const eventOf = (environments: ReadonlySet<string>): RegExp => {
  const names = [...environments].filter((name) => plainName.test(name))
  const environment = names.length === 0 ? '(?!)' : `"environment"${colon}"${oneOf(names)}"`
  const required = inAnyOrder([environment, event, properties])
  return new RegExp(String.raw`\{(?:${optional}${comma})*${required}\}(?:${comma}|\]$)`, 'y')
}

const [open, close] = [0x5b, 0x5d]
/** Larger bodies are rare, and the memory that an expression may use is bounded. */
const maxBytes = 2 ** 18
/** A property has six bytes at least, so more of them than an event may have do not fit into these. */
const maxEventBytes = 6 * maxProperties

/**
 * Makes a function that counts the events in a body of the usual form: a list of events with the fields of the
 * contract, and with texts and numbers in them, which can be stored as they are. For any other body the function gives
 * undefined. To match the bytes takes a quarter of the time that it takes to make objects of them.
 */
export const plainEventCounter = () => {
  const events = new WeakMap<ReadonlySet<string>, RegExp>()

  return (body: Buffer, environments: ReadonlySet<string>): number | undefined => {
    if (body.length > maxBytes || body[0] !== open || body.at(-1) !== close || !isUtf8(body)) return undefined
    let expression = events.get(environments)
    if (expression === undefined) events.set(environments, (expression = eventOf(environments)))
    const bytes = body.toString('latin1')
    const hasRepeated = repeatFinder(bytes)
    let count = 0
    expression.lastIndex = 1
    while (expression.lastIndex < bytes.length) {
      const from = expression.lastIndex
      if (!expression.test(bytes) || expression.lastIndex - from > maxEventBytes) return undefined
      if (hasRepeated(expression.lastIndex)) return undefined
      count++
    }
    return count
  }
}
