import type { Json } from '../../data/query'
import type { Sql } from '../../data/sql'
import { Card } from '../../parts/Card'
import { formatCount } from '../../parts/format'
import { Moment } from '../../parts/Moment'
import { Properties } from '../../parts/Properties'

const few = 8

function Ids({ ids }: { ids: readonly string[] }) {
  const list = (some: readonly string[]) => (
    <ul class="ids">
      {some.map((id) => (
        <li key={id} class="code break">
          {id}
        </li>
      ))}
    </ul>
  )
  return (
    <>
      {list(ids.slice(0, few))}
      {ids.length > few && (
        <details>
          <summary>{formatCount(ids.length - few)} more</summary>
          {list(ids.slice(few))}
        </details>
      )}
    </>
  )
}

/** Name, traits, ids and times of a person: a row of `onePerson`. */
export function PersonCard({ row, statement }: { row: readonly Json[]; statement: Sql }) {
  const [id, name, traits, events, first, last, ids] = row
  return (
    <Card title={String(name)} statement={statement} class="person">
      <div class="person-parts">
        <div>
          <h3>Traits</h3>
          <Properties of={traits} none="No traits were sent." />
        </div>
        <div>
          <h3>Ids</h3>
          <Ids ids={Array.isArray(ids) ? ids.map(String) : [String(id)]} />
        </div>
        <dl class="person-times">
          <dt>Events</dt>
          <dd>{formatCount(Number(events))}</dd>
          <dt>First seen</dt>
          <dd>
            <Moment time={String(first)} />
          </dd>
          <dt>Last seen</dt>
          <dd>
            <Moment time={String(last)} />
          </dd>
        </dl>
      </div>
    </Card>
  )
}
