import { refuseField } from '../sql/refuse.js'
import { eventsIn, isNamed, segmentOf, sessionConditions, sessionsOf } from './conditions.js'
import { fieldOf, fieldSql, type Period, type Scope } from './Parameter.js'
import { and, joinSql, none, type Sql, sql, when, whereAll } from './sql.js'

export interface Measure {
  /** What is counted: events, each with its person and session, or sessions that began in the time. */
  of: 'events' | 'sessions'
  /** Over the rows that are counted, or over those that a filter leaves. */
  figure(filter: Sql): Sql
  /** It is of the values of a property. */
  needsProperty?: true
  /** Without any event it is 0, and not unknown. */
  isCount?: true
  /** It is of the people of so many days that end with each day; of two numbers it is the first by the second. */
  days?: readonly [number, number?]
}

const ofEvents = (call: Sql): Measure => ({ of: 'events', figure: (filter) => sql`${call}${filter}` })
const ofNumber = (call: Sql): Measure => ({ ...ofEvents(call), needsProperty: true })
const ofSessions = (call: Sql): Measure => ({ ...ofEvents(call), of: 'sessions' })
const ofDays = (...days: [number, number?]): Measure => ({ ...ofEvents(sql`avg(figure)`), days })

/** Those that another figure can be divided by. */
export const bases = {
  events: { ...ofEvents(sql`count(*)`), isCount: true },
  people: { ...ofEvents(sql`count(DISTINCT person_id)`), isCount: true },
  sessions: { ...ofEvents(sql`count(DISTINCT session_id)`), isCount: true },
} as const satisfies Record<string, Measure>

export const measures = {
  ...bases,
  sum: { ...ofNumber(sql`sum(number)`), isCount: true },
  average: ofNumber(sql`avg(number)`),
  median: ofNumber(sql`median(number)`),
  p75: ofNumber(sql`quantile_cont(number, 0.75)`),
  p90: ofNumber(sql`quantile_cont(number, 0.9)`),
  p95: ofNumber(sql`quantile_cont(number, 0.95)`),
  dau: ofDays(1),
  wau: ofDays(7),
  mau: ofDays(30),
  dau_wau: ofDays(1, 7),
  dau_mau: ofDays(1, 30),
  bounce_rate: ofSessions(sql`avg(bounced::INTEGER)`),
  pages_per_session: ofSessions(sql`avg(page_views)`),
  engaged: ofSessions(sql`median(engaged_seconds)`),
  duration: ofSessions(sql`median(duration_seconds)`),
} as const satisfies Record<string, Measure>

/** The first and the last day of a time, of which none is before the first event, and none yet to come. */
const bounds = ({ from, until }: Period) => {
  const first = from === null ? none : sql`${from}::DATE, `
  const last = until === null ? sql`max("day")` : sql`(${until} - INTERVAL 1 MICROSECOND)::DATE`
  return sql`greatest(${first}min("day")) AS first, least(${last}, now()::DATE) AS last`
}

interface Rolling {
  /** Events with their day as `time`, their person and, where `isByValue`, a value; also of the days before the time. */
  rows: Sql
  period: Period
  isByValue: boolean
  /** How many values count: those with most people a day. */
  most: number
}

/** Whole days before the time are needed, too. */
const earlierBy = ({ from, until }: Period, days: readonly [number, number?]): Period => ({
  from: from && sql`(${from}::DATE - ${Math.max(...days.map((each) => each ?? 1)) - 1})::TIMESTAMPTZ`,
  until,
})

/**
 * A row for each day of the time, and each value: `figure` is how many people did something in so many days that end with
 * it, or how many of one number of days there are for each of another; `people` is how many did on that day alone.
 *
 * A person comes on a day with an event, and goes so many days later, or on the next such day. The sum of both up to a day
 * counts each person once, and nobody makes a list of people for each day.
 */
