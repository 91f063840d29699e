import { answer } from './Answer.js'
import { choiceOf, conditionsOfPicked, eventsIn, sessionConditions, sessionsOf } from './conditions.js'
import {
  before,
  count,
  free,
  oneOf,
  optional,
  type Period,
  type Scope,
  scope,
  text,
  timezone,
  unit,
  usually,
} from './Parameter.js'
import { and, identifier, joinSql, type Sql, sql, whereAll } from './sql.js'

/** Totals and rankings count whole sessions: those that began so, or that have such a page view or event. */
const conditions = (asked: Scope, period: Period) =>
  and([...eventsIn(asked, period), ...conditionsOfPicked(asked, period)])

const sessions = (asked: Scope, period: Period) =>
  sql`${sessionsOf(asked, period)}${whereAll(sessionConditions(asked, period))}`

/** Sessions count in each period, day and hour in which they have events, as in the macro `daily`. */
export const figures = sql`count(DISTINCT person_id) AS people, count(DISTINCT session_id) AS sessions,
  count(*) FILTER (event = '$pageview') AS page_views, count(*) AS events`

/** The share of the sessions with a page view. */
const bounceRate = sql`avg(bounced::INTEGER)`

/** The figures of a period without a segment: the macro compares keys and not texts. */
const totalsOfAll = (asked: Scope, period: Period): Sql => sql`analytics.totals(${choiceOf(asked, period)})`

const noPeople = sql`, people := false`

type Compared = Scope & { before: Period | null }

/** For the time and, if any, for what it is compared with. */
const withBefore = (asked: Compared, of: (name: string, period: Period) => Sql): Sql =>
  joinSql([of('now', asked), ...(asked.before ? [of('before', asked.before)] : [])], '\nUNION ALL\n')

const totalsOf = (asked: Scope, name: string, period: Period) => {
  const [events, ofSessions] =
    asked.where.length === 0
      ? [
          sql`FROM ${totalsOfAll(asked, period)}`,
          sql`FROM analytics.session_breakdown(NULL, ${choiceOf(asked, period)}${noPeople})`,
        ]
      : [
          sql`SELECT ${figures}
  FROM analytics.events
  WHERE ${conditions(asked, period)}`,
          sql`SELECT median(duration_seconds) AS median_seconds,
    ${bounceRate} AS bounce_rate, avg(page_views) AS pages, median(engaged_seconds) AS median_engaged_seconds
  FROM ${sessions(asked, period)}`,
        ]
  return sql`SELECT ${name} AS period, t.*, s.median_seconds AS duration, s.bounce_rate,
  s.pages AS pages_per_session, s.median_engaged_seconds AS engaged
FROM (
  ${events}
) t LEFT JOIN (
  ${ofSessions}
) s ON true`
}

const totals = answer({
  name: 'totals',
  about:
    'People, sessions, page views and events, and what sessions were like: a row `now` and, compared, a row `before`.',
  parameters: { ...scope, before },
  columns: 'period people sessions page_views events duration bounce_rate pages_per_session engaged'.split(
    ' ',
  ),
  isForGuests: true,
  sql: (given) => withBefore(given, (name, period) => totalsOf(given, name, period)),
})

const series = answer({
  name: 'series',
  about: 'The same figures over time. What has no events may be missing.',
  parameters: { ...scope, before, unit, timezone },
  columns: ['period', 'time', 'people', 'sessions', 'page_views', 'events'],
  isForGuests: true,
  sql(given) {
    const byMacro = given.unit === 'day' && given.where.length === 0
    const rows = withBefore(given, (name, period) =>
      byMacro
        ? sql`SELECT ${name} AS period, "day"::TIMESTAMPTZ AS "time", people, sessions, page_views, events
FROM analytics.daily(${choiceOf(given, period)}, time_zone := ${given.timezone})`
        : sql`SELECT ${name} AS period, date_trunc(${given.unit}, "timestamp") AS "time",
  ${figures}
FROM analytics.events
WHERE ${conditions(given, period)}
GROUP BY ALL`,
    )
    return sql`${rows}
ORDER BY period, "time"`
  },
})

const daily = answer({
  name: 'daily',
  about: 'People, sessions, page views and events of each day.',
  parameters: { ...scope, timezone },
  columns: ['day', 'people', 'sessions', 'page_views', 'events'],
  sql: (given) =>
    given.where.length === 0
      ? sql`FROM analytics.daily(${choiceOf(given, given)}, time_zone := ${given.timezone})`
      : sql`SELECT "timestamp"::DATE AS day, ${figures}
FROM analytics.events
WHERE ${conditions(given, given)}
GROUP BY ALL
ORDER BY day`,
})

const goalEvents = (asked: Scope, goal: string, period: Period) =>
  sql`analytics.goal_events(${goal}, ${choiceOf(asked, period)})`

