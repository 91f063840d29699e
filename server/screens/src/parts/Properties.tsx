import type { Json } from '../data/query'
import { LongText } from './LongText'

const show = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value))

/** Names and values of an object, such as an event's properties or a person's traits. */
export function Properties({ of, none = 'No properties.' }: { of: Json | undefined; none?: string }) {
  const entries = of && typeof of === 'object' && !Array.isArray(of) ? Object.entries(of) : []
  if (entries.length === 0) return <p class="soft">{none}</p>
  return (
    <dl class="properties">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <LongText text={show(value)} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
