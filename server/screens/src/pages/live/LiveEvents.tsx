import { Card } from '../../parts/Card'
import { Empty } from '../../parts/Empty'
import { Loading } from '../../parts/Loading'
import { Moment } from '../../parts/Moment'
import { PersonLink } from '../../parts/PersonLink'
import { ProblemNote } from '../../parts/ProblemNote'
import { Properties } from '../../parts/Properties'
import { Table } from '../../parts/Table'
import { useSearch } from '../../shell/useSearch'
import { describeEvent } from '../persons/describeEvent'
import { askNewest, type LiveQuestion, useLiveEvents } from './useLiveEvents'

/** The newest events, the newest first. */
export function LiveEvents({ question, isPaused }: { question: LiveQuestion; isPaused: boolean }) {
  const { events, problem, reach } = useLiveEvents(question, isPaused)
  const [, setSearch] = useSearch()
  return (
    <Card title="Newest events" ask={{ ...askNewest(question), reach }} class="live-events">
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
