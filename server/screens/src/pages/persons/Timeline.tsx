import { useMemo } from 'preact/hooks'
import { useAnswer } from '../../data/useAnswer'
import { AnswerCard } from '../../parts/AnswerCard'
import { formatCount, formatDuration } from '../../parts/format'
import { useScope } from '../../address/scope'
import { useSearch } from '../../address/location'
import { askEvents, listOffers, type Offer, readEventChoice, toSearch, toValue } from './eventChoice'
import type { KnownPerson } from './readPerson'
import { toVisits, type Visit } from './toVisits'
import { Moment } from '../../parts/Moment'
import { Properties } from '../../parts/Properties'
import { describeEvent } from './describeEvent'

/** Without the protocol, which says nothing here. */
const shorten = (url: string | null) => url?.replace(/^https?:\/\//, '')

const seconds = (from: string | undefined, until: string | undefined) =>
  (Date.parse(until ?? '') - Date.parse(from ?? '')) / 1000

/** One session of a timeline: where it came from, how long it was, and its events, the newest first. */
function VisitPart({ visit }: { visit: Visit }) {
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

const step = 200
const most = 10_000

/** Chooses events by their kind or name. */
function EventSelect({ person }: { person: KnownPerson }) {
  const { environment, now } = useScope()
  const [search, setSearch] = useSearch()
  const ask = { name: 'person_events', environment, person: person.personId, ids: person.ids }
  const { answer } = useAnswer(ask, { askedAt: now })
  const { all, kinds, names } = useMemo(() => listOffers(answer?.rows ?? []), [answer])
  const value = toValue(readEventChoice(search))
  const isListed = [...kinds, ...names].some((each) => each.value === value)
  const group = (title: string, offers: readonly Offer[]) =>
    offers.length > 0 && (
      <optgroup label={title}>
        {offers.map((offer) => (
          <option key={offer.value} value={offer.value}>
            {offer.title} ({formatCount(offer.times)})
          </option>
        ))}
      </optgroup>
    )
  return (
    <label class="field">
      <span class="field-name">Show</span>
      <select
        value={value}
        onChange={({ currentTarget }) => setSearch(toSearch(currentTarget.value), { replace: true })}
      >
        <option value="">All events ({formatCount(all)})</option>
        {value && !isListed && <option value={value}>{value.replace(/^\w+ /, '')}</option>}
        {group('Kinds', kinds)}
        {group('Names', names)}
      </select>
    </label>
  )
}

/** What a person did, session by session, the newest first. */
export function Timeline({ person }: { person: KnownPerson }) {
  const { environment } = useScope()
  const [search, setSearch] = useSearch()
  const limit = Math.min(most, Math.max(step, Math.trunc(Number(search.get('rows'))) || 0))
  const chosen = toValue(readEventChoice(search))
  const ask = {
    ...{ name: 'timeline', environment, person: person.personId, ids: person.ids, most: limit },
    ...askEvents(readEventChoice(search)),
  }
  return (
    <AnswerCard
      title="Timeline"
      ask={ask}
      aside={<EventSelect person={person} />}
      empty={chosen ? 'This person has no such event.' : 'Only traits of this person were sent, no events.'}
    >
      {(answer) => (
        <>
          <ol class="visits">
            {toVisits(answer).map((visit) => (
              <VisitPart key={visit.sessionId} visit={visit} />
            ))}
          </ol>
          {answer.rows.length === limit && (
            <p class="soft">
              The newest {formatCount(limit)} are shown.{' '}
              {limit < most ? (
                <button
                  class="button"
                  type="button"
                  onClick={() => setSearch({ rows: String(limit * 2) }, { replace: true })}
                >
                  Show earlier ones
                </button>
              ) : (
                'A higher LIMIT in the SQL gives more.'
              )}
            </p>
          )}
        </>
      )}
    </AnswerCard>
  )
}
