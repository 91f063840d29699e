import {
  and,
  type Asking,
  conditionsOfPicked,
  eventsIn,
  sessionConditions,
  sessionsOf,
  totalsOfAll,
  where,
} from '../../data/conditions'
import { identifier, type Sql, sql } from '../../data/sql'
import type { Period } from '../../shell/timeRange'
import type { Dimension } from './dimensions'
import { conversionOf } from './goal'
import { withBefore } from './withBefore'

const viewOf = { page_views: sql`analytics.page_views`, events: sql`analytics.events` }

/** Filters pick sessions: those that began so, or that have such a page view or event. */
const conditions = (asking: Asking, period: Period) =>
  and([...eventsIn(asking, period), ...conditionsOfPicked(asking, period)])

const sessions = (asking: Asking, period: Period) =>
  sql`${sessionsOf(asking, period)}${where(sessionConditions(asking, period))}`

/** Sessions count in each period, day and hour in which they have events, as in the macro `daily`. */
const figures = sql`count(DISTINCT person_id) AS people, count(DISTINCT session_id) AS sessions,
  count(*) FILTER (event = '$pageview') AS page_views, count(*) AS events`

/** The share of the sessions with a page view. */
const bounceRate = sql`avg(bounced::INTEGER)`

/** What macros count of a period. People are left out where nobody sees them. */
type Counted = Period & { people: boolean; most?: number }

const choiceOf = ({ environment, bots }: Asking, { from, until, people }: Counted) =>
  sql`${from}, ${until}, environment := ${environment}, bots := ${bots}${people ? sql`` : sql`, people := false`}`

/** The sessions by a column, or all of them. */
const sessionsBy = (asking: Asking, column: string | null, counted: Counted) =>
  sql`analytics.session_breakdown(${column}, ${choiceOf(asking, counted)})`

const totalsOfPicked = (asking: Asking, period: Period) => sql`SELECT ${figures}
  FROM analytics.events
  WHERE ${conditions(asking, period)}`

/** Figures of all sessions: what the macro `session_breakdown` gives without a property. */
const sessionTotals = (
  asking: Asking,
  period: Period,
) => sql`SELECT median(duration_seconds) AS median_seconds,
    ${bounceRate} AS bounce_rate, avg(page_views) AS pages, median(engaged_seconds) AS median_engaged_seconds
  FROM ${sessions(asking, period)}`

const totalsOf = (asking: Asking, name: string, period: Period) => {
  const [events, ofSessions] =
    asking.filters.length === 0
      ? [
          sql`FROM ${totalsOfAll(asking, period)}`,
          sql`FROM ${sessionsBy(asking, null, { ...period, people: false })}`,
        ]
      : [totalsOfPicked(asking, period), sessionTotals(asking, period)]
  return sql`SELECT ${name} AS period, t.*, s.median_seconds AS duration, s.bounce_rate,
  s.pages AS pages_per_session, s.median_engaged_seconds AS engaged
FROM (
  ${events}
) t LEFT JOIN (
  ${ofSessions}
) s ON true`
}

/** A row `now`, and one `before`. */
export const totals = (asking: Asking): Sql =>
  withBefore((name, period) => totalsOf(asking, name, period), asking)

const dailyOf = ({ environment, bots, timeZone }: Asking, name: string, { from, until }: Period) =>
  sql`SELECT ${name} AS period, "day" AS "time", people, sessions, page_views, events
FROM analytics.daily(${from}, ${until}, environment := ${environment}, bots := ${bots}, time_zone := ${timeZone})`

const seriesOf = (asking: Asking, name: string, period: Period) =>
  sql`SELECT ${name} AS period, date_trunc(${asking.range.unit}, "timestamp") AS "time",
  ${figures}
FROM analytics.events
WHERE ${conditions(asking, period)}
GROUP BY ALL`

interface Shown {
  limit: number
  /** The name of a saved goal. */
  goal?: string | undefined
}

/** A row for each day or other unit; those without events may be missing. */
export function series(asking: Asking): Sql {
  const { range, filters } = asking
  const of = range.unit === 'day' && filters.length === 0 ? dailyOf : seriesOf
  return sql`${withBefore((name, period) => of(asking, name, period), asking)}
ORDER BY period, "time"`
}

/** The rows that a dimension's values are counted in. */
const rowsOf = (asking: Asking, { of }: Dimension, period: Period) =>
  of === 'sessions' ? sessions(asking, period) : sql`${viewOf[of]}\nWHERE ${conditions(asking, period)}`

/** Beside each value of `now`, how often it was there in what is compared with. */
const withEarlier = (now: Sql, earlier: Sql) => sql`SELECT n.*, coalesce(b.times, 0) AS times_before
FROM (
${now}
) n
LEFT JOIN (
${earlier}
) b ON n.value IS NOT DISTINCT FROM b.value
ORDER BY n.times DESC, n.value`

const breakdownOf = (asking: Asking, { name, of }: Dimension, counted: Counted) => {
  if (of === 'sessions') return sessionsBy(asking, name, counted)
  const most = counted.most === undefined ? sql`` : sql`, most := ${counted.most}`
  return sql`analytics.breakdown(${of === 'page_views' ? '$pageview' : null}, ${`$${name}`}, ${choiceOf(asking, counted)}${most})`
}

const rankingOfAll = (asking: Asking, dimension: Dimension, limit: number) => {
  const { before } = asking.range
  const [times, rate] =
    dimension.of === 'sessions' ? [sql`sessions`, sql`, bounce_rate`] : [sql`events`, sql``]
  const now = sql`SELECT value, ${times} AS times, people${rate}
FROM ${breakdownOf(asking, dimension, { ...asking.range, people: true, most: limit })}
ORDER BY times DESC, value
LIMIT ${limit}`
  return before
    ? withEarlier(
        now,
        sql`SELECT value, ${times} AS times FROM ${breakdownOf(asking, dimension, { ...before, people: false })}`,
      )
    : now
}

/** The values of a dimension, those with most sessions, page views or events first, and how many sessions reached a goal. */
export function ranking(asking: Asking, dimension: Dimension, { limit, goal }: Shown): Sql {
  const { range, filters } = asking
  if (filters.length === 0 && goal === undefined) return rankingOfAll(asking, dimension, limit)
  const rate = dimension.of === 'sessions' ? sql`,\n  ${bounceRate} AS bounce_rate` : sql``
  const now = sql`SELECT ${identifier(dimension.name)} AS value, count(*) AS times, count(DISTINCT person_id) AS people${rate}${conversionOf(asking, goal)}
FROM ${rowsOf(asking, dimension, range)}
GROUP BY ALL
ORDER BY times DESC, value
LIMIT ${limit}`
  if (!range.before) return now
  const earlier = sql`SELECT ${identifier(dimension.name)} AS value, count(*) AS times
FROM ${rowsOf(asking, dimension, range.before)}
GROUP BY ALL`
  return withEarlier(now, earlier)
}
