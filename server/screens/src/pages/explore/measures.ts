import { formatCount, formatDuration, formatMean, formatShare } from '../../parts/format'

export interface Measure {
  /** In the address. */
  name: string
  title: string
  /** What is counted: events, each with its person and session, or sessions that began in the time. */
  of: 'events' | 'sessions'
  /** It is of the values of a property, which is chosen. */
  needsProperty?: true
  /** Without any event it is 0, and not unknown. */
  isCount?: true
  format: (figure: number) => string
}

const ofNumber = (name: string, title: string): Measure => ({
  name,
  title,
  of: 'events',
  needsProperty: true,
  format: formatMean,
})

/** docs/answers.md, "Explore", says the same in words. */
export const measures: readonly Measure[] = [
  {
    name: 'events',
    title: 'Events',
    of: 'events',
    isCount: true,
    format: formatCount,
  },
  {
    name: 'people',
    title: 'People',
    of: 'events',
    isCount: true,
    format: formatCount,
  },
  {
    name: 'sessions',
    title: 'Sessions',
    of: 'events',
    isCount: true,
    format: formatCount,
  },
  { ...ofNumber('sum', 'Sum'), isCount: true },
  ofNumber('average', 'Average'),
  ofNumber('median', 'Median'),
  ofNumber('p75', '75th percentile'),
  {
    name: 'bounce_rate',
    title: 'Bounce rate',
    of: 'sessions',
    format: formatShare,
  },
  {
    name: 'pages_per_session',
    title: 'Pages a session',
    of: 'sessions',
    format: formatMean,
  },
  {
    name: 'engaged',
    title: 'Engaged time',
    of: 'sessions',
    format: formatDuration,
  },
  {
    name: 'duration',
    title: 'Median session',
    of: 'sessions',
    format: formatDuration,
  },
]

/** What the rows of a measure are, as they are counted beside it. */
export const rowsOf = { events: 'Events', sessions: 'Sessions' } as const

/** The figure that the address asks for. */
export function readMeasure(search: URLSearchParams): Measure {
  const measure = measures.find(({ name }) => name === search.get('show')) ?? measures[0]
  if (!measure) throw new Error('There is no measure.')
  return measure
}
