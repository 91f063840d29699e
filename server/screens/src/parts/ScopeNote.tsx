import { describeFilter } from '../data/filters'
import { useScope } from '../address/scope'
import { nameDays } from './format'

/** Which time and which people a card that stands alone is of. */
export function ScopeNote({ of }: { of: readonly ('time' | 'segment')[] }) {
  const { range, filters, now } = useScope()
  const texts = [
    ...(of.includes('time') ? [range.name === 'custom' ? nameDays(range, now) : range.title] : []),
    ...(of.includes('segment') ? filters.map((each) => describeFilter(each)) : []),
  ]
  if (texts.length === 0) return null
  return <p class="soft scope-note">{texts.join(' · ')}</p>
}