const peopleOfDays = ({ rows, period, isByValue, most }: Rolling, days: readonly [number, number?]): Sql => {
  const [short, long] = days
  const value = when(isByValue, sql`value, `)
  const ofValue = when(isByValue, sql`PARTITION BY value `)
  const goes = (after: number) => sql`least("day" + ${after}, coalesce(next, "day" + ${after}))`
  const running = (column: Sql) => sql`(sum(sum(${column})) OVER (${ofValue}ORDER BY "day"))::BIGINT`
  const top = sql` JOIN (
      SELECT value FROM active, bounds WHERE "day" BETWEEN first AND last
      GROUP BY value ORDER BY count(*) DESC, value LIMIT ${most}
    ) t ON t.value IS NOT DISTINCT FROM a.value`
  return sql`WITH active AS (
    SELECT DISTINCT ${value}person_id, "time"::DATE AS "day" FROM (
${rows}
    ) WHERE person_id IS NOT NULL
  ), bounds AS (
    SELECT ${bounds(period)} FROM active HAVING count(*) > 0
  ), stays AS (
    SELECT ${when(isByValue, sql`a.value, `)}"day", lead("day") OVER (PARTITION BY ${when(isByValue, sql`a.value, `)}person_id ORDER BY "day") AS next
    FROM active a${when(isByValue, top)}
  ), changes AS (
    SELECT ${value}"day", 1 AS came, 1 AS short, 1 AS long FROM stays
    UNION ALL SELECT ${value}${goes(short)}, 0, -1, 0 FROM stays
    UNION ALL SELECT ${value}${goes(long ?? 1)}, 0, 0, -1 FROM stays
    UNION ALL SELECT ${value}unnest(generate_series(first::TIMESTAMP, last::TIMESTAMP, INTERVAL 1 DAY))::DATE, 0, 0, 0
    FROM bounds${when(isByValue, sql`, (SELECT DISTINCT value FROM stays)`)}
  )
  SELECT ${value}"day"::TIMESTAMPTZ AS "time", people, short${long === undefined ? none : sql` / nullif(long, 0)`} AS figure
  FROM (
    SELECT ${value}"day", sum(came)::BIGINT AS people, ${running(sql`short`)} AS short, ${running(sql`long`)} AS long
    FROM changes GROUP BY ${value}"day"
  ), bounds
  WHERE "day" BETWEEN first AND last`
}

export interface Question extends Scope {
  measure: Measure
  property: string | null
  event: string | null
  /** What the figure is divided by, of which event. */
  per: Measure | null
  per_event: string | null
  currency: string | null
  currency_property: string | null
  by: string | null
  /** What rows are told apart by. */
  value: Sql | null
  interval: string | null
  highest_first: boolean
  most: number
  rest: boolean
  anonymous: boolean
}

/** The value of each session of a field that only sessions have, or that only events have. */
const valuesBySession = (asked: Scope, by: string): Sql => {
  const column = sql`SELECT DISTINCT session_id, ${fieldSql(by)} AS value`
  if (fieldOf(by) === 'sessions') return sql`(${column} FROM ${sessionsOf(asked, asked)})`
  return sql`(${column} FROM analytics.events WHERE ${and(eventsIn(asked, asked))})`
}

/** Intervals that come again: of a week the day from Monday as 1, of a day the hour from 0. */
const cycles: Readonly<Record<string, Sql>> = { weekday: sql`isodow`, hour_of_day: sql`hour` }

const timeOf = (interval: string, moment: Sql): Sql =>
  cycles[interval] ? sql`${cycles[interval]}(${moment})` : sql`date_trunc(${interval}, ${moment})`

/** Amounts in several currencies are never added: a value has a row for each. */
export const isSplit = ({ by, currency, currency_property: named }: Question) =>
  by !== null && named !== null && currency === null

export const currencyOf = (property: string): Sql =>
  sql`nullif(upper(trim(analytics.prop(properties, ${property}))), '')`

const all = (conditions: readonly Sql[]) => (conditions.length === 0 ? sql`true` : and(conditions))

/** What an event must be, beside the segment, for the figure and for what it is divided by. */
const eventConditions = (asked: Question) => {
  const { event, property, currency, currency_property: named, per, per_event: other } = asked
  const own = [
    ...(event === null ? [] : [isNamed(event)]),
    ...(property === null ? [] : [sql`number IS NOT NULL`]),
    ...(named === null || currency === null ? [] : [sql`${currencyOf(named)} = ${currency}`]),
  ]
  if (per === null) return { columns: [], conditions: own }
  const base = other === null ? [] : [isNamed(other)]
  return {
    columns: [sql`(${all(own)}) AS counts`, sql`(${all(base)}) AS divides`],
    conditions: own.length === 0 || base.length === 0 ? [] : [sql`(counts OR divides)`],
  }
}