const goalTotalsOf = (asked: Scope & { goal: string }, name: string, period: Period) => {
  const picked = conditionsOfPicked(asked, period)
  const all =
    asked.where.length === 0
      ? sql`SELECT people AS of_people, sessions AS of_sessions FROM ${totalsOfAll(asked, period)}`
      : sql`SELECT count(DISTINCT person_id) AS of_people, count(DISTINCT session_id) AS of_sessions
  FROM analytics.events
  WHERE ${and([...eventsIn(asked, period), ...picked])}`
  return sql`SELECT ${name} AS period, * FROM (
  SELECT count(DISTINCT person_id) AS people, count(DISTINCT session_id) AS sessions
  FROM ${goalEvents(asked, asked.goal, period)}${whereAll(picked)}
), (
  ${all}
)`
}

const goalTotals = answer({
  name: 'goal_totals',
  about:
    'The people and sessions that reached a saved goal, and all of them: a row `now` and, compared, a row `before`.',
  parameters: { ...scope, before, goal: text('The name of a saved goal.') },
  columns: ['period', 'people', 'sessions', 'of_people', 'of_sessions'],
  example: { goal: 'An order' },
  isForGuests: true,
  sql: (given) => withBefore(given, (name, period) => goalTotalsOf(given, name, period)),
})

/** What a ranking can be by, and the rows in which its values are counted. */
const dimensions = {
  path: 'page_views',
  event: 'events',
  ...Object.fromEntries(
    [
      ...['entry', 'exit', 'channel', 'referrer_host', 'utm_source', 'utm_medium', 'utm_campaign'],
      ...['browser', 'os', 'device', 'screen_class', 'country', 'language'],
    ].map((name) => [name, 'sessions'] as const),
  ),
} as Readonly<Record<string, 'page_views' | 'events' | 'sessions'>>

type Ranked = Compared & { by: string; most: number; goal: string | null }

/** Beside each value of `now`, how often it was there in what is compared with. */
const withEarlier = (now: Sql, earlier: Sql) => sql`SELECT n.*, coalesce(b.times, 0) AS times_before
FROM (
${now}
) n
LEFT JOIN (
${earlier}
) b ON n.value IS NOT DISTINCT FROM b.value
ORDER BY n.times DESC, n.value`

/** By macros, which compare keys and not texts. */
const rankingOfAll = (asked: Ranked) => {
  const { by, most } = asked
  const of = dimensions[by]!
  const rowsOf = (period: Period, more: Sql) =>
    of === 'sessions'
      ? sql`analytics.session_breakdown(${by}, ${choiceOf(asked, period)}${more})`
      : sql`analytics.breakdown(${of === 'page_views' ? '$pageview' : null}, ${`$${by}`}, ${choiceOf(asked, period)}${more})`
  const [times, rate] = of === 'sessions' ? [sql`sessions`, sql`, bounce_rate`] : [sql`events`, sql``]
  const now = sql`SELECT value, ${times} AS times, people${rate}
FROM ${rowsOf(asked, of === 'sessions' ? sql`` : sql`, most := ${most}`)}
ORDER BY times DESC, value
LIMIT ${most}`
  return asked.before
    ? withEarlier(now, sql`SELECT value, ${times} AS times FROM ${rowsOf(asked.before, noPeople)}`)
    : now
}

/** Which share of the sessions reached the goal. */
const conversionOf = (asked: Ranked) =>
  asked.goal === null
    ? sql``
    : sql`,
  count(DISTINCT session_id) FILTER (session_id IN (
    SELECT session_id FROM ${goalEvents(asked, asked.goal, asked)} WHERE session_id IS NOT NULL
  )) / nullif(count(DISTINCT session_id), 0) AS conversion`

const ranking = answer({
  name: 'ranking',
  about:
    'The values of a column with most sessions, page views or events; with `goal` also which share of the sessions reached it.',
  parameters: {
    ...scope,
    before,
    by: free(usually(oneOf('The column.', Object.keys(dimensions)), 'path')),
    most: free(count('How many values.', 10, 10_000)),
    goal: optional(text('The name of a saved goal.')),
  },
  columns: ['value', 'times', 'people', 'bounce_rate'],
  example: { by: 'channel' },
  isForGuests: true,
  sql(given) {
    if (given.where.length === 0 && given.goal === null) return rankingOfAll(given)
    const of = dimensions[given.by]!
    const value = identifier(given.by)
    const rowsOf = (period: Period) =>
      of === 'sessions'
        ? sessions(given, period)
        : sql`${of === 'events' ? sql`analytics.events` : sql`analytics.page_views`}\nWHERE ${conditions(given, period)}`
    const rate = of === 'sessions' ? sql`,\n  ${bounceRate} AS bounce_rate` : sql``
    const now = sql`SELECT ${value} AS value, count(*) AS times, count(DISTINCT person_id) AS people${rate}${conversionOf(given)}
FROM ${rowsOf(given)}
GROUP BY ALL
ORDER BY times DESC, value
LIMIT ${given.most}`
    if (!given.before) return now
    const earlier = sql`SELECT ${value} AS value, count(*) AS times
FROM ${rowsOf(given.before)}
GROUP BY ALL`
    return withEarlier(now, earlier)
  },
})

export const overview = [totals, series, daily, ranking, goalTotals]
