import { type Condition, fieldOf, fieldSql, type Period, type Scope } from './Parameter.js'
import { and, joinSql, none, type Sql, sql } from './sql.js'

/** The arguments that the macros of all answers share. */
export const choiceOf = ({ environment, bots }: Scope, { from, until }: Period): Sql =>
  sql`${from}, ${until}, environment := ${environment}, bots := ${bots}`

/** `choiceOf` with all arguments by name, for macros that have others before them. */
export const namedChoiceOf = ({ environment, bots, from, until }: Scope): Sql =>
  sql`from_time := ${from}, until_time := ${until},
  environment := ${environment}, bots := ${bots}`

/** The sessions that began in a period. */
export const sessionsOf = (scope: Scope, period: Period): Sql =>
  sql`analytics.sessions(${choiceOf(scope, period)})`

/** The rows of a view with a time, of an environment and a period. */
export const inPeriod = ({ environment }: Scope, { from, until }: Period): Sql[] => [
  sql`environment = ${environment}`,
  ...(from ? [sql`"timestamp" >= ${from}`] : []),
  ...(until ? [sql`"timestamp" < ${until}`] : []),
]

/** The condition for the events of a period. */
export const eventsIn = (scope: Scope, period: Period): Sql[] => [
  ...inPeriod(scope, period),
  ...(scope.bots ? [] : [sql`bot IS NULL`]),
]

/** Whether an event is the one that is named, or the view of the path. */
export const isNamed = (name: string): Sql =>
  name.startsWith('/') ? sql`event = '$pageview' AND path = ${name}` : sql`event = ${name}`

/** Whether a row has one of the values that a condition names, apart from its negation. */
const hasValue = (column: Sql, { operator, values }: Condition): Sql => {
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

const isNegative = ({ operator }: Condition) => operator === 'not' || operator === 'out'
const isNoValue = ({ values }: Condition) => values.every((value) => value === '')

/** Whether a row is one that a condition leaves. A row without a value is none of any. */
const leaves = (condition: Condition): Sql => {
  const column = fieldSql(condition.field)
  const has = hasValue(column, condition)
  if (!isNegative(condition)) return has
  return isNoValue(condition) ? sql`${column} IS NOT NULL` : sql`coalesce(NOT ${has}, true)`
}

/** A page is one that was viewed; another event may happen on it, too. */
const ofViews = ({ field }: Condition) => (field === 'path' ? [sql`event = '$pageview'`] : [])

const keys = { session_id: sql`session_id`, person_id: sql`person_id` }

/** What a condition is asked of: rows that meet `conditions`. */
interface Rows {
  from: Sql
  conditions: readonly Sql[]
}

/** Sessions, or people, with such a row; without any such, if the condition says what it is not. */
const pick = (by: keyof typeof keys, condition: Condition, { from, conditions }: Rows): Sql => {
  const isWithout = isNegative(condition) && !isNoValue(condition)
  const found = isWithout ? hasValue(fieldSql(condition.field), condition) : leaves(condition)
  const key = keys[by]
  const all = and([...conditions, sql`${key} IS NOT NULL`, found])
  return sql`${key} ${isWithout ? sql`NOT IN` : sql`IN`} (SELECT ${key} FROM ${from} WHERE ${all})`
}

const isTrait = ({ field }: Condition) => fieldOf(field) === 'people'

/** The events or sessions of people with such a trait. */
const pickByTrait = ({ environment }: Scope, condition: Condition): Sql =>
  sql`person_id IN (SELECT person_id FROM analytics.persons WHERE ${and([sql`environment = ${environment}`, leaves(condition)])})`

/** The sessions with such an event, or of people with such a trait. */
const pickSessions = (scope: Scope, condition: Condition, period: Period): Sql =>
  isTrait(condition)
    ? pickByTrait(scope, condition)
    : pick('session_id', condition, {
        from: sql`analytics.events`,
        conditions: [...inPeriod(scope, period), ...ofViews(condition)],
      })

const isOfSessions = ({ field }: Condition) => ['sessions', 'both'].includes(fieldOf(field) ?? '')

/** For a row of `sessions(…)`: it is left by its own columns, or by its events. */
export const sessionConditions = (scope: Scope, period: Period): Sql[] =>
  scope.where.map((each) => (isOfSessions(each) ? leaves(each) : pickSessions(scope, each, period)))

/** For an event, or a page view, of a session that all conditions leave. */
export const conditionsOfPicked = (scope: Scope, period: Period): Sql[] => {
  const own = scope.where.filter(isOfSessions).map(leaves)
  const rest = scope.where
    .filter((each) => !isOfSessions(each))
    .map((each) => pickSessions(scope, each, period))
  if (own.length === 0) return rest
  return [...rest, sql`session_id IN (SELECT session_id FROM ${sessionsOf(scope, period)} WHERE ${and(own)})`]
}

/** For an event that itself is what the conditions say; what only sessions have is asked of its session. */
export const conditionsOfEvents = (scope: Scope, period: Period): Sql[] => {
  const ofSession = scope.where.filter(({ field }) => fieldOf(field) === 'sessions')
  const own = scope.where
    .filter((each) => !ofSession.includes(each))
    .map((each) => (isTrait(each) ? pickByTrait(scope, each) : leaves(each)))
  return [...own, ...conditionsOfPicked({ ...scope, where: ofSession }, period)]
}

/** The people with such an event or session in the period. */
const pickPeople = (scope: Scope, condition: Condition, period: Period): Sql => {
  const isOfSession = fieldOf(condition.field) === 'sessions'
  return pick('person_id', condition, {
    from: isOfSession ? sessionsOf(scope, period) : sql`analytics.events`,
    conditions: isOfSession ? [] : [...eventsIn(scope, period), ...ofViews(condition)],
  })
}

/** For a row of `persons`: it is left by its traits, or by its events or sessions of the period. */
export const personConditions = (scope: Scope, period: Period): Sql[] =>
  scope.where.map((each) => (isTrait(each) ? leaves(each) : pickPeople(scope, each, period)))

/** The events of the time that the segment leaves, and of which more holds. */
export const segmentOf = (scope: Scope, ...more: readonly Sql[]): Sql =>
  and([...eventsIn(scope, scope), ...conditionsOfEvents(scope, scope), ...more])

/** The condition for a row that has the id of an event, where the segment leaves some only. */
export const conditionsByEventId = (scope: Scope): Sql[] =>
  scope.where.length === 0
    ? []
    : [sql`event_id IN (SELECT event_id FROM analytics.events WHERE ${segmentOf(scope)})`]

/** One more argument, after a comma: the people of the segment, where it leaves some only. */
export const amongPeople = (scope: Scope): Sql => {
  if (scope.where.length === 0) return none
  const picked = scope.where.map((each) =>
    isTrait(each) ? pickByTrait(scope, each) : pickPeople(scope, each, scope),
  )
  const all = and([...eventsIn(scope, scope), sql`person_id IS NOT NULL`, ...picked])
  return sql`,
  among := (SELECT coalesce(list(DISTINCT person_id), []) FROM analytics.events WHERE ${all})`
}

/** What a person is called, of a column with traits and one with the id. */
export const personName = (traits: Sql, id: Sql): Sql =>
  sql`coalesce(nullif(analytics.prop(${traits}, 'name'), ''), nullif(analytics.prop(${traits}, 'email'), ''), ${id})`
