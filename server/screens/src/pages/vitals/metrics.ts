import { formatDuration, formatMean } from '../../parts/format'

const formatMs = (ms: number): string => {
  if (ms < 1000) return `${Math.round(ms)} ms`
  return ms < 60_000 ? `${formatMean(ms / 1000)} s` : formatDuration(ms / 1000)
}

export const mostPages = 50
/** A 75th percentile of fewer measurements says little, so it is grey, and such pages come last. */
export const fewMeasurements = 30

/** In the order of the project web-vitals: first those that Google calls the core ones. */
export const vitals = [
  { name: 'LCP', title: 'Largest contentful paint', format: formatMs },
  { name: 'INP', title: 'Interaction to next paint', format: formatMs },
  { name: 'CLS', title: 'Layout shift', format: formatMean },
  { name: 'FCP', title: 'First contentful paint', format: formatMs },
  { name: 'TTFB', title: 'Time to first byte', format: formatMs },
] as const

export type Vital = (typeof vitals)[number]

export const readVital = (search: URLSearchParams): Vital =>
  vitals.find(({ name }) => name === search.get('vital')) ?? vitals[0]
