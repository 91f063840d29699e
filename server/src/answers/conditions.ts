import {
  type Condition,
  fieldOf,
  fieldSql,
  isDeed,
  numberSql,
  numeric,
  type Operator,
  type Period,
  personal,
  type Scope,
} from './Parameter.js'
import { codeSql, codesIn, codesOf, spellings } from './spellings.js'
import { and, joinSql, none, type Sql, sql, when } from './sql.js'

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
export const inPeriod = ({ environment }: Pick<Scope, 'environment'>, { from, until }: Period): Sql[] => [
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

/** Whether a text is one of some, in any case of letters and by the names that screens show. Ids are compared as they are, numbers as numbers. */
const isOne = (field: string, texts: readonly string[]): Sql => {
  if (numeric.has(field))
    return sql`${numberSql(field)} IN (${joinSql(
      texts.map((text) => sql`${Number(text)}`),
      ', ',
    )})`
  const column = fieldSql(field)
  const isId = personal.has(field)
  const list = isId ? texts.map((text) => sql`${text}`) : texts.flatMap((text) => spellings(field, text))
  const side = isId ? column : sql`lower(${column})`
  return list.length === 1 ? sql`${side} = ${list[0]!}` : sql`${side} IN (${joinSql(list, ', ')})`
}

/** Whether a text contains another, as it is stored or as it is shown. */
const holds = (field: string, text: string): Sql => {
  const column = fieldSql(field)
  const has = sql`contains(lower(${column}), lower(${text}))`
  // Names are looked through here: for each row that would take eight times as long.
  const codes = codesOf(codesIn(field) ?? new Map(), (name) => name.includes(text.toLowerCase()))
  if (codes.length === 0) return has
  const list = joinSql(
    codes.map((code) => sql`${code}`),
    ', ',
  )
  return sql`(${has} OR ${codeSql(column)} IN (${list}))`
}

const signs: Partial<Record<Operator, Sql>> = {
  above: sql`>`,
  at_least: sql`>=`,
  below: sql`<`,
  at_most: sql`<=`,
}

/** Whether a row has one of the values that a condition names, apart from its negation. */
const hasValue = ({ field, operator, values }: Condition): Sql => {
  const [first = '', last = ''] = values
  if (operator === 'contains') return holds(field, first)
  if (operator === 'between') return sql`${numberSql(field)} BETWEEN ${Number(first)} AND ${Number(last)}`
  const sign = signs[operator]
  if (sign !== undefined) return sql`${numberSql(field)} ${sign} ${Number(first)}`
  const texts = values.filter(Boolean)
  const isNone = sql`${fieldSql(field)} IS NULL`
  if (texts.length === values.length) return isOne(field, texts)
  return texts.length === 0 ? isNone : sql`(${isNone} OR ${isOne(field, texts)})`
}

const isNegative = ({ operator }: Condition) => operator === 'not' || operator === 'out'
const isNoValue = ({ values }: Condition) => values.every((value) => value === '')

/** Whether a row is one that a condition leaves. A row without a value is none of any. */
const leaves = (condition: Condition): Sql => {
  const has = hasValue(condition)
  if (!isNegative(condition)) return has
  return isNoValue(condition)
    ? sql`${fieldSql(condition.field)} IS NOT NULL`
    : sql`coalesce(NOT ${has}, true)`
}

/** A page is one that was viewed; another event may happen on it, too. */
const ofViews = ({ field }: Condition) => (field === 'path' ? [sql`event = '$pageview'`] : [])

const keys = { session_id: sql`session_id`, person_id: sql`person_id` }

/** Rows whose key is one of some or, where it says what they are not, of none of them. */
const isAmong = (key: Sql, isWithout: boolean, found: Sql): Sql =>
  isWithout ? sql`(${key} IS NOT NULL AND ${key} NOT IN (${found}))` : sql`${key} IN (${found})`

/** What a condition is asked of: rows that meet `conditions`. */
interface Rows {
  from: Sql
  conditions: readonly Sql[]
}

/** Sessions, or people, with such a row; without any such, if the condition says what it is not. */
const pick = (by: keyof typeof keys, condition: Condition, { from, conditions }: Rows): Sql => {
  const isWithout = isNegative(condition) && !isNoValue(condition)
  const found = isWithout ? hasValue(condition) : leaves(condition)
  const key = keys[by]
  const all = and([...conditions, sql`${key} IS NOT NULL`, found])
  return isAmong(key, isWithout, sql`SELECT ${key} FROM ${from} WHERE ${all}`)
}

/** A condition, and what else the event must be if it is a deed. */
interface Term {
  condition: Condition
  withs: Condition[]
}

/** The groups that must all be met, each by one of its terms. */
const groupsOf = (where: readonly Condition[]): Term[][] => {
  const groups: Term[][] = []
  for (const condition of where) {
    const term: Term = { condition, withs: [] }
    if (condition.join === 'with') groups.at(-1)?.at(-1)?.withs.push(condition)
    else if (condition.join === 'or') groups.at(-1)?.push(term)
    else groups.push([term])
  }
  return groups
}

const anyOf = (terms: readonly Term[], of: (term: Term) => Sql): Sql => {
  const list = joinSql(terms.map(of), ' OR ')
  return terms.length === 1 ? list : sql`(${list})`
}

const isTrait = ({ field }: Condition) => fieldOf(field) === 'people'

/** What belongs to people with such a trait. */
const pickByTrait = ({ environment }: Scope, condition: Condition): Sql =>
  sql`person_id IN (SELECT person_id FROM analytics.persons WHERE ${and([sql`environment = ${environment}`, leaves(condition)])})`

const isDone = (name: string): Sql => {
  const [field, more] = name.startsWith('/') ? ['path', sql`event = '$pageview' AND `] : ['event', none]
  return sql`(${more}${isOne(field, [name])})`
}

/** `since` is what a deed is behind: when a person was first seen, or each time of another deed. */
const sinceOf = (scope: Scope, after: string, { until }: Period): Sql => {
  const from =
    after === ''
      ? sql`first_seen AS since FROM analytics.persons WHERE environment = ${scope.environment}`
      : sql`"timestamp" AS since FROM analytics.events
    WHERE ${and([...eventsIn(scope, { from: null, until }), sql`person_id IS NOT NULL`, isDone(after)])}`
  // The last one before is the nearest of several times.
  const [join, isBehind] = after === '' ? [sql`JOIN`, sql`>=`] : [sql`ASOF JOIN`, sql`>`]
  return sql`${join} (SELECT person_id AS who, ${from}) s ON person_id = who AND moment ${isBehind} since`
}

/** What belongs to people who did something, so often and in so many days, or who did not. */
const pickByDeed = (scope: Scope, { condition, withs }: Term, period: Period): Sql => {
  const { operator, values, times = 1, days, after } = condition
  const { from, until } = period
  const isOfLast = days !== undefined && after === undefined
  const did = [
    ...eventsIn(scope, { from: isOfLast ? null : from, until }),
    ...(isOfLast ? [sql`"timestamp" >= ${until ?? sql`now()`} - to_hours(${24 * days})`] : []),
    sql`person_id IS NOT NULL`,
    ...(values.includes('') ? [] : [sql`(${joinSql(values.map(isDone), ' OR ')})`]),
    ...withs.map(leaves),
  ]
  const often = when(times > 1, sql`\n  GROUP BY person_id HAVING count(*) >= ${times}`)
  const people =
    after === undefined
      ? sql`SELECT person_id FROM analytics.events WHERE ${and(did)}${often}`
      : sql`SELECT person_id FROM (SELECT person_id, "timestamp" AS moment FROM analytics.events WHERE ${and(did)}) e
  ${sinceOf(scope, after, period)}
  WHERE moment <= since + to_hours(${24 * (days ?? 1)})${often}`
  return isAmong(keys.person_id, operator === 'did_not', people)
}

/** What belongs to the people of a trait or deed; undefined for another condition. */
const pickByPerson = (scope: Scope, term: Term, period: Period): Sql | undefined => {
  if (isDeed(term.condition)) return pickByDeed(scope, term, period)
  return isTrait(term.condition) ? pickByTrait(scope, term.condition) : undefined
}

/** The sessions with such an event, or of such people. */
const pickSessions = (scope: Scope, term: Term, period: Period): Sql =>
  pickByPerson(scope, term, period) ??
  pick('session_id', term.condition, {
    from: sql`analytics.events`,
    conditions: [...inPeriod(scope, period), ...ofViews(term.condition)],
  })

const isOfSessions = ({ condition }: Term) =>
  !isDeed(condition) && ['sessions', 'both'].includes(fieldOf(condition.field) ?? '')
const hasOnlySession = ({ condition }: Term) => fieldOf(condition.field) === 'sessions'
const isLeft = ({ condition }: Term) => leaves(condition)

/** For a row of `sessions(…)`: it is left by its own columns, or by its events. */
export const sessionConditions = (scope: Scope, period: Period): Sql[] =>
  groupsOf(scope.where).map((terms) =>
    anyOf(terms, (term) => (isOfSessions(term) ? isLeft(term) : pickSessions(scope, term, period))),
  )

/** For an event: what is asked of its session, and `other` of all else. Sessions are read once for all groups of theirs alone. */
const conditionsBy = (
  { scope, period }: { scope: Scope; period: Period },
  isAskedOfSession: (term: Term) => boolean,
  other: (term: Term) => Sql,
): Sql[] => {
  const groups = groupsOf(scope.where)
  const own = groups.filter((terms) => terms.every(isAskedOfSession))
  const inSession = (conditions: readonly Sql[]) =>
    sql`session_id IN (SELECT session_id FROM ${sessionsOf(scope, period)} WHERE ${and(conditions)})`
  const rest = groups
    .filter((terms) => !own.includes(terms))
    .map((terms) =>
      anyOf(terms, (term) => (isAskedOfSession(term) ? inSession([isLeft(term)]) : other(term))),
    )
  return own.length === 0 ? rest : [...rest, inSession(own.map((terms) => anyOf(terms, isLeft)))]
}

/** For an event, or a page view, of a session that all conditions leave. */
export const conditionsOfPicked = (scope: Scope, period: Period): Sql[] =>
  conditionsBy({ scope, period }, isOfSessions, (term) => pickSessions(scope, term, period))

/** For an event that itself is what the conditions say; what only sessions have is asked of its session. */
export const conditionsOfEvents = (scope: Scope, period: Period): Sql[] =>
  conditionsBy({ scope, period }, hasOnlySession, (term) => pickByPerson(scope, term, period) ?? isLeft(term))

/** The people with such a trait or deed, or with such an event or session in the period. */
const pickPeople = (scope: Scope, term: Term, period: Period): Sql => {
  const isOfSession = hasOnlySession(term)
  return (
    pickByPerson(scope, term, period) ??
    pick('person_id', term.condition, {
      from: isOfSession ? sessionsOf(scope, period) : sql`analytics.events`,
      conditions: isOfSession ? [] : [...eventsIn(scope, period), ...ofViews(term.condition)],
    })
  )
}

/** For a row of `persons`: it is left by its traits, or by its events or sessions of the period. */
export const personConditions = (scope: Scope, period: Period): Sql[] =>
  groupsOf(scope.where).map((terms) =>
    anyOf(terms, (term) => (isTrait(term.condition) ? isLeft(term) : pickPeople(scope, term, period))),
  )

/** The events of the time that the segment leaves, and of which more holds. */
export const segmentOf = (scope: Scope, ...more: readonly Sql[]): Sql =>
  and([...eventsIn(scope, scope), ...conditionsOfEvents(scope, scope), ...more])

/** The condition for a row that has the id of an event, where the segment leaves some only. */
export const conditionsByEventId = (scope: Scope): Sql[] =>
  scope.where.length === 0
    ? []
    : [sql`event_id IN (SELECT event_id FROM analytics.events WHERE ${segmentOf(scope)})`]

/** For any row with a person: one of the people that the segment leaves. */
export const conditionsByPeople = (scope: Scope): Sql[] =>
  groupsOf(scope.where).map((terms) => anyOf(terms, (term) => pickPeople(scope, term, scope)))

/** One more argument, after a comma: the people of the segment, where it leaves some only. */
export const amongPeople = (scope: Scope): Sql => {
  if (scope.where.length === 0) return none
  const all = and([...eventsIn(scope, scope), sql`person_id IS NOT NULL`, ...conditionsByPeople(scope)])
  return sql`,
  among := (SELECT coalesce(list(DISTINCT person_id), []) FROM analytics.events WHERE ${all})`
}

/** What a person is called, of a column with traits and one with the id. */
export const personName = (traits: Sql, id: Sql): Sql =>
  sql`coalesce(nullif(analytics.prop(${traits}, 'name'), ''), nullif(analytics.prop(${traits}, 'email'), ''), ${id})`
