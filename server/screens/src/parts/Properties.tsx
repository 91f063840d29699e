import type { Json } from '../data/query'
import { LongText } from './cells'

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

const most = 4
const longest = 60

const cut = (text: string) => (text.length > longest ? `${text.slice(0, longest)} …` : text)

/** Some traits of a person in a list of many. The person's own page has all of them in full. */
export function Traits({ of }: { of: Json | undefined }) {
  if (!of || typeof of !== 'object' || Array.isArray(of)) return null
  const traits = Object.entries(of).filter(([name]) => name !== 'name')
  if (traits.length === 0) return null
  return (
    <span class="traits">
      {traits.slice(0, most).map(([name, value]) => (
        <span key={name} class="break">
          <span class="soft">{cut(name)}:</span> {cut(show(value))}
        </span>
      ))}
      {traits.length > most && <span class="soft">{traits.length - most} more</span>}
    </span>
  )
}
