import { isUtf8 } from 'node:buffer'
import { builtInProperties } from './checkPayload.js'

/*
 * The pieces of one expression. They are matched against bytes, of which a character is one or more, so a
 * limit on characters is at most stricter here. No two alternatives begin alike, so a mismatch shows after
 * one pass.
 */
const character = String.raw`[^"\\\x00-\x1f]`
/** \u may name half a character. */
const text = String.raw`"${character}*(?:\\["\\/bfnrt]${character}*)*"`
const integer = String.raw`(?:0|[1-9]\d{0,14})`
const number = String.raw`-?${integer}(?:\.\d{1,15})?`
const scalar = `(?:${text}|${number}|true|false|null)`
/** Python puts a space behind both. */
const [comma, colon] = [', ?', ': ?']

const month = '(?:0[1-9]|1[0-2])'
const day = String.raw`(?:${month}-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)`
const moment = String.raw`"\d{4}-${day}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z"`

const escaped = (name: string) => name.replaceAll(/[$\-.]/g, String.raw`\$&`)
const oneOf = (names: Iterable<string>) => `(?:${[...names].map(escaped).join('|')})`

const propertyName = String.raw`"(?:[^"\\\x00-\x1f$]${character}{0,399}|${oneOf(builtInProperties)})"`
const property = `${propertyName}${colon}${scalar}`
const properties = String.raw`"properties"${colon}\{(?:${property}(?:${comma}${property})*)?\}`
const event = `"event"${colon}"${character}{1,400}"`
const optional = `"(?:(?:distinct_id|anonymous_id|device_id|session_id)"${colon}(?:${text}|null)|timestamp"${colon}(?:${moment}|${integer}|null))`

/** All of these fields, and optional ones behind each. */
const inAnyOrder = (fields: readonly string[]): string => {
  const orders = fields.map((field) => {
    const others = fields.filter((each) => each !== field)
    const rest = others.length === 0 ? '' : `${comma}${inAnyOrder(others)}`
    return `${field}(?:${comma}${optional})*${rest}`
  })
  return `(?:${orders.join('|')})`
}

/** Names that are the same in JSON, in bytes and in an expression. */
const plainName = /^[\w.-]+$/

const eventOf = (environments: ReadonlySet<string>): RegExp => {
  const names = [...environments].filter((name) => plainName.test(name))
  const environment = names.length === 0 ? '(?!)' : `"environment"${colon}"${oneOf(names)}"`
  const required = inAnyOrder([environment, event, properties])
  return new RegExp(String.raw`\{(?:${optional}${comma})*${required}\}(?:${comma}|\]$)`, 'y')
}

const [open, close] = [0x5b, 0x5d]
/** A larger body is rare, and an expression's memory is bounded. */
const maxBytes = 2 ** 18

/**
 * How many events a body holds, if all of it is what browsers send as a rule: a list of events with the
 * fields of the contract, and texts and numbers in them, which can be stored as they are. Of any other body
 * it says nothing. Looking at the bytes takes a quarter of the time of making objects of them.
 */
export const plainEventCounter = () => {
  const events = new WeakMap<ReadonlySet<string>, RegExp>()

  return (body: Buffer, environments: ReadonlySet<string>): number | undefined => {
    if (body.length > maxBytes || body[0] !== open || body.at(-1) !== close || !isUtf8(body)) return undefined
    let expression = events.get(environments)
    if (expression === undefined) events.set(environments, (expression = eventOf(environments)))
    const bytes = body.toString('latin1')
    let count = 0
    expression.lastIndex = 1
    while (expression.lastIndex < bytes.length) {
      if (!expression.test(bytes)) return undefined
      count++
    }
    return count
  }
}
