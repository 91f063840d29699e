import { createContext } from 'preact'
import { useContext, useEffect } from 'preact/hooks'
import { type Ask, keyOf } from './asks'

/** The card that asks: its name on the page, or its id on a board. */
export const AskingCard = createContext<string | undefined>(undefined)

const shown = new Map<object, { ask: Ask; card: string | undefined }>()

/** What the page, or one of its cards, shows by now: a link for guests may show the same. */
export const shownAsks = (card?: string): readonly Ask[] => [
  ...new Map(
    [...shown.values()]
      .filter((each) => card === undefined || each.card === card)
      .map(({ ask }) => [keyOf(ask), ask]),
  ).values(),
]

/** Counts an ask among those of the page, for as long as it is shown. */
export function useShown(ask: Ask | undefined, name?: string): void {
  const card = useContext(AskingCard) ?? name
  const key = keyOf(ask)
  useEffect(() => {
    if (ask === undefined) return
    const place = {}
    shown.set(place, { ask, card })
    return () => void shown.delete(place)
  }, [key, card])
}
