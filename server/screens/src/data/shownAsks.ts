import { useEffect } from 'preact/hooks'
import { type Ask, keyOf } from './asks'

const shown = new Map<object, Ask>()

/** What the page shows by now: a link for guests may show the same. */
export const shownAsks = (): readonly Ask[] => [
  ...new Map([...shown.values()].map((ask) => [keyOf(ask), ask])).values(),
]

/** Counts an ask among those of the page, for as long as it is shown. */
export function useShown(ask: Ask | undefined): void {
  const key = keyOf(ask)
  useEffect(() => {
    if (ask === undefined) return
    const place = {}
    shown.set(place, ask)
    return () => void shown.delete(place)
  }, [key])
}
