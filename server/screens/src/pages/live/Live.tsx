import { useMemo, useState } from 'preact/hooks'
import { useScope } from '../../shell/scope'
import { useSearch } from '../../shell/useSearch'
import { LiveEvents } from './LiveEvents'
import { Minutes } from './Minutes'
import type { LiveQuestion } from './useLiveEvents'

/** What happens now. */
export function Live() {
  const { environment, bots } = useScope()
  const [search, setSearch] = useSearch()
  const [isPaused, setPaused] = useState(false)
  const event = search.get('event')
  const question = useMemo<LiveQuestion>(() => ({ environment, bots, event }), [environment, bots, event])
  return (
    <>
      <div class="filters">
        <button class="button" type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          Pause
        </button>
        <span class="soft" role="status">
          {isPaused
            ? 'Paused. Events that come now are shown when you go on.'
            : 'New events come by themselves.'}
        </span>
        {event !== null && (
          <button class="button" type="button" onClick={() => setSearch({ event: undefined })}>
            <span class="soft">Only</span> {event} <span aria-hidden="true">×</span>
            <span class="visually-hidden">, remove this filter</span>
          </button>
        )}
      </div>
      <Minutes question={question} isPaused={isPaused} />
      <LiveEvents key={JSON.stringify(question)} question={question} isPaused={isPaused} />
    </>
  )
}
