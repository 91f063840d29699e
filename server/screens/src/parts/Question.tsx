import type { ComponentChildren } from 'preact'
import { useContext } from 'preact/hooks'
import { isFixed } from '../data/guest'
import { OneCard } from './oneCard'

/** The fields by which a page is asked. A guest of one page sees what was asked, and cannot change it; a card alone has none. */
export function Question({ children }: { children: ComponentChildren }) {
  if (useContext(OneCard) !== undefined) return null
  return (
    <fieldset class="question" disabled={isFixed()}>
      {children}
    </fieldset>
  )
}
