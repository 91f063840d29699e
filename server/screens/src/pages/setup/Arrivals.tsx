import type { ComponentChildren } from 'preact'
import type { Setup } from '../../data/setup'
import { formatCount } from '../../parts/format'
import { Moment } from '../../parts/Moment'
import { addressOf } from '../../address/location'
import { useScopeSearch } from '../../address/scope'
import type { Arrival, Progress } from './readArrivals'

const From = ({ arrival }: { arrival: Arrival }) => (
  <>
    <strong>{arrival.event}</strong>
    {arrival.url && (
      <>
        {' '}
        from <span class="break">{arrival.url}</span>
      </>
    )}
    , <Moment time={arrival.receivedAt} show="recent" />
  </>
)

const Refused = ({ refused }: { refused: NonNullable<Progress['refused']> }) => (
  <p>
    A request {refused.origin ? `of a page of ${refused.origin}` : 'of a program'} was refused,{' '}
    <Moment time={refused.at} show="recent" />: {refused.message}
  </p>
)

/** What was taken, and is probably not what its sender means. */
const Marked = ({ ids, times }: Setup['marked']) => (
  <>
    {ids > 0 && (
      <p>
        Ids that only a bug gives, such as undefined, null or 0, since the service started: {formatCount(ids)}
        . They count as none, and an identify or alias with one is set aside.
      </p>
    )}
    {times > 0 && (
      <p>
        Times in seconds or microseconds, where milliseconds are read, since the service started:{' '}
        {formatCount(times)}. The column <code>timestamp_problem</code> of events marks them.
      </p>
    )}
  </>
)

/** What came by the SDKs of other programs, the newest first. */
const Senders = ({ senders }: Pick<Setup, 'senders'>) => (
  <>
    {senders.toReversed().map(({ sender, sdk, events, at }) => (
      <p key={`${sender} ${sdk}`}>
        By {sender}’s API{sdk && `, SDK ${sdk}`}: {formatCount(events)} since the service started, the newest{' '}
        <Moment time={at} show="recent" />.
      </p>
    ))}
  </>
)

const EnvironmentLink = ({ name }: { name: string }) => (
  <a href={addressOf('/app/setup', useScopeSearch()({ env: name }))}>Show {name}</a>
)

const lines: Record<Progress['state'], (progress: Progress, environment: string) => ComponentChildren> = {
  arrived: ({ arrival }) => <>Events arrive. The newest: {arrival && <From arrival={arrival} />}.</>,
  refused: () => 'Your page reaches the service, and what it sends is refused.',
  bots: ({ arrival }) => (
    <>
      Only bots have come so far: {arrival && <From arrival={arrival} />}. The figures leave bots out. A
      browser that a program drives is one, too, so open your page yourself, or switch “With bots” on in the
      overview.
    </>
  ),
  elsewhere: ({ arrival }, environment) => (
    <>
      The environment {environment} has no events, but {arrival?.environment} has some. The newest:{' '}
      {arrival && <From arrival={arrival} />}. <EnvironmentLink name={arrival?.environment ?? ''} />, or take{' '}
      <code>data-environment</code> out of the page.
    </>
  ),
  waiting: () => 'Waiting for the first event. Open your page; this line changes by itself.',
}

interface Props {
  progress: Progress
  marked: Setup['marked']
  senders: Setup['senders']
  environment: string
}

/** Whether events come, where from, and what is in their way. */
export function Arrivals({ progress, marked, senders, environment }: Props) {
  const { state, arrival, refused } = progress
  const scopeSearch = useScopeSearch()
  return (
    <div class={`arrivals is-${state}`} role="status">
      <p>{lines[state](progress, environment)}</p>
      {refused && <Refused refused={refused} />}
      <Senders senders={senders} />
      <Marked {...marked} />
      {state === 'arrived' && (
        <p>
          <a href={addressOf('/app/alerts', scopeSearch({ new: 'silence' }))}>Alert me when events stop</a>
        </p>
      )}
      {state === 'arrived' && arrival?.lacksCampaigns && (
        <p>
          An address has <code>utm_source</code>, but no event has a campaign. Add the plugin{' '}
          <code>campaign</code>, as in the snippet.
        </p>
      )}
    </div>
  )
}
