import type { Scope } from '../shell/scope'
import type { Period } from '../shell/timeRange'
import { fieldOf, fieldSql } from './fields'
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

const inPeriod = ({ environment }: Asking, { from, until }: Period) => [
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

/** The sessions with such an event; without any such, if the filter says what it is not. */
function pickByEvents(asking: Asking, filter: Filter, period: Period): Sql {
  const isWithout = isNegative(filter) && !isNoValue(filter)
  const found = isWithout ? hasValue(fieldSql(fieldOf(filter.field)), filter) : leaves(filter)
  const events = [...inPeriod(asking, period), ...ofViews(filter), sql`session_id IS NOT NULL`, found]
  return sql`session_id ${isWithout ? sql`NOT IN` : sql`IN`} (SELECT session_id FROM analytics.events WHERE ${and(events)})`
}

const isOfSessions = ({ field }: Filter) => fieldOf(field).of !== 'events'

/** The conditions for a row of `sessions(…)`: it is left by its own columns, or by its events. */
export const sessionConditions = (asking: Asking, period: Period): Sql[] =>
  asking.filters.map((filter) =>
    isOfSessions(filter) ? leaves(filter) : pickByEvents(asking, filter, period),
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
  const own = asking.filters.filter((filter) => !ofSession.includes(filter)).map(leaves)
  return [...own, ...conditionsOfPicked({ ...asking, filters: ofSession }, period)]
}

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
