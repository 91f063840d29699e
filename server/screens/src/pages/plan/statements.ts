import { and, type Asking, conditionsOfEvents, eventsIn, inPeriod } from '../../data/conditions'
import { identifier, type Sql, sql } from '../../data/sql'

export const mostDrift = 500

const shown = (asking: Asking): Sql =>
  and([...eventsIn(asking, asking.range), ...conditionsOfEvents(asking, asking.range)])

/** What was said of users has no properties by which it could be filtered, so it is shown where nothing filters. */
const wrongTraits = (asking: Asking): Sql =>
  and([
    ...inPeriod(asking, asking.range),
    sql`plan_verdict = 'invalid'`,
    ...(asking.filters.length > 0 ? [sql`false`] : []),
  ])

/** `[valid, unplanned, invalid, traits]`, the last one how often what was said of a user is not as planned. */
export const verdicts = (asking: Asking): Sql => sql`SELECT count(*) FILTER (plan_verdict = 'valid') AS valid,
  count(*) FILTER (plan_verdict = 'unplanned') AS unplanned, count(*) FILTER (plan_verdict = 'invalid') AS invalid,
  (SELECT count(*) FROM analytics.plan_traits WHERE ${wrongTraits(asking)}) AS traits
FROM analytics.events
WHERE ${shown(asking)}`

/** The name by which `plan_drift` has what was said of users. */
export const ofTraits = '$identify'

const columns = [
  'event',
  'property',
  'problem',
  'events',
  'first_seen',
  'first_release',
  'last_seen',
] as const
export type DriftColumn = (typeof columns)[number]

export interface Order {
  by: DriftColumn
  isDescending: boolean
}

/** The order that the address names: `-events` has the most first. */
export function readOrder(text: string | null): Order {
  const by = columns.find((column) => column === text?.replace('-', ''))
  return by ? { by, isDescending: text!.startsWith('-') } : { by: 'events', isDescending: true }
}

/**
 * `[event, property, problem, events, first_seen, first_release, last_seen]`: what is in the time shown, and since when
 * there has been any.
 */
export const drift = (
  asking: Asking,
  { by, isDescending }: Order,
): Sql => sql`SELECT event, left(plan_problem, strpos(plan_problem, ': ') - 1) AS property,
  coalesce(substr(plan_problem, strpos(plan_problem, ': ') + 2), 'is not in the plan') AS problem,
  count(*) FILTER (is_shown) AS events, min("timestamp") AS first_seen,
  arg_min(release, "timestamp") AS first_release, max("timestamp") FILTER (is_shown) AS last_seen
FROM (
  SELECT event, plan_problem, "timestamp", release, ${shown(asking)} AS is_shown
  FROM analytics.events
  WHERE environment = ${asking.environment} AND plan_verdict IN ('unplanned', 'invalid')
  UNION ALL
  SELECT ${ofTraits}, plan_problem, "timestamp", NULL, ${wrongTraits(asking)}
  FROM analytics.plan_traits
  WHERE environment = ${asking.environment} AND plan_verdict = 'invalid'
)
GROUP BY event, plan_problem
HAVING events > 0
ORDER BY ${identifier(by)} ${isDescending ? sql`DESC` : sql`ASC`} NULLS LAST, event, property, problem
LIMIT ${mostDrift}`
