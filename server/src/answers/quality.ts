import { answer } from './Answer.js'
import { choiceOf, conditionsByEventId, eventsIn, inPeriod, segmentOf } from './conditions.js'
import {
  count,
  fieldSql,
  flag,
  free,
  oneOf,
  type Scope,
  scope,
  timezone,
  unit,
  usually,
} from './Parameter.js'
import { and, identifier, type Sql, sql, when, whereAll } from './sql.js'

/** Up to the first a value is good, beyond the second it is poor: the thresholds of the project web-vitals. */
export const thresholds = [
  ['LCP', 2500, 4000],
  ['INP', 200, 500],
  ['CLS', 0.1, 0.25],
  ['FCP', 1800, 3000],
  ['TTFB', 800, 1800],
] as const

/** Up to what a value of a web vital is good; undefined for what is none. */
const goodUpTo = (metric: string): number | undefined => thresholds.find(([name]) => name === metric)?.[1]

/** A 75th percentile of fewer measurements says little, so such pages come last. */
const fewMeasurements = 30

const measured = (asked: Scope, more: readonly Sql[] = []): Sql =>
  sql`analytics.web_vitals(${choiceOf(asked, asked)})${whereAll([...more, ...conditionsByEventId(asked)])}`

const p75 = sql`quantile_cont(value, 0.75)`

const vitals = answer({
  name: 'vitals',
  about:
    'The 75th percentile of each web vital, and how many measurements are good, need improvement or are poor.',
  parameters: { ...scope },
  columns: ['metric', 'p75', 'rating', 'measurements', 'good', 'needs_improvement', 'poor'],
  isForGuests: true,
  sql: (given) => sql`SELECT metric, p75, analytics.vital_rating(metric, p75) AS rating,
  measurements, good, needs_improvement, poor
FROM (
  SELECT metric, ${p75} AS p75, count(*) AS measurements,
    count(*) FILTER (rating = 'good') AS good,
    count(*) FILTER (rating = 'needs improvement') AS needs_improvement,
    count(*) FILTER (rating = 'poor') AS poor
  FROM ${measured(given)}
  GROUP BY metric
)`,
})

const metric = free(usually(oneOf('Which web vital.', ['LCP', 'INP', 'CLS', 'FCP', 'TTFB']), 'LCP'))
const ofMetric = (asked: Scope & { metric: string }) => measured(asked, [sql`metric = ${asked.metric}`])

const vitalsOverTime = answer({
  name: 'vitals_over_time',
  about: 'The 75th percentile of a web vital over time.',
  parameters: { ...scope, metric, unit, timezone },
  columns: ['time', 'p75'],
  isForGuests: true,
  sql: (given) => sql`SELECT date_trunc(${given.unit}, "timestamp") AS "time", ${p75} AS p75
FROM ${ofMetric(given)}
GROUP BY ALL
ORDER BY "time"`,
})

const vitalsByPage = answer({
  name: 'vitals_by_page',
  about:
    'The 75th percentile of a web vital for each page and each of its devices (`all`: the whole page). First is what costs most: how far from good, times how often measured.',
  parameters: { ...scope, metric, most: count('How many pages.', 50, 10_000) },
  columns: ['path', 'device', 'p75', 'rating', 'measurements'],
  isForGuests: true,
  sql: (given) => sql`WITH measured AS (
  SELECT path, coalesce(device, 'unknown') AS device, value
  FROM ${ofMetric(given)}
), slowest AS (
  SELECT path, ${p75} AS p75, count(*) AS measurements,
    measurements * greatest(p75 / ${goodUpTo(given.metric) ?? null} - 1, 0) AS weight
  FROM measured
  GROUP BY path
  ORDER BY measurements >= ${fewMeasurements} DESC, weight DESC, measurements DESC, path
  LIMIT ${given.most}
), every AS (
  SELECT path, 'all' AS device, p75, measurements FROM slowest
  UNION ALL
  SELECT m.path, m.device, quantile_cont(m.value, 0.75), count(*)
  FROM measured m JOIN slowest s ON s.path IS NOT DISTINCT FROM m.path
  GROUP BY m.path, m.device
)
SELECT e.path, e.device, e.p75, analytics.vital_rating(${given.metric}, e.p75) AS rating, e.measurements
FROM every e JOIN slowest s ON s.path IS NOT DISTINCT FROM e.path
ORDER BY s.measurements >= ${fewMeasurements} DESC, s.weight DESC, s.measurements DESC, e.path, e.measurements DESC`,
})

