export const metrics = [
  { name: 'people', title: 'People' },
  { name: 'sessions', title: 'Sessions' },
  { name: 'page_views', title: 'Page views' },
  { name: 'events', title: 'Events' },
] as const

export type Metric = (typeof metrics)[number]['name']

export const readMetric = (search: URLSearchParams): Metric =>
  metrics.find(({ name }) => name === search.get('metric'))?.name ?? 'people'
