import type { ComponentChildren } from 'preact'
import { isFixed } from '../data/guest'

/** The fields by which a page is asked. A guest of one page sees what was asked, and cannot change it. */
export const Question = ({ children }: { children: ComponentChildren }) => (
  <fieldset class="question" disabled={isFixed()}>
    {children}
  </fieldset>
)