/** The rows that are counted, with the time and the value that they count for. */
export const counted = (asked: Question): Sql => {
  const { measure, property, by, interval, currency_property: named } = asked
  const isOfEvents = measure.of === 'events'
  const fieldIsOf = by === null ? undefined : fieldOf(by)
  const isOwn = fieldIsOf === undefined || fieldIsOf === 'both' || fieldIsOf === measure.of
  const { columns, conditions } = eventConditions(asked)
  const list = [
    ...(interval === null
      ? []
      : [sql`${timeOf(interval, isOfEvents ? sql`"timestamp"` : sql`started_at`)} AS "time"`]),
    ...(asked.value === null ? [] : [isOwn ? sql`${asked.value} AS value` : sql`value`]),
    ...(named !== null && isSplit(asked) ? [sql`${currencyOf(named)} AS currency`] : []),
    ...(isOfEvents
      ? [sql`person_id`, sql`session_id`]
      : [sql`bounced`, sql`page_views`, sql`engaged_seconds`, sql`duration_seconds`]),
    ...(property === null ? [] : [sql`analytics.prop_number(properties, ${property}) AS number`]),
    ...columns,
  ]
  const source = isOfEvents ? sql`analytics.events` : sessionsOf(asked, asked)
  const joined =
    by !== null && !isOwn ? sql`${source}\nJOIN ${valuesBySession(asked, by)} USING (session_id)` : source
  const ofPeople = measure.days !== undefined && !asked.anonymous ? [sql`NOT coalesce(anonymous, false)`] : []
  const left = isOfEvents ? [segmentOf(asked, ...conditions, ...ofPeople)] : sessionConditions(asked, asked)
  return sql`SELECT ${joinSql(list, ', ')}\nFROM ${joined}${whereAll(left)}`
}

export const figureOf = ({ measure, per }: Question): Sql =>
  per === null
    ? measure.figure(none)
    : sql`${measure.figure(sql` FILTER (counts)`)}::DOUBLE / nullif(${per.figure(sql` FILTER (divides)`)}, 0)`

export const rowsOf = ({ per }: Question): Sql => sql`count(*)${when(per, sql` FILTER (counts)`)}`

/** A row for each day and value, for measures of people over days. */
export const overDays = (asked: Question, days: readonly [number, number?], most: number): Sql => {
  const period = { from: asked.from, until: asked.until }
  const rows = counted({ ...asked, ...earlierBy(period, days), interval: 'day' })
  return sql`(
${peopleOfDays({ rows, period, isByValue: asked.value !== null, most }, days)}
)`
}

type Given = Omit<Question, 'measure' | 'per' | 'value'> & {
  measure: keyof typeof measures
  per: keyof typeof bases | null
  before: Period | null
}

/** What is wrong with parameters that are right each alone. */
const findMistake = (asked: Given): string | undefined => {
  const { measure: name, interval, per } = asked
  const measure: Measure = measures[name]
  const isOfNumber = measure.needsProperty === true
  if (isOfNumber && asked.property === null) return `property must be given for ${name}.`
  if (asked.by !== null && fieldOf(asked.by) === 'people') return 'by must not be a trait.'
  if (!isOfNumber && asked.currency_property !== null)
    return `currency_property must not be given for ${name}.`
  if (per !== null && (measure.of === 'sessions' || measure.days)) return `per must not be given for ${name}.`
  if (per === null && asked.per_event !== null) return 'per_event must not be given without per.'
  if (per !== null && asked.currency_property !== null && asked.currency === null)
    return 'currency must be given with currency_property and per: amounts in several currencies are never added.'
  if (measure.days && asked.rest) return `rest must not be given for ${name}.`
  if (measure.days && interval !== null && interval !== 'day') return `interval must be day for ${name}.`
  if (asked.before && interval !== null && asked.by !== null)
    return 'before must not be given with by and interval.'
  return undefined
}

/** @throws HttpError one sentence that names the parameter that is wrong */
export const toQuestion = (given: Given): Question => {
  const mistake = findMistake(given)
  if (mistake !== undefined) throw refuseField(mistake)
  const { by, currency, currency_property: named } = given
  const measure: Measure = measures[given.measure]
  const value = by !== null ? fieldSql(by) : named !== null && currency === null ? currencyOf(named) : null
  return {
    ...given,
    measure,
    value,
    per: given.per && bases[given.per],
    property: measure.needsProperty ? given.property : null,
    event: measure.of === 'events' ? given.event : null,
  }
}
