import { type Sql, sql } from '../../data/sql'
import { withAnonymous } from '../../data/conditions'
import { personName } from '../../data/personName'
import type { Scope } from '../../shell/scope'
import { type FunnelQuestion, type PeopleChoice, withins } from './funnelSearch'

export type Asking = Pick<Scope, 'environment' | 'bots' | 'anonymous' | 'range'> &
  Pick<FunnelQuestion, 'steps' | 'within'>

const interval = (within: Asking['within']) =>
  sql`INTERVAL ${withins.find(([name]) => name === within)?.[2] ?? 0} HOUR`

/** People by step; with `by` once more for each value of that property at the first step. */
export const funnel = (asking: Asking, by?: string): Sql => {
  const { steps, within, range, environment, bots, anonymous } = asking
  const breakdown = by === undefined ? sql`` : sql`\n  breakdown := ${by},`
  return sql`SELECT breakdown, step, name, people, conversion, step_conversion, median_seconds
FROM analytics.funnel(
  ${steps},
  ${interval(within)},
  from_time := ${range.from}, until_time := ${range.until},${breakdown}
  environment := ${environment}, bots := ${bots}${withAnonymous(anonymous)}
)
ORDER BY breakdown NULLS FIRST, step`
}

/** The people that the funnel counts at a step, with the time when each did it; the newest first. */
export const funnelPeople = (asking: Asking, { step, kind }: PeopleChoice, limit: number): Sql => {
  const { steps, within, range, environment, bots, anonymous } = asking
  const wanted = kind === 'reached' ? sql`f.step >= ${step}` : sql`f.step = ${step}`
  return sql`SELECT f.person_id, ${personName(sql`p.traits`, sql`f.person_id`)} AS name,
  f.step AS depth, f."timestamp" AS last_step, count(*) OVER () AS people
FROM analytics.funnel_people(
  ${steps},
  ${interval(within)},
  from_time := ${range.from}, until_time := ${range.until},
  environment := ${environment}, bots := ${bots}${withAnonymous(anonymous)}
) f
LEFT JOIN (FROM analytics.persons WHERE environment = ${environment}) p USING (person_id)
WHERE ${wanted}
ORDER BY last_step DESC, f.person_id
LIMIT ${limit}`
}
