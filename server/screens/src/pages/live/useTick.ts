import { useState } from 'preact/hooks'
import { usePolling } from '../../data/usePolling'

/** A number that grows every so often while the page is looked at. */
export function useTick(everyMs: number, isPaused: boolean): number {
  const [tick, setTick] = useState(0)
  const look = () => {
    if (!isPaused) setTick((before) => before + 1)
    return Promise.resolve()
  }
  usePolling(look, everyMs, [isPaused])
  return tick
}
