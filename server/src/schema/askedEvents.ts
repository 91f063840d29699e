import { derivedColumns, builtInColumns } from './derivedColumns.js'
import { quoteText } from '../duckdb/quote.js'

/** The parameters that every answer has, with their defaults. */
export const range = [
  ['from_time', 'NULL'],
  ['until_time', 'NULL'],
] as const
export const choice = [
  ['environment', `'production'`],
  ['bots', 'false'],
] as const
/** Answers about people over days leave out whom the service knows for one day only, unless they are asked for. */
export const anonymous = ['anonymous', 'false'] as const
/** Whether people are counted, which takes most of the time of an answer. */
export const people = ['people', 'true'] as const
export const zone = ['time_zone', `'UTC'`] as const

/** The people that an answer is about, by their person_id; NULL: all. */
export const among = ['among', 'NULL'] as const

export const id = 'coalesce(e.distinct_id, e.anonymous_id)'
export const hasId = 'e.id_key IS NOT NULL'

/**
 * The ids that belong to a person of another id. Any other id is its person's own, so it needs no row here. To look an
 * id up among half as many rows takes half of the time.
 */
export const movedIds = '(FROM analytics.raw.id_map WHERE id_key <> person_key)'

/** The keys of all ids of the people that an answer is about. */
export const amongIds = [
  'among_id',
  `SELECT m.id_key FROM ${movedIds} m SEMI JOIN (SELECT hash(environment, unnest(among::VARCHAR[])) AS person_key) a
     ON a.person_key = m.person_key
   UNION SELECT hash(environment, unnest(among::VARCHAR[]))`,
] as const
/** The events of these people. Of the two parts DuckDB removes one before it runs anything. */
export const eventsAmong = `(
    SELECT e.* FROM analytics.raw.marked_timed_events e WHERE among IS NULL
    UNION ALL SELECT e.* FROM analytics.raw.marked_timed_events e SEMI JOIN among_id a ON a.id_key = e.id_key WHERE among IS NOT NULL
  )`

/** The key of a row's person, from its id and its row `m` of the moved ids. */
export const personKeyOf = (idKey: string): string => `coalesce(m.person_key, ${idKey})`

export const countPeople = (personKey: string): string =>
  `CASE WHEN people THEN count(DISTINCT ${personKey}) END`

/** Events, each joined with the person that its id has moved to, if any. */
export const eventsOfPersons = `analytics.raw.marked_events e LEFT JOIN ${movedIds} m ON m.id_key = e.id_key`

/** Orders events by their time, then by their acceptance. Both are one number, which takes one comparison. */
export const keyOf = (moment: string, seq: string): string =>
  `(epoch_us(${moment})::HUGEINT * 18446744073709551616 + ${seq})`
export const orderKey = keyOf('e."timestamp"', 'e.seq')

/** The microseconds, and below it the `event_id`, of an `orderKey`. */
export const usOfKey = (key: string): string => `(${key} >> 64)::BIGINT`
export const seqOfKey = (key: string): string => `(${key} & 18446744073709551615::HUGEINT)::BIGINT`

export const isChosen = 'e.environment = environment AND (bots OR e.bot IS NULL)'
export const isPerson = '(anonymous OR NOT e.anonymous)'
export const isSince = `(from_time IS NULL OR e."timestamp" >= from_time::TIMESTAMPTZ)`
export const isUntil = `(until_time IS NULL OR e."timestamp" < until_time::TIMESTAMPTZ)`
export const isAsked = `${isChosen} AND ${isSince} AND ${isUntil}`

/** Whether an event is the one that an argument names: by its name, or by the path of a page view. */
export const isNamed = (name: string, isEvent = `e.event = ${name}`): string =>
  `CASE WHEN starts_with(${name}, '/')
    THEN coalesce(e.event = '$pageview' AND e.path = ${name}, false)
    ELSE ${isEvent} END`

const ownColumns = [
  ...['event', 'path'].map((column) => ({ column, property: `$${column}` })),
  ...builtInColumns,
  ...Object.keys(derivedColumns).map((column) => ({ column, property: `$${column}` })),
]

/** The property that an argument names, as text. It is read from its own column when it has one. */
export const propertyOf = (name: string): string =>
  `CASE ${name} ${ownColumns
    .map(({ column, property }) => `WHEN ${quoteText(property)} THEN e.${column}`)
    .join(' ')} ELSE analytics.main.prop(e.properties, ${name}) END`

const advice = (parameter: string, text: string) => quoteText(`${parameter} ${text}`)

/** What can be wrong with the arguments that every answer takes. */
export const choiceProblems = [
  [
    'environment IS NULL',
    advice(
      'environment',
      `is NULL. Name one, such as environment := 'production'; an answer is about one environment.`,
    ),
  ],
  ['bots IS NULL', advice('bots', 'is NULL. Write bots := true to count them too, or leave it out.')],
] as const
export const anonymousProblem = [
  'anonymous IS NULL',
  advice('anonymous', 'is NULL. Write anonymous := true to count also who did not consent, or leave it out.'),
] as const
export const zoneProblem = [
  `timezone(time_zone, TIMESTAMP '2000-01-01') IS NULL`,
  advice('time_zone', `is NULL. Name one, such as time_zone := 'Europe/Berlin'.`),
] as const

export const peopleProblem = [
  'people IS NULL',
  advice('people', 'is NULL. Write people := false to leave that column empty, or leave it out.'),
] as const

/** An event from a clock that is thousands of years wrong must not make a row for every day of them. */
export const checkDays = (days: string): string =>
  `CASE WHEN ${days} > 36525 THEN error('The range has ' || ${days} || ' days. Write from_time and until_time: some clocks are wrong.') END`
