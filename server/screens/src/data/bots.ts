import type { Asking } from './conditions'
import { type Sql, sql } from './sql'

/** How many events of bots are left out. */
export const botEvents = ({ environment, range }: Pick<Asking, 'environment' | 'range'>): Sql =>
  sql`SELECT count(*) FROM analytics.events
WHERE environment = ${environment} AND "timestamp" >= ${range.from} AND "timestamp" < ${range.until}
  AND bot IS NOT NULL`