const pageVitals = answer({
  name: 'page_vitals',
  about: 'How fast pages are: the 75th percentile of each web vital by page.',
  parameters: { ...scope },
  columns: ['path', 'metric', 'p75', 'rating', 'measured'],
  sql: (given, fewest) => sql`SELECT path, metric, ${p75} AS p75,
  analytics.vital_rating(metric, p75) AS rating, count(*) AS measured
FROM ${measured(given)}
GROUP BY path, metric${when(fewest, sql`\nHAVING count(DISTINCT person_id) >= ${fewest ?? null}`)}
ORDER BY measured DESC, path, metric`,
})

const caught = (asked: Scope): Sql =>
  sql`analytics.errors\nWHERE ${and([...eventsIn(asked, asked), ...conditionsByEventId(asked)])}`

/** The parts of the time whose counts make the small picture of a trend. */
const trendParts = 24

const errors = answer({
  name: 'errors',
  about:
    'The errors that people met, the most frequent first. The first release is the first ever; `trend` has counts of 24 parts of the time.',
  parameters: { ...scope, most: count('How many.', 100, 10_000) },
  columns: ['message', 'name', 'times', 'people', 'first_release', 'last_release', 'last_seen', 'trend'],
  isForGuests: true,
  sql(given, fewest) {
    const bound = (moment: Scope['from'], pick: Sql) =>
      moment === null ? sql`(SELECT ${pick}("timestamp") FROM caught)` : sql`${moment}`
    const inEnvironment = { ...given, from: null }
    return sql`WITH caught AS (
  SELECT message, name, person_id, release, "timestamp"
  FROM ${caught(given)}
), ever AS (
  SELECT message, name, arg_min(release, "timestamp") AS first_release
  FROM analytics.errors
  WHERE ${and(inPeriod(inEnvironment, inEnvironment))}
  GROUP BY message, name
), span AS (
  SELECT epoch(${bound(given.from, sql`min`)}) AS began_at, epoch(${bound(given.until, sql`max`)}) AS ended_at
), parts AS (
  SELECT message, name, json_group_object(part, times) AS trend
  FROM (
    SELECT message, name,
      least(floor((epoch("timestamp") - began_at) * ${trendParts} / nullif(ended_at - began_at, 0)), ${trendParts - 1})::INTEGER AS part,
      count(*) AS times
    FROM caught, span
    GROUP BY ALL
  )
  GROUP BY message, name
), found AS (
  SELECT message, name, count(*) AS times, count(DISTINCT person_id) AS people,
    arg_max(release, "timestamp") AS last_release, max("timestamp") AS last_seen
  FROM caught
  GROUP BY message, name${when(fewest, sql`\n  HAVING people >= ${fewest ?? null}`)}
  ORDER BY times DESC, message, name
  LIMIT ${given.most}
)
SELECT f.message, f.name, f.times, f.people, e.first_release, f.last_release, f.last_seen, p.trend
FROM found f
LEFT JOIN ever e ON e.message IS NOT DISTINCT FROM f.message AND e.name IS NOT DISTINCT FROM f.name
LEFT JOIN parts p ON p.message IS NOT DISTINCT FROM f.message AND p.name IS NOT DISTINCT FROM f.name
ORDER BY f.times DESC, f.message, f.name`
  },
})

const errorsOverTime = answer({
  name: 'errors_over_time',
  about: 'How many errors there were, and of how many people, over time.',
  parameters: { ...scope, unit, timezone },
  columns: ['time', 'errors', 'people'],
  isForGuests: true,
  sql: (given) => sql`SELECT date_trunc(${given.unit}, "timestamp") AS "time",
  count(*) AS errors, count(DISTINCT person_id) AS people
FROM ${caught(given)}
GROUP BY ALL
ORDER BY "time"`,
})

