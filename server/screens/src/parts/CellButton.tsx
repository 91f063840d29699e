import type { ComponentChildren } from 'preact'

interface Props {
  /** What a click does, for the pointer over it. */
  title: string
  /** Undefined where it cannot be chosen. */
  choose: (() => void) | undefined
  class?: string
  children: ComponentChildren
}

/** The name of a row, which is a button that filters by it; where filters cannot be changed, a text. */
export const CellButton = ({ title, choose, class: name = '', children }: Props) =>
  choose ? (
    <button type="button" class={`cell-button ${name}`} title={title} onClick={choose}>
      {children}
    </button>
  ) : (
    <span class={name}>{children}</span>
  )
