import type { ComponentChildren } from 'preact'
import { addressOf } from '../address/location'
import { useScopeSearch } from '../address/scope'

interface Props {
  id: string
  name?: string
  /** By default the one that is shown. */
  environment?: string
}

/** A person's name, which leads to the person's timeline. Who did not consent is known for a day, and has none. */
export function PersonLink({ id, name = id, environment }: Props) {
  const scopeSearch = useScopeSearch()
  if (id.startsWith('day-'))
    return (
      <span class="soft" title={`${id}, an id of one day`}>
        without consent
      </span>
    )
  const search = scopeSearch({ id, ...(environment === undefined ? {} : { env: environment }) })
  return (
    <a class="person-link" href={addressOf('/app/persons', search)}>
      {name}
    </a>
  )
}

interface CellButtonProps {
  /** What a click does, for the pointer over it. */
  title: string
  /** Undefined where it cannot be chosen. */
  choose: (() => void) | undefined
  class?: string
  children: ComponentChildren
}

/** The name of a row, which is a button that filters by it; where filters cannot be changed, a text. */
export const CellButton = ({ title, choose, class: name = '', children }: CellButtonProps) =>
  choose ? (
    <button type="button" class={`cell-button ${name}`} title={title} onClick={choose}>
      {children}
    </button>
  ) : (
    <span class={name}>{children}</span>
  )

/** A longer text is opened by a click. */
const usual = 160

/** A text whose start is shown while it is closed. */
export function LongText({ text, most = usual }: { text: string; most?: number }) {
  if (text.length <= most) return <>{text}</>
  return (
    <details class="long-text">
      <summary>{text.slice(0, most)} …</summary>
      {text}
    </details>
  )
}
