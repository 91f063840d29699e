import { formatCount, formatDuration } from '../../parts/format'
import { Moment } from '../../parts/Moment'
import { Properties } from '../../parts/Properties'
import { describeEvent } from './describeEvent'
import type { Visit } from './toVisits'

/** Without the protocol, which says nothing here. */
const shorten = (url: string | null) => url?.replace(/^https?:\/\//, '')

const seconds = (from: string | undefined, until: string | undefined) =>
  (Date.parse(until ?? '') - Date.parse(from ?? '')) / 1000

/** One session of a timeline: where it came from, how long it was, and its events, the newest first. */
export function VisitPart({ visit }: { visit: Visit }) {
  const { sessionId, events, source, agent, bot } = visit
  const [last, first] = [events[0], events.at(-1)]
  const details = [
    `${formatCount(events.length)} ${events.length === 1 ? 'event' : 'events'}`,
    formatDuration(seconds(first?.time, last?.time)),
    source && `from ${source}`,
    agent,
    bot && `bot: ${bot}`,
  ]
  return (
    <li class="visit">
      <h3>
        {sessionId === null ? 'Without a session' : <Moment time={first?.time ?? ''} />}
        <span class="soft visit-details"> {details.filter(Boolean).join(', ')}</span>
      </h3>
      <ol class="visit-events">
        {events.map(({ id, time, event, url, properties }) => (
          <li key={id}>
            <span class="soft">
              <Moment time={time} show={sessionId === null ? 'both' : 'clock'} />
            </span>
            <details>
              <summary>
                <b>{event}</b> <span class="break">{describeEvent(event, properties)}</span>{' '}
                <span class="soft break">{shorten(url)}</span>
              </summary>
              <Properties of={properties} none="No properties were sent." />
            </details>
          </li>
        ))}
      </ol>
    </li>
  )
}
