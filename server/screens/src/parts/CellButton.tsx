import type { ComponentChildren } from 'preact'
import { isFixed } from '../data/guest'

interface Props {
  /** What a click does, for the pointer over it. */
  title: string
  choose: () => void
  class?: string
  children: ComponentChildren
}

/** The name of a row, which is a button that filters by it; where filters cannot be changed, a text. */
export const CellButton = ({ title, choose, class: name = '', children }: Props) =>
  isFixed() ? (
    <span class={name}>{children}</span>
  ) : (
    <button type="button" class={`cell-button ${name}`} title={title} onClick={choose}>
      {children}
    </button>
  )
