import type { Scope } from '../shell/scope'
import type { Period } from '../shell/timeRange'
import { fieldOf, fieldSql, traitOf } from './fields'
import type { Filter } from './filters'
import { joinSql, type Sql, sql } from './sql'

/** What every answer is about. */
export type Asking = Pick<Scope, 'environment' | 'bots' | 'timeZone' | 'range'> & {
  filters: readonly Filter[]
}

export const and = (parts: readonly Sql[]): Sql => joinSql(parts, '\n    AND ')

export const where = (parts: readonly Sql[]): Sql => (parts.length === 0 ? sql`` : sql`\nWHERE ${and(parts)}`)

/** The sessions that began in a period. */
export const sessionsOf = ({ environment, bots }: Asking, { from, until }: Period): Sql =>
  sql`analytics.sessions(${from}, ${until}, environment := ${environment}, bots := ${bots})`

/** The figures of a period without filters: the macro compares keys and not texts. */
export const totalsOfAll = ({ environment, bots }: Asking, { from, until }: Period): Sql =>
  sql`analytics.totals(${from}, ${until}, environment := ${environment}, bots := ${bots})`

/** The argument by which an answer about people over days counts visitors without consent. */
export const withAnonymous = (anonymous: boolean): Sql => (anonymous ? sql`, anonymous := ${true}` : sql``)

/** The rows of a view with a time, of an environment and a period. */
export const inPeriod = ({ environment }: Asking, { from, until }: Period) => [
  sql`environment = ${environment}`,
  sql`"timestamp" >= ${from}`,
  sql`"timestamp" < ${until}`,
]

/** Whether a row has one of the values that a filter names, apart from its negation. */
function hasValue(column: Sql, { operator, values }: Filter): Sql {
  const [first = ''] = values
  if (operator === 'contains') return sql`contains(lower(${column}), lower(${first}))`
  const texts = values.filter(Boolean)
  const known = joinSql(
    texts.map((text) => sql`${text}`),
    ', ',
  )
  const isKnown = texts.length === 1 ? sql`${column} = ${known}` : sql`${column} IN (${known})`
  if (texts.length === values.length) return isKnown
  return texts.length === 0 ? sql`${column} IS NULL` : sql`(${column} IS NULL OR ${isKnown})`
}

const isNegative = ({ operator }: Filter) => operator === 'not' || operator === 'out'
const isNoValue = ({ values }: Filter) => values.every((value) => value === '')

/** Whether a row is one that a filter leaves. A row without a value is none of any. */
function leaves(filter: Filter): Sql {
  const column = fieldSql(fieldOf(filter.field))
  const has = hasValue(column, filter)
  if (!isNegative(filter)) return has
  return isNoValue(filter) ? sql`${column} IS NOT NULL` : sql`coalesce(NOT ${has}, true)`
}

/** A page is one that was viewed, as on the card of pages; another event may happen on it, too. */
const ofViews = ({ field }: Filter) => (field === 'path' ? [sql`event = '$pageview'`] : [])

const keys = { session_id: sql`session_id`, person_id: sql`person_id` }

/** What a filter is asked of: rows that meet `conditions`. */
interface Rows {
  from: Sql
  conditions: readonly Sql[]
}

/** Sessions, or people, with such a row; without any such, if the filter says what it is not. */
function pick(by: keyof typeof keys, filter: Filter, { from, conditions }: Rows): Sql {
  const isWithout = isNegative(filter) && !isNoValue(filter)
  const found = isWithout ? hasValue(fieldSql(fieldOf(filter.field)), filter) : leaves(filter)
  const key = keys[by]
  const all = and([...conditions, sql`${key} IS NOT NULL`, found])
  return sql`${key} ${isWithout ? sql`NOT IN` : sql`IN`} (SELECT ${key} FROM ${from} WHERE ${all})`
}

const isTrait = ({ field }: Filter) => traitOf(field) !== undefined

/** The events or sessions of people with such a trait. */
const pickByTrait = ({ environment }: Asking, filter: Filter): Sql =>
  sql`person_id IN (SELECT person_id FROM analytics.persons WHERE ${and([sql`environment = ${environment}`, leaves(filter)])})`

/** The sessions with such an event, or of people with such a trait. */
const pickSessions = (asking: Asking, filter: Filter, period: Period): Sql =>
  isTrait(filter)
    ? pickByTrait(asking, filter)
    : pick('session_id', filter, {
        from: sql`analytics.events`,
        conditions: [...inPeriod(asking, period), ...ofViews(filter)],
      })

const isOfSessions = ({ field }: Filter) => ['sessions', 'both'].includes(fieldOf(field).of)

/** The conditions for a row of `sessions(…)`: it is left by its own columns, or by its events. */
export const sessionConditions = (asking: Asking, period: Period): Sql[] =>
  asking.filters.map((filter) =>
    isOfSessions(filter) ? leaves(filter) : pickSessions(asking, filter, period),
  )

/** The conditions for an event, or a page view, of a session that all filters leave. */
export function conditionsOfPicked(asking: Asking, period: Period): Sql[] {
  const conditions = sessionConditions(asking, period)
  const own = conditions.filter((_, at) => asking.filters[at] && isOfSessions(asking.filters[at]))
  const rest = conditions.filter((each) => !own.includes(each))
  if (own.length === 0) return rest
  return [
    ...rest,
    sql`session_id IN (SELECT session_id FROM ${sessionsOf(asking, period)} WHERE ${and(own)})`,
  ]
}

/** The conditions for an event that itself is what the filters say; what only sessions have is asked of its session. */
export function conditionsOfEvents(asking: Asking, period: Period): Sql[] {
  const ofSession = asking.filters.filter(({ field }) => fieldOf(field).of === 'sessions')
  const own = asking.filters
    .filter((filter) => !ofSession.includes(filter))
    .map((filter) => (isTrait(filter) ? pickByTrait(asking, filter) : leaves(filter)))
  return [...own, ...conditionsOfPicked({ ...asking, filters: ofSession }, period)]
}

/** The conditions for a row of `persons`: it is left by its traits, or by its events or sessions of the period. */
export const personConditions = (asking: Asking, period: Period): Sql[] =>
  asking.filters.map((filter) => {
    if (isTrait(filter)) return leaves(filter)
    const isOfSession = fieldOf(filter.field).of === 'sessions'
    const from = isOfSession ? sessionsOf(asking, period) : sql`analytics.events`
    const conditions = isOfSession ? [] : [...eventsIn(asking, period), ...ofViews(filter)]
    return pick('person_id', filter, { from, conditions })
  })

/** The condition for the events of a period, as the header has it. */
export const eventsIn = (asking: Asking, period: Period): Sql[] => [
  ...inPeriod(asking, period),
  ...(asking.bots ? [] : [sql`bot IS NULL`]),
]

/** The condition for a row that has the id of an event, where the filters leave some only. */
export function conditionsByEventId(asking: Asking): Sql[] {
  if (asking.filters.length === 0) return []
  const events = and([...eventsIn(asking, asking.range), ...conditionsOfEvents(asking, asking.range)])
  return [sql`event_id IN (SELECT event_id FROM analytics.events WHERE ${events})`]
}
