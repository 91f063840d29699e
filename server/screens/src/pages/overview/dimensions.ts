export interface Dimension {
  /** The column, and the parameter of the address that filters by it. */
  name: string
  title: string
  /** What is counted by it. */
  of: 'sessions' | 'page_views' | 'events'
  /** What a row without a value is called. */
  none: string
  /** What a code is called. @defaultValue the code itself */
  nameOf?: (code: string) => string | undefined
}

const session = (name: string, title: string, none: string, nameOf?: Dimension['nameOf']): Dimension => ({
  name,
  title,
  of: 'sessions',
  none,
  ...(nameOf && { nameOf }),
})

/** Names codes; the address of a page may hold what is no code. */
const namesOf = (type: 'region' | 'language') => {
  const names = new Intl.DisplayNames('en', { type })
  return (code: string) => {
    try {
      return names.of(code)
    } catch {
      return undefined
    }
  }
}

/** The cards below the chart, each with its tabs. */
export const groups: readonly { title: string; dimensions: readonly Dimension[] }[] = [
  {
    title: 'Pages',
    dimensions: [
      { name: 'path', title: 'Pages', of: 'page_views', none: '(no path)' },
      session('entry', 'Entry', '(no page)'),
      session('exit', 'Exit', '(no page)'),
    ],
  },
  {
    title: 'Sources',
    dimensions: [
      session('channel', 'Channels', '(unknown)'),
      session('referrer_host', 'Referrers', '(direct)'),
      session('utm_source', 'Source', '(none)'),
      session('utm_medium', 'Medium', '(none)'),
      session('utm_campaign', 'Campaign', '(none)'),
    ],
  },
  {
    title: 'Events',
    dimensions: [{ name: 'event', title: 'Events', of: 'events', none: '(no name)' }],
  },
  {
    title: 'Devices',
    dimensions: [
      session('browser', 'Browsers', '(unknown)'),
      session('os', 'Systems', '(unknown)'),
      session('device', 'Devices', '(unknown)'),
      session('screen_class', 'Screens', '(unknown)'),
    ],
  },
  {
    title: 'Places',
    dimensions: [
      session('country', 'Countries', '(unknown)', namesOf('region')),
      session('language', 'Languages', '(unknown)', namesOf('language')),
    ],
  },
]

export const dimensions: readonly Dimension[] = groups.flatMap((group) => group.dimensions)

/** A value as a person reads it. */
export const showValue = ({ none, nameOf }: Dimension, value: string | null): string =>
  value === null ? none : (nameOf?.(value) ?? value)

export interface Filter {
  dimension: Dimension
  /** Null for the rows without a value. */
  value: string | null
}

/** What the address filters by. An empty parameter is a row without a value. */
export const readFilters = (search: URLSearchParams): Filter[] =>
  dimensions.flatMap((dimension) => {
    const text = search.get(dimension.name)
    return text === null ? [] : [{ dimension, value: text === '' ? null : text }]
  })
