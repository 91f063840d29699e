import { colon, comma, number, scalar, text } from '../analytics/plainEvents.js'
import type { Judge, SchemaJudge } from './createJudge.js'
import { addedProperties } from './ownNames.js'

/*
 * These pieces of a body are matched one after the other, each from where the one before it ended. No two alternatives
 * begin alike, so a mismatch shows in one pass.
 */
const name = String.raw`[^"\\\x00-\x1f]*`
const listOf = (item: string) => `(?:${item}(?:${comma}${item})*)?`
const nested = (value: string) =>
  String.raw`(?:${scalar}|\[${listOf(value)}\]|\{${listOf(`"${name}"${colon}${value}`)}\})`
/** A list of products, as orders have it, is no deeper than this. */
const value = nested(nested(scalar))
const field = `"(?:environment|(?:distinct|anonymous|device|session)_id|timestamp)"${colon}(?:${text}|${number}|null)`
const property = (named: string) => String.raw`(?:"${named}"${colon}${value}(?:${comma}|(?=\})))`
const own = String.raw`(?:\$${name}|${addedProperties}(?="))`

const sticky = (source: string) => new RegExp(source, 'y')
const toEvent = sticky(String.raw`(?:\[|${comma})\{(?:${field}${comma})*"event"${colon}"`)
const eventName = sticky(name)
const toProperties = sticky(String.raw`"(?:${comma}${field})*${comma}"properties"${colon}\{`)
const someOwn = sticky(`${property(own)}*`)
const somePlanned = sticky(`${property(`(?!${own})${name}`)}*`)
const some = sticky(`${property(name)}*`)
const toNext = sticky(String.raw`\}(?:${comma}${field})*\}`)

const close = 0x7d
/** The memory that an expression may use is bounded. */
const maxLength = 2 ** 18

/**
 * The verdicts of events in a body of the usual form; undefined for any other body. Only properties that a plan lists
 * are made into values, so it takes about half of what it takes to parse the body.
 */
export const judgePlain = (json: string, judge: Judge): string[] | undefined => {
  if (json.length > maxLength) return undefined
  let at = 0
  const pass = (expression: RegExp): boolean => {
    expression.lastIndex = at
    const isThere = expression.test(json)
    if (isThere) at = expression.lastIndex
    return isThere
  }
  const take = (expression: RegExp): string => {
    const from = at
    return pass(expression) ? json.slice(from, at) : ''
  }
  const takePlanned = (): string => {
    pass(someOwn)
    let planned = take(somePlanned)
    while (json.charCodeAt(at) !== close && pass(someOwn)) {
      const more = take(somePlanned)
      if (more === '') break
      planned += more
    }
    return planned.slice(0, planned.length - (planned.endsWith(', ') ? 2 : planned.endsWith(',') ? 1 : 0))
  }

  const judges: ReturnType<Judge['ofEvent']>[] = []
  let planned = ''
  while (pass(toEvent)) {
    const byPlan = judge.ofEvent(take(eventName))
    judges.push(byPlan)
    if (!pass(toProperties)) return undefined
    if (typeof byPlan === 'string') pass(some)
    else planned += `${planned && ','}{${byPlan.listsOwn ? take(some) : takePlanned()}}`
    if (!pass(toNext)) return undefined
  }
  if (json.length !== at + 1 || json[at] !== ']') return undefined
  const values = JSON.parse(`[${planned}]`) as Parameters<SchemaJudge['judge']>[0][]
  let next = 0
  return judges.map((byPlan) => (typeof byPlan === 'string' ? byPlan : byPlan.judge(values[next++]!)))
}
