import { withAnonymous } from '../../data/conditions'
import { type Sql, sql } from '../../data/sql'
import type { Scope } from '../../shell/scope'

export const units = [
  ['day', 'days'],
  ['week', 'weeks'],
  ['month', 'months'],
] as const

export type Unit = (typeof units)[number][0]

export interface RetentionQuestion {
  /** Empty for any event. */
  first: string
  /** Empty for any event. */
  again: string
  unit: Unit
  /** Includes people who did it before the time that is set. */
  everybody: boolean
}

export const readRetention = (search: URLSearchParams): RetentionQuestion => ({
  first: search.get('first') ?? '',
  again: search.get('again') ?? '',
  unit: units.find(([name]) => name === search.get('unit'))?.[0] ?? 'week',
  everybody: search.get('everybody') === '1',
})

/** A table of so many rows and columns can still be read. */
export const mostCohorts = 60
export const mostPeriods = 31

type Asking = RetentionQuestion & Pick<Scope, 'environment' | 'bots' | 'anonymous' | 'range' | 'timeZone'>

/** The newest cohorts, and how many of each came back. */
export const retention = ({
  first,
  again,
  unit,
  everybody,
  range,
  environment,
  bots,
  anonymous,
  timeZone,
}: Asking): Sql => sql`SELECT
  cohort, size, period, people, share
FROM analytics.retention(
  ${first || null}, ${again || null}, ${unit},
  from_time := ${range.from}, until_time := ${range.until},
  environment := ${environment}, bots := ${bots}, time_zone := ${timeZone}${everybody ? sql`, everybody := ${true}` : sql``}${withAnonymous(anonymous)}
)
WHERE period < ${mostPeriods}
QUALIFY dense_rank() OVER (ORDER BY cohort DESC) <= ${mostCohorts}
ORDER BY cohort, period`
