import type { Scope } from '../shell/scope'
import { type Sql, sql } from './sql'

/** More texts below a chart are not read. */
const mostReleases = 20

/** The releases whose first event ever lies in the range, the newest ones. */
export const newReleases = ({
  environment,
  bots,
  range,
}: Pick<Scope, 'environment' | 'bots' | 'range'>): Sql =>
  sql`SELECT "release", min("timestamp") AS "first"
FROM analytics.events
WHERE environment = ${environment}${bots ? sql`` : sql` AND bot IS NULL`}
  AND "release" IS NOT NULL AND "timestamp" < ${range.until}
GROUP BY "release"
HAVING "first" >= ${range.from}
ORDER BY "first" DESC
LIMIT ${mostReleases}`
