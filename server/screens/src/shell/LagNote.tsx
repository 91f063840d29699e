import { useState } from 'preact/hooks'
import { base } from '../data/base'
import { usePolling } from '../data/usePolling'
import { formatDuration } from '../parts/format'

const everyMs = 10_000
/** Accepted events are usually stored within 3 s. */
const lateSeconds = 5

/** Events that were accepted and are not in the figures yet: somebody who looks for them would miss them. */
export function LagNote() {
  const [seconds, setSeconds] = useState(0)
  usePolling(
    async (signal) => {
      try {
        const health = (await (await fetch(`${base}/healthz`, { signal })).json()) as { lag_seconds: number }
        setSeconds(health.lag_seconds)
      } catch {
        // The service is away, which the cards tell.
      }
    },
    everyMs,
    [],
  )
  if (!(seconds >= lateSeconds)) return null
  return (
    <span class="soft" role="status">
      Events of the last {formatDuration(Math.round(seconds))} are not stored yet
    </span>
  )
}
