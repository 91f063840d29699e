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
  /** It is of the people of some days that end with a day. */
  isOfDays?: true
  format: (figure: number) => string
}

const count = (name: string, title: string): Measure => ({
  name,
  title,
  of: 'events',
  isCount: true,
  format: formatCount,
})
const ofNumber = (name: string, title: string): Measure => ({
  name,
  title,
  of: 'events',
  needsProperty: true,
  format: formatMean,
})
const ofDays = (name: string, title: string, format: Measure['format'] = formatMean): Measure => ({
  name,
  title,
  of: 'events',
  isOfDays: true,
  format,
})
const ofSessions = (name: string, title: string, format: Measure['format']): Measure => ({
  name,
  title,
  of: 'sessions',
  format,
})

/** Those that another figure can be divided by, with what one of them is called. */
export const bases = [
  ['people', 'person'],
  ['sessions', 'session'],
  ['events', 'event'],
] as const

/** In groups; docs/answers.md, "Explore", says the same in words. */
const groups: readonly (readonly [title: string, of: readonly Measure[]])[] = [
  ['Counts', [count('events', 'Events'), count('people', 'People'), count('sessions', 'Sessions')]],
  [
    'Of a property',
    [
      { ...ofNumber('sum', 'Sum'), isCount: true },
      ofNumber('average', 'Average'),
      ofNumber('median', 'Median'),
      ofNumber('p75', '75th percentile'),
      ofNumber('p90', '90th percentile'),
      ofNumber('p95', '95th percentile'),
    ],
  ],
  [
    'Active people',
    [
      ofDays('dau', 'Daily active people'),
      ofDays('wau', 'Weekly active people'),
      ofDays('mau', 'Monthly active people'),
      ofDays('dau_wau', 'Stickiness (DAU/WAU)', formatShare),
      ofDays('dau_mau', 'Stickiness (DAU/MAU)', formatShare),
    ],
  ],
  [
    'Of sessions',
    [
      ofSessions('bounce_rate', 'Bounce rate', formatShare),
      ofSessions('pages_per_session', 'Pages a session', formatMean),
      ofSessions('engaged', 'Engaged time', formatDuration),
      ofSessions('duration', 'Median session', formatDuration),
    ],
  ],
]
export const measures: readonly Measure[] = groups.flatMap(([, of]) => of)

/** The groups of those measures that may be chosen. */
export const measureGroups = (mayChoose: (measure: Measure) => boolean) =>
  groups
    .map(([title, of]) => ({ title, of: of.filter((each) => mayChoose(each)) }))
    .filter(({ of }) => of.length > 0)

/** What the rows of a measure are, as they are counted beside it. */
export const rowsOf = { events: 'Events', sessions: 'Sessions' } as const

/** The figure that the address asks for. */
export function readMeasure(search: URLSearchParams): Measure {
  const measure = measures.find(({ name }) => name === search.get('show')) ?? measures[0]
  if (!measure) throw new Error('There is no measure.')
  return measure
}
