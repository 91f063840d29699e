import type { Ask } from '../../data/asks'
import { Card } from '../../parts/Card'
import { formatCount } from '../../parts/format'
import { Moment } from '../../parts/Moment'
import { Properties } from '../../parts/Properties'
import type { KnownPerson } from './readPerson'

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

/** Name, traits, ids and times of a person. */
export function PersonCard({ person, ask, isStale }: { person: KnownPerson; ask: Ask; isStale: boolean }) {
  const { name, traits, ids, events, firstSeen, lastSeen } = person
  return (
    <Card title={name} ask={ask} class="person" isStale={isStale}>
      <div class="person-parts">
        <div>
          <h3>Traits</h3>
          <Properties of={traits} none="No traits were sent." />
        </div>
        <div>
          <h3>Ids</h3>
          <Ids ids={ids} />
        </div>
        <dl class="person-times">
          <dt>Events</dt>
          <dd>{formatCount(events)}</dd>
          <dt>First seen</dt>
          <dd>
            <Moment time={firstSeen} />
          </dd>
          <dt>Last seen</dt>
          <dd>
            <Moment time={lastSeen} />
          </dd>
        </dl>
      </div>
    </Card>
  )
}
