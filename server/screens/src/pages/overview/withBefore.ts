import type { Asking } from '../../data/conditions'
import { joinSql, type Sql } from '../../data/sql'
import type { Period } from '../../shell/timeRange'

/** For the time and, if any, for what it is compared with. */
export const withBefore = (of: (name: string, period: Period) => Sql, { range }: Asking): Sql =>
  joinSql([of('now', range), ...(range.before ? [of('before', range.before)] : [])], '\nUNION ALL\n')
