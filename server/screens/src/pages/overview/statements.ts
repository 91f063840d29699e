import { identifier, joinSql, type Sql, sql } from '../../data/sql'
import type { Scope } from '../../shell/scope'
import type { Period } from '../../shell/timeRange'
import type { Dimension, Filter } from './dimensions'

export type Asking = Pick<Scope, 'environment' | 'bots' | 'timeZone' | 'range'> & {
  filters: readonly Filter[]
}

const and = (parts: readonly Sql[]) => joinSql(parts, '\n    AND ')

const where = (parts: readonly Sql[]) => (parts.length === 0 ? sql`` : sql`\nWHERE ${and(parts)}`)

const viewOf = { page_views: sql`analytics.page_views`, events: sql`analytics.events` }
const countedAs = { sessions: sql`sessions`, page_views: sql`page_views`, events: sql`events` }

const inEnvironment = ({ environment }: Asking) => sql`environment = ${environment}`
const notBots = ({ bots }: Asking) => (bots ? [] : [sql`bot IS NULL`])
const within = ({ from, until }: Period) => and([sql`"timestamp" >= ${from}`, sql`"timestamp" < ${until}`])
/** The sessions that began in a period. */
const sessionsOf = ({ environment, bots }: Asking, { from, until }: Period) =>
  sql`analytics.sessions(${from}, ${until}, environment := ${environment}, bots := ${bots})`

const equals = (column: Sql, value: string | null) =>
  value === null ? sql`${column} IS NULL` : sql`${column} = ${value}`

/** Filters pick sessions: those that began so, or that have such a page view or event. */
function pickSession(asking: Asking, { dimension, value }: Filter, period: Period): Sql {
  const matches = equals(identifier(dimension.name), value)
  const found =
    dimension.of === 'sessions'
      ? sql`${sessionsOf(asking, period)} WHERE ${matches}`
      : sql`${viewOf[dimension.of]} WHERE ${and([inEnvironment(asking), within(period), matches])}`
  return sql`session_id IN (SELECT session_id FROM ${found})`
}

const picked = (asking: Asking, period: Period) =>
  asking.filters.map((filter) => pickSession(asking, filter, period))

/** The condition for events and page views of a period. */
const eventsIn = (asking: Asking, period: Period) =>
  and([inEnvironment(asking), within(period), ...notBots(asking), ...picked(asking, period)])

/** Sessions count in each period, day and hour in which they have events, as in the macro `daily`. */
const figures = sql`count(DISTINCT person_id) AS people, count(DISTINCT session_id) AS sessions,
  count(*) FILTER (event = '$pageview') AS page_views, count(*) AS events`

const totalsOf = (asking: Asking, name: string, period: Period) => sql`SELECT ${name} AS period, *
FROM (
  SELECT ${figures}
  FROM analytics.events
  WHERE ${eventsIn(asking, period)}
), (
  SELECT median(duration_seconds) AS duration
  FROM ${sessionsOf(asking, period)}${where(picked(asking, period))}
)`

/** Two rows: `now` and `before`. */
export const totals = (asking: Asking): Sql => sql`${totalsOf(asking, 'now', asking.range)}
UNION ALL
${totalsOf(asking, 'before', asking.range.before)}`

const dailyOf = ({ environment, bots, timeZone }: Asking, name: string, { from, until }: Period) =>
  sql`SELECT ${name} AS period, "day" AS "time", people, sessions, page_views, events
FROM analytics.daily(${from}, ${until}, environment := ${environment}, bots := ${bots}, time_zone := ${timeZone})`

const seriesOf = (asking: Asking, name: string, period: Period) =>
  sql`SELECT ${name} AS period, date_trunc(${asking.range.unit}, "timestamp") AS "time",
  ${figures}
FROM analytics.events
WHERE ${eventsIn(asking, period)}
GROUP BY ALL`

/** A row for each day or hour; those without events may be missing. */
export function series(asking: Asking): Sql {
  const { range, filters } = asking
  const of = range.unit === 'day' && filters.length === 0 ? dailyOf : seriesOf
  return sql`${of(asking, 'now', range)}
UNION ALL
${of(asking, 'before', range.before)}
ORDER BY period, "time"`
}

/** The values of a dimension, those with most sessions, page views or events first. */
export function ranking(asking: Asking, dimension: Dimension, limit: number): Sql {
  const { range } = asking
  const rows =
    dimension.of === 'sessions'
      ? sql`${sessionsOf(asking, range)}${where(picked(asking, range))}`
      : sql`${viewOf[dimension.of]}\nWHERE ${eventsIn(asking, range)}`
  return sql`SELECT ${identifier(dimension.name)} AS value, count(*) AS ${countedAs[dimension.of]}, count(DISTINCT person_id) AS people
FROM ${rows}
GROUP BY ALL
ORDER BY 2 DESC, 1
LIMIT ${limit}`
}
