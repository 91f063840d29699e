import { createContext } from 'preact'
import { useContext } from 'preact/hooks'

/** The name of the only card of its page that is shown: on a board, or in a frame of another site. */
export const OneCard = createContext<string | undefined>(undefined)

/** Whether a card is shown: one that is not asks nothing. */
export const useIsShown = (name: string | undefined): boolean => {
  const one = useContext(OneCard)
  return one === undefined || one === name
}
