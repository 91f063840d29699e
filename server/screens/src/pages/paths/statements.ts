import { type Sql, sql } from '../../data/sql'
import type { Scope } from '../../shell/scope'

/** A page may lead to thousands of others. */
export const mostPerStep = 20

type Asking = Pick<Scope, 'environment' | 'bots' | 'range'> & {
  /** Empty for the page on which each session begins. */
  start: string
  depth: number
}

/** Where sessions went from a page, the most frequent ways of each step, with the sessions of the whole step. */
export const paths = ({ start, depth, range, environment, bots }: Asking): Sql => sql`SELECT
  step, from_path, to_path, sessions, sum(sessions) OVER (PARTITION BY step)::BIGINT AS step_sessions,
  count(*) OVER (PARTITION BY step) AS ways
FROM analytics.paths(
  ${start || null}, ${depth},
  from_time := ${range.from}, until_time := ${range.until},
  environment := ${environment}, bots := ${bots}
)
QUALIFY row_number() OVER (PARTITION BY step ORDER BY sessions DESC, from_path, to_path) <= ${mostPerStep}
ORDER BY step, sessions DESC, from_path, to_path`
