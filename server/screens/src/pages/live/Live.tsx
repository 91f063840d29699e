import { useMemo, useState } from 'preact/hooks'
import { whereOf } from '../../data/asks'
import { useScope } from '../../address/scope'
import { useSearch } from '../../address/location'
import { startOfDay } from '../../address/timeRange'
import { type LiveQuestion, askNewest, useLiveEvents } from './useLiveEvents'
import { useAnswer } from '../../data/useAnswer'
import { AnswerBody } from '../../parts/AnswerCard'
import { Card } from '../../parts/Card'
import { Chart } from '../../parts/Chart'
import type { Json } from '../../data/query'
import { usePolling } from '../../data/usePolling'
import { Loading, Empty, ProblemNote } from '../../parts/notes'
import { Moment } from '../../parts/Moment'
import { PersonLink } from '../../parts/cells'
import { Properties } from '../../parts/Properties'
import { Table } from '../../parts/Table'
import { useIsShown } from '../../parts/oneCard'
import { describeEvent } from '../persons/describeEvent'

/** The newest events, the newest first. */
function LiveEvents({ question, isPaused }: { question: LiveQuestion; isPaused: boolean }) {
  const { events, problem, reach } = useLiveEvents(question, isPaused)
  const [, setSearch] = useSearch()
  return (
    <Card name="newest" title="Newest events" ask={{ ...askNewest(question), reach }} class="live-events">
      {problem && <ProblemNote problem={problem} />}
      {!events && !problem && <Loading />}
      {events?.length === 0 && <Empty>No events yet. They come here as soon as a page sends some.</Empty>}
      {events && events.length > 0 && (
        <Table
          caption="Newest events"
          rows={events}
          rowKey={({ id }) => id}
          columns={[
            { title: 'Time', value: ({ time }) => <Moment time={time} show="recent" /> },
            {
              title: 'Event',
              value: ({ event, path, properties }) => (
                <>
                  <button
                    class="cell-button"
                    type="button"
                    title="Show only such events"
                    onClick={() => setSearch({ event })}
                  >
                    {event}
                  </button>{' '}
                  <span class="break">{describeEvent(event, properties)}</span>{' '}
                  <span class="soft break">{path}</span>
                </>
              ),
            },
            { title: 'Person', value: ({ personId, name }) => <PersonLink id={personId} name={name} /> },
            {
              title: 'Properties',
              value: ({ properties }) => (
                <details>
                  <summary>Show</summary>
                  <Properties of={properties} />
                </details>
              ),
            },
          ]}
        />
      )}
    </Card>
  )
}

/** A number that grows every so often while the page is looked at. */
function useTick(everyMs: number, isPaused: boolean): number {
  const [tick, setTick] = useState(0)
  const look = () => {
    if (!isPaused) setTick((before) => before + 1)
    return Promise.resolve()
  }
  usePolling(look, everyMs, [isPaused])
  return tick
}

/** Lines of rows `[minute, events, people]`, with 0 for the minutes that have no row. */
export function toMinutes(rows: readonly Json[][], minutes: number, now: Date) {
  const last = Math.floor(now.getTime() / 60_000) * 60
  const x = Array.from({ length: minutes }, (_, at) => last - (minutes - 1 - at) * 60)
  const figures = new Map(rows.map(([minute, ...rest]) => [Date.parse(String(minute)) / 1000, rest]))
  const read = (column: number) => x.map((time) => Number(figures.get(time)?.[column] ?? 0))
  return { x, events: read(0), people: read(1) }
}

const minutes = 30
const everyMs = 10_000
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })

/** Events and people of each of the last thirty minutes. */
function Minutes({ question, isPaused }: { question: LiveQuestion; isPaused: boolean }) {
  const tick = useTick(everyMs, isPaused)
  const ask = { name: 'minutes', ...question, minutes }
  const asked = useAnswer(ask, { askedAt: tick })
  const lines = useMemo(() => toMinutes(asked.answer?.rows ?? [], minutes, new Date()), [asked.answer])
  const series = useMemo(
    () => [
      { title: 'Events', values: lines.events },
      { title: 'People', values: lines.people },
    ],
    [lines],
  )
  // Each answer replaces the one before without a word: the loading line would come every ten seconds.
  const shown = asked.answer ? { ...asked, isLoading: false } : asked
  return (
    <Card name="minutes" title={`The last ${minutes} minutes`} ask={ask}>
      <AnswerBody asked={shown} empty="Nobody was here in the last half hour.">
        {() => (
          <Chart
            caption={`Events and people by the minute, of the last ${minutes} minutes`}
            x={lines.x}
            series={series}
            nameX={(time) => clock.format(time * 1000)}
            height={130}
          />
        )}
      </AnswerBody>
    </Card>
  )
}

/** What happens now. */
export function Live() {
  const { environment, bots, filters, now } = useScope()
  const [search, setSearch] = useSearch()
  const [isPaused, setPaused] = useState(false)
  const [hasMinutes, hasNewest] = [useIsShown('minutes'), useIsShown('newest')]
  const event = search.get('event')
  const segment = JSON.stringify(whereOf(filters))
  const question = useMemo<LiveQuestion>(
    () => ({
      environment,
      bots,
      event,
      // What people did before and the rest of a session are looked for each time.
      ...(filters.length > 0 && { where: whereOf(filters), from: startOfDay(now, -1).toISOString() }),
    }),
    [environment, bots, event, segment],
  )
  return (
    <>
      {hasMinutes && hasNewest && (
        <div class="filters">
          <button class="button" type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
            Pause
          </button>
          <span class="soft" role="status">
            {isPaused
              ? 'Paused. Events that come now are shown when you go on.'
              : `New events come by themselves${filters.length > 0 ? '; with a filter those of today and yesterday are shown' : ''}.`}
          </span>
          {event !== null && (
            <button class="button" type="button" onClick={() => setSearch({ event: undefined })}>
              <span class="soft">Only</span> {event} <span aria-hidden="true">×</span>
              <span class="visually-hidden">, remove this filter</span>
            </button>
          )}
        </div>
      )}
      {hasMinutes && <Minutes question={question} isPaused={isPaused} />}
      {hasNewest && <LiveEvents key={JSON.stringify(question)} question={question} isPaused={isPaused} />}
    </>
  )
}
