import { type Sql, sql } from '../../data/sql'
import { formatCount, formatDuration, formatMean, formatShare } from '../../parts/format'

export interface Measure {
  /** In the address. */
  name: string
  title: string
  /** What is counted: events, each with its person and session, or sessions that began in the time. */
  of: 'events' | 'sessions'
  /** Over the rows of `counted`, in `statements.ts`. */
  figure: Sql
  /** It is of the values of a property, which is chosen. */
  needsProperty?: true
  /** Without any event it is 0, and not unknown. */
  isCount?: true
  format: (figure: number) => string
}

const ofNumber = (name: string, title: string, figure: Sql): Measure => ({
  name,
  title,
  of: 'events',
  figure,
  needsProperty: true,
  format: formatMean,
})

/** docs/answers.md, "Explore", says the same in words. */
export const measures: readonly Measure[] = [
  {
    name: 'events',
    title: 'Events',
    of: 'events',
    figure: sql`count(*)`,
    isCount: true,
    format: formatCount,
  },
  {
    name: 'people',
    title: 'People',
    of: 'events',
    figure: sql`count(DISTINCT person_id)`,
    isCount: true,
    format: formatCount,
  },
  {
    name: 'sessions',
    title: 'Sessions',
    of: 'events',
    figure: sql`count(DISTINCT session_id)`,
    isCount: true,
    format: formatCount,
  },
  { ...ofNumber('sum', 'Sum', sql`sum(number)`), isCount: true },
  ofNumber('average', 'Average', sql`avg(number)`),
  ofNumber('median', 'Median', sql`median(number)`),
  ofNumber('p75', '75th percentile', sql`quantile_cont(number, 0.75)`),
  {
    name: 'bounce_rate',
    title: 'Bounce rate',
    of: 'sessions',
    figure: sql`avg(bounced::INTEGER)`,
    format: formatShare,
  },
  {
    name: 'pages_per_session',
    title: 'Pages a session',
    of: 'sessions',
    figure: sql`avg(page_views)`,
    format: formatMean,
  },
  {
    name: 'engaged',
    title: 'Engaged time',
    of: 'sessions',
    figure: sql`median(engaged_seconds)`,
    format: formatDuration,
  },
  {
    name: 'duration',
    title: 'Median session',
    of: 'sessions',
    figure: sql`median(duration_seconds)`,
    format: formatDuration,
  },
]

/** What the rows of a measure are, as they are counted beside it. */
export const rowsOf = { events: 'Events', sessions: 'Sessions' } as const
