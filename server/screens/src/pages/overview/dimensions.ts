export interface Dimension {
  /** The column: the name of a `Field`, by which a row filters. */
  name: string
  title: string
  /** What is counted by it. */
  of: 'sessions' | 'page_views' | 'events'
  /** What a row without a value is called. */
  none: string
}

const session = (name: string, title: string, none: string): Dimension => ({
  name,
  title,
  of: 'sessions',
  none,
})

/** How many values a card has, and how many when more are shown. */
export const few = 10
export const many = 200

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
    dimensions: [session('country', 'Countries', '(unknown)'), session('language', 'Languages', '(unknown)')],
  },
]
