import fc from 'fast-check'
import type { Condition } from '../../src/answers/Parameter.js'
import { sessionsOfRange } from './oracle.js'
import { type Asked, choose, isNamed, type Seen } from './readHistory.js'

/** Values of fields as people write them, in any case. An empty text is no value. */
const values: Record<string, readonly string[]> = {
  path: ['/', '/CART', '/maps/1', ''],
  event: ['ordered', 'Viewed', '$PAGEVIEW', "it's"],
  entry: ['/', '/Cart'],
  channel: ['direct', 'Paid', 'referral'],
  utm_source: ['mail', 'ADS', ''],
  browser: ['chrome', 'FireFox', ''],
  device: ['mobile', 'Desktop'],
  person_id: ['a', 'b', 'C'],
  'prop.a/b~$c': ['Dark', 'light', ''],
  'prop.value': ['0.1', '200', 'SLOW'],
  'trait.plan': ['pro', 'FREE', ''],
  page_views: ['0', '1', '2'],
}
const fieldsOfSessions = new Map([
  ['entry', 7],
  ['channel', 15],
  ['page_views', 9],
])
const fieldsOfBoth = new Map([
  ['person_id', 2],
  ['utm_source', 16],
  ['browser', 22],
  ['device', 24],
])

const any = fc.constantFrom(...Object.keys(values)).chain((field): fc.Arbitrary<Condition> => {
  const value = fc.constantFrom(...(values[field] ?? []))
  const number = fc.constantFrom('0.1', '0.2', '200', '2500')
  return fc.oneof(
    fc.record({
      field: fc.constant(field),
      operator: fc.constantFrom('is' as const, 'not' as const),
      values: fc.tuple(value),
    }),
    fc.record({
      field: fc.constant(field),
      operator: fc.constantFrom('in' as const, 'out' as const),
      values: fc.tuple(value, value),
    }),
    fc.record({
      field: fc.constant(field),
      operator: fc.constant('contains' as const),
      values: fc.constantFrom(['A'], ['r'], ['/']),
    }),
    fc.record({
      field: fc.constantFrom('prop.value', 'page_views'),
      operator: fc.constantFrom('above', 'at_least', 'below', 'at_most'),
      values: fc.tuple(number),
    }) as fc.Arbitrary<Condition>,
    fc.record({
      field: fc.constantFrom('prop.value', 'page_views'),
      operator: fc.constant('between' as const),
      values: fc.tuple(number, number),
    }),
  )
})
/** A number contains no text. */
const compared = any.filter(({ field, operator }) => field !== 'page_views' || operator !== 'contains')
const ofEvent = compared.filter(({ field }) => !fieldsOfSessions.has(field) && !field.startsWith('trait.'))

const deed = fc
  .tuple(
    fc
      .record(
        {
          field: fc.constant('event'),
          operator: fc.constantFrom('did' as const, 'did_not' as const),
          values: fc.constantFrom(['ordered'], ['Viewed', '/cart'], ['/'], ['']),
          times: fc.constantFrom(1, 2, 3),
          days: fc.constantFrom(1, 2, 30),
          after: fc.constantFrom('', 'viewed', '/', 'Ordered'),
        },
        { requiredKeys: ['field', 'operator', 'values'] },
      )
      .map(({ after, ...did }) => (did.days === undefined || after === undefined ? did : { ...did, after })),
    fc.array(ofEvent, { maxLength: 2 }),
  )
  .map(([did, withs]): Condition[] => [did, ...withs.map((each) => ({ ...each, join: 'with' as const }))])

