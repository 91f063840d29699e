import { and, type Asking, conditionsOfPicked, eventsIn, totalsOfAll, where } from '../../data/conditions'
import { type Sql, sql } from '../../data/sql'
import type { Period } from '../../shell/timeRange'
import { withBefore } from './withBefore'

const eventsOf = ({ environment, bots }: Asking, goal: string, { from, until }: Period) =>
  sql`analytics.goal_events(${goal}, ${from}, ${until}, environment := ${environment}, bots := ${bots})`

const totalsOf = (asking: Asking, goal: string, { name, period }: { name: string; period: Period }) => {
  const picked = conditionsOfPicked(asking, period)
  const all =
    asking.filters.length === 0
      ? sql`SELECT people AS of_people, sessions AS of_sessions FROM ${totalsOfAll(asking, period)}`
      : sql`SELECT count(DISTINCT person_id) AS of_people, count(DISTINCT session_id) AS of_sessions
  FROM analytics.events
  WHERE ${and([...eventsIn(asking, period), ...picked])}`
  return sql`SELECT ${name} AS period, * FROM (
  SELECT count(DISTINCT person_id) AS people, count(DISTINCT session_id) AS sessions
  FROM ${eventsOf(asking, goal, period)}${where(picked)}
), (
  ${all}
)`
}

/** A row `now`, and one `before` if the time is compared: the people and sessions that reached a goal, and all of them. */
export const goalTotals = (asking: Asking, goal: string): Sql =>
  withBefore((name, period) => totalsOf(asking, goal, { name, period }), asking)

/** One more column, after a comma: which share of the sessions reached the goal. */
export const conversionOf = (asking: Asking, goal: string | undefined): Sql =>
  goal === undefined
    ? sql``
    : sql`,
  count(DISTINCT session_id) FILTER (session_id IN (
    SELECT session_id FROM ${eventsOf(asking, goal, asking.range)} WHERE session_id IS NOT NULL
  )) / nullif(count(DISTINCT session_id), 0) AS conversion`