const errorsByValue = answer({
  name: 'errors_by_value',
  about: 'Where errors happened: the values of a column with most errors.',
  parameters: {
    ...scope,
    by: free(usually(oneOf('The column.', ['release', 'path', 'browser', 'os', 'device']), 'release')),
    most: count('How many values.', 50, 10_000),
  },
  columns: ['value', 'times', 'people'],
  isForGuests: true,
  sql: (
    given,
  ) => sql`SELECT ${fieldSql(given.by)} AS value, count(*) AS times, count(DISTINCT person_id) AS people
FROM ${caught(given)}
GROUP BY ALL
ORDER BY times DESC, value
LIMIT ${given.most}`,
})

const newestErrors = answer({
  name: 'newest_errors',
  about: 'The newest errors, each with whom it happened to and where in the code.',
  parameters: { ...scope, most: count('How many.', 10, 10_000) },
  columns: ['timestamp', 'name', 'message', 'path', 'browser', 'release', 'person_id', 'stack', 'event_id'],
  sql: (given) => sql`SELECT "timestamp", name, message, path, browser, release, person_id, stack, event_id
FROM ${caught(given)}
ORDER BY "timestamp" DESC, event_id DESC
LIMIT ${given.most}`,
})

/** What was said of users has no properties by which it could be picked, so it is told where no segment is asked for. */
const wrongTraits = (asked: Scope): Sql =>
  and([
    ...inPeriod(asked, asked),
    sql`plan_verdict = 'invalid'`,
    ...(asked.where.length > 0 ? [sql`false`] : []),
  ])

const planVerdicts = answer({
  name: 'plan_verdicts',
  about: 'How many events are as the tracking plan has them, and how often what was said of a user is not.',
  parameters: { ...scope },
  columns: ['valid', 'unplanned', 'invalid', 'traits'],
  sql: (given) => sql`SELECT count(*) FILTER (plan_verdict = 'valid') AS valid,
  count(*) FILTER (plan_verdict = 'unplanned') AS unplanned, count(*) FILTER (plan_verdict = 'invalid') AS invalid,
  (SELECT count(*) FROM analytics.plan_traits WHERE ${wrongTraits(given)}) AS traits
FROM analytics.events
WHERE ${segmentOf(given)}`,
})

const driftColumns = ['event', 'property', 'problem', 'events', 'first_seen', 'first_release', 'last_seen']

const planDrift = answer({
  name: 'plan_drift',
  about:
    'What is not as the tracking plan has it, and since when. What was said of users has the event `$identify`.',
  parameters: {
    ...scope,
    order: usually(oneOf('What the rows are sorted by.', driftColumns), 'events'),
    ascending: flag('The least first.'),
    most: count('How many.', 500, 10_000),
  },
  columns: driftColumns,
  sql: (given) => sql`SELECT event, left(plan_problem, strpos(plan_problem, ': ') - 1) AS property,
  coalesce(substr(plan_problem, strpos(plan_problem, ': ') + 2), 'is not in the plan') AS problem,
  count(*) FILTER (is_shown) AS events, min("timestamp") AS first_seen,
  arg_min(release, "timestamp") AS first_release, max("timestamp") FILTER (is_shown) AS last_seen
FROM (
  SELECT event, plan_problem, "timestamp", release, ${segmentOf(given)} AS is_shown
  FROM analytics.events
  WHERE environment = ${given.environment} AND plan_verdict IN ('unplanned', 'invalid')
  UNION ALL
  SELECT '$identify', plan_problem, "timestamp", NULL, ${wrongTraits(given)}
  FROM analytics.plan_traits
  WHERE environment = ${given.environment} AND plan_verdict = 'invalid'
)
GROUP BY event, plan_problem
HAVING events > 0
ORDER BY ${identifier(given.order)} ${given.ascending ? sql`ASC` : sql`DESC`} NULLS LAST, event, property, problem
LIMIT ${given.most}`,
})

export const quality = [
  ...[vitals, vitalsOverTime, vitalsByPage, pageVitals],
  ...[errors, errorsOverTime, errorsByValue, newestErrors],
  ...[planVerdicts, planDrift],
]
