import type { Json } from '../../data/query'
import { formatDuration } from '../../parts/format'
import { vitals } from '../vitals/metrics'

/** What an event of a plugin says, in some words: a vital its name and value, an error its message. */
export function describeEvent(event: string, properties: Json): string {
  const of = properties && typeof properties === 'object' && !Array.isArray(properties) ? properties : {}
  const text = (name: string) => (of[name] === undefined || of[name] === null ? '' : String(of[name]))
  if (event === 'Web Vital') {
    const vital = vitals.find(({ name }) => name === text('name'))
    const value = vital ? vital.format(Number(text('value'))) : text('value')
    return [`${text('name')} ${value}`, text('rating').replace('-', ' ')].filter(Boolean).join(', ')
  }
  if (event === 'Error Caught') return [text('name'), text('message')].filter(Boolean).join(': ')
  if (event === 'Page Engaged' && text('visible_ms'))
    return `${formatDuration(Number(text('visible_ms')) / 1000)}, seen to ${text('scroll_percent')}%`
  return ''
}
