import { joinSql, type Sql, sql } from '../../data/sql'
import { personName } from '../../data/personName'
import type { Scope } from '../../shell/scope'
import { type FunnelQuestion, type PeopleChoice, withins } from './funnelSearch'

export type Asking = Pick<Scope, 'environment' | 'bots' | 'range'> & Pick<FunnelQuestion, 'steps' | 'within'>

const interval = (within: Asking['within']) =>
  sql`INTERVAL ${withins.find(([name]) => name === within)?.[2] ?? 0} HOUR`

/** People by step; with `by` once more for each value of that property at the first step. */
export const funnel = (asking: Asking, by?: string): Sql => {
  const { steps, within, range, environment, bots } = asking
  const breakdown = by === undefined ? sql`` : sql`\n  breakdown := ${by},`
  return sql`SELECT breakdown, step, name, people, conversion, step_conversion, median_seconds
FROM analytics.funnel(
  ${steps},
  ${interval(within)},
  from_time := ${range.from}, until_time := ${range.until},${breakdown}
  environment := ${environment}, bots := ${bots}
)
ORDER BY breakdown NULLS FIRST, step`
}

/** One number, so that an ASOF join can compare it: time, and for equal times the order of acceptance. */
const order = sql`epoch_us("timestamp")::HUGEINT * 18446744073709551616 + event_id`

export const isStep = (name: string) =>
  name.startsWith('/') ? sql`event = '$pageview' AND path = ${name}` : sql`event = ${name}`

const hit = ({ steps, range }: Asking, at: number) => {
  const started = at === 0 ? sql` AND "timestamp" < ${range.until}` : sql``
  return sql`step${at + 1} AS (SELECT person_id, "timestamp", place FROM asked WHERE ${isStep(steps[at] ?? '')}${started})`
}

/** Each event that ends so many steps, with the latest start of them: that one leaves the most time. */
const reached = ({ within }: Asking, at: number) => {
  if (at === 0) return sql`reached1 AS (SELECT *, "timestamp" AS started FROM step1)`
  return sql`reached${at + 1} AS (
  SELECT s.*, r.started FROM step${at + 1} s
  ASOF JOIN reached${at} r ON r.person_id = s.person_id AND s.place > r.place
  WHERE s."timestamp" - r.started <= ${interval(within)})`
}

/** The people that the funnel counts at a step, with the time when each did it; the newest first. */
export const funnelPeople = (asking: Asking, { step, kind }: PeopleChoice, limit: number): Sql => {
  const { steps, within, range, environment, bots } = asking
  const depths = steps.map((_, at) => at)
  const notBots = bots ? sql`` : sql` AND bot IS NULL`
  const wanted = kind === 'reached' ? sql`depth >= ${step}` : sql`depth = ${step}`
  return sql`WITH asked AS (
  SELECT person_id, "timestamp", event, path, ${order} AS place
  FROM analytics.events
  WHERE environment = ${environment}${notBots} AND person_id IS NOT NULL
    AND "timestamp" >= ${range.from} AND "timestamp" <= ${range.until} + ${interval(within)}
    AND (${joinSql(steps.map(isStep), '\n      OR ')})
),
${joinSql(
  depths.flatMap((at) => [hit(asking, at), reached(asking, at)]),
  ',\n',
)},
depths AS (
  SELECT person_id, max(depth) AS depth, arg_max("timestamp", depth) AS last_step
  FROM (
    ${joinSql(
      depths.map(
        (at) => sql`SELECT person_id, ${at + 1} AS depth, min("timestamp") AS "timestamp"
    FROM reached${at + 1} GROUP BY person_id`,
      ),
      '\n    UNION ALL ',
    )}
  )
  GROUP BY person_id
)
SELECT person_id, ${personName(sql`p.traits`, sql`person_id`)} AS name, depth, last_step, count(*) OVER () AS people
FROM depths
LEFT JOIN (FROM analytics.persons WHERE environment = ${environment}) p USING (person_id)
WHERE ${wanted}
ORDER BY last_step DESC, person_id
LIMIT ${limit}`
}