/** A segment: groups that must all be met, each by one of its terms. */
export const segment: fc.Arbitrary<Condition[]> = fc
  .array(
    fc.tuple(
      fc.constantFrom('and' as const, 'or' as const),
      fc.oneof(
        compared.map((one) => [one]),
        deed,
      ),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((terms) =>
    terms.flatMap(([join, [head, ...withs]], at) =>
      head === undefined ? [] : [{ ...head, join: at === 0 ? 'and' : join }, ...withs],
    ),
  )

const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

/** Whether a value is one that is named, apart from `not` and `out`. */
const has = ({ field, operator, values: wanted }: Condition, value: string | null): boolean => {
  const [low = Number.NaN, high = Number.NaN] = wanted.map(Number)
  const number = value === null || value === 'slow' ? Number.NaN : Number(value)
  if (operator === 'contains')
    return value !== null && value.toLowerCase().includes((wanted[0] ?? '').toLowerCase())
  if (operator === 'above') return number > low
  if (operator === 'at_least') return number >= low
  if (operator === 'below') return number < low
  if (operator === 'at_most') return number <= low
  if (operator === 'between') return number >= low && number <= high
  if (value === null) return wanted.includes('')
  // Ids are what they are; a phone is also called mobile.
  if (field === 'person_id') return wanted.includes(value)
  return wanted.some(
    (one) => one !== '' && isSame(field === 'device' && one === 'mobile' ? 'phone' : one, value),
  )
}
const isNegative = ({ operator }: Condition) => operator === 'not' || operator === 'out'
const isNoValue = ({ values: wanted }: Condition) => wanted.every((value) => value === '')
const meets = (condition: Condition, value: string | null) =>
  isNegative(condition) ? !has(condition, value) : has(condition, value)

const ownNames: Record<string, string> = { utm_source: '$utm_source', device: '$device' }
const valueOf = (seen: Seen, field: string): string | null => {
  if (field === 'path' || field === 'event') return seen[field]
  if (field === 'person_id') return seen.person
  return seen.properties[ownNames[field] ?? field.replace(/^prop\./, '')] ?? null
}

interface Term {
  condition: Condition
  withs: Condition[]
}
const isLeftBy = (where: readonly Condition[], meetsTerm: (term: Term) => boolean): boolean => {
  let whole = true
  let group = true
  for (const [at, condition] of where.entries()) {
    if (condition.join === 'with') continue
    const rest = where.slice(at + 1)
    const end = rest.findIndex(({ join }) => join !== 'with')
    const met = meetsTerm({ condition, withs: end < 0 ? rest : rest.slice(0, end) })
    if (at > 0 && condition.join === 'or') group ||= met
    else {
      whole &&= group
      group = met
    }
  }
  return whole && group
}

export interface Question {
  all: readonly Seen[]
  asked: Asked
  where: readonly Condition[]
}

const dayMs = 86_400_000

/** Whether somebody has such a trait, or did that; undefined for another condition. */
const meetsAsPerson = (
  { all, asked }: Question,
  { condition, withs }: Term,
  seen: { person: string | null; environment: string },
) => {
  const { field, operator, values: names, times = 1, days, after } = condition
  const { person, environment } = seen
  if (field.startsWith('trait.')) {
    const known = all.find((each) => each.person === person && each.environment === environment)
    return person !== null && meets(condition, known?.traits[field.slice(6)] ?? null)
  }
  if (operator !== 'did' && operator !== 'did_not') return undefined
  if (person === null) return false
  const from =
    days === undefined || after !== undefined ? asked.from : (asked.until ?? Number.NaN) - days * dayMs
  const isIt = (each: Seen, name: string) =>
    name === '' || (name.startsWith('/') ? isNamed(each, name) : isSame(each.event, name))
  const isSoon = (each: Seen, since: number) => each.ms <= since + (days ?? 0) * dayMs
  const isBehind = (each: Seen, name: string) =>
    name === ''
      ? isSoon(each, each.firstSeen)
      : choose(all, { ...asked, from: null }).some(
          (other) =>
            other.person === person && isIt(other, name) && other.ms < each.ms && isSoon(each, other.ms),
        )
  const did = choose(all, { ...asked, from })
    .filter((each) => each.person === person && names.some((name) => isIt(each, name)))
    .filter((each) => withs.every((one) => meets(one, valueOf(each, one.field))))
    .filter((each) => after === undefined || isBehind(each, after))
  return did.length >= times === (operator === 'did')
}

/** Whether there is an event of the time that fits, or none that does not. */
const meetsByEvents = (condition: Condition, events: readonly Seen[]) => {
  const views = condition.field === 'path' ? events.filter(({ event }) => event === '$pageview') : events
  const found = (fits: typeof has) => views.some((each) => fits(condition, valueOf(each, condition.field)))
  return isNegative(condition) && !isNoValue(condition) ? !found(has) : found(meets)
}

type Session = ReturnType<typeof sessionsOfRange>[number]

const meetsBySession = (condition: Condition, row: Session) => {
  const at = fieldsOfSessions.get(condition.field) ?? fieldsOfBoth.get(condition.field)
  const value = row[at!]
  return meets(condition, value === null || value === undefined ? null : String(value))
}

/** Sessions that are so themselves, or whose events, also those of bots, are. */
export const sessionsOfSegment = (question: Question): Session[] => {
  const { all, asked, where } = question
  return sessionsOfRange(all, asked).filter((row) =>
    isLeftBy(where, (term) => {
      const { field, operator } = term.condition
      const asPerson = meetsAsPerson(question, term, {
        person: row[2] as string | null,
        environment: asked.environment,
      })
      if (asPerson !== undefined) return asPerson
      if (!operator.startsWith('did') && (fieldsOfSessions.has(field) || fieldsOfBoth.has(field)))
        return meetsBySession(term.condition, row)
      const ofTime = choose(all, { ...asked, bots: true })
      return meetsByEvents(
        term.condition,
        ofTime.filter(({ session }) => session === row[1]),
      )
    }),
  )
}

/** Events that are so, or whose session or person is. `isPicked`: all but persons is asked of their sessions. */
export const eventsOfSegment = (question: Question, isPicked: boolean): Seen[] => {
  const { all, asked, where } = question
  const sessions = sessionsOfRange(all, asked)
  return choose(all, asked).filter((seen) =>
    isLeftBy(where, (term) => {
      const { field } = term.condition
      const asPerson = meetsAsPerson(question, term, seen)
      if (asPerson !== undefined) return asPerson
      if (fieldsOfSessions.has(field) || (isPicked && fieldsOfBoth.has(field))) {
        const row = sessions.find((each) => each[1] === seen.session)
        return seen.session !== null && row !== undefined && meetsBySession(term.condition, row)
      }
      if (!isPicked) return meets(term.condition, valueOf(seen, field))
      const ofTime = choose(all, { ...asked, bots: true })
      return (
        seen.session !== null &&
        meetsByEvents(
          term.condition,
          ofTime.filter(({ session }) => session === seen.session),
        )
      )
    }),
  )
}

/** People of the time who have such a trait, did that, or have such an event or session. */
export const peopleOfSegment = (question: Question): Set<string> => {
  const { all, asked, where } = question
  const events = choose(all, asked)
  const sessions = sessionsOfRange(all, asked)
  const isLeft = (person: string) =>
    isLeftBy(where, (term) => {
      const { condition } = term
      const asPerson = meetsAsPerson(question, term, { person, environment: asked.environment })
      if (asPerson !== undefined) return asPerson
      if (!fieldsOfSessions.has(condition.field))
        return meetsByEvents(
          condition,
          events.filter((each) => each.person === person),
        )
      const rows = sessions.filter((row) => row[2] === person)
      const isWithout = isNegative(condition) && !isNoValue(condition)
      if (!isWithout) return rows.some((row) => meetsBySession(condition, row))
      return !rows.some((row) => !meetsBySession(condition, row))
    })
  return new Set(events.flatMap(({ person }) => (person !== null && isLeft(person) ? person : [])))
}
