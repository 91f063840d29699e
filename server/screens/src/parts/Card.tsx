import { type ComponentChildren, toChildArray } from 'preact'
import { useId } from 'preact/hooks'
import type { Ask } from '../data/asks'
import { isGuest } from '../data/guest'
import { useShown } from '../data/shownAsks'
import { ShowSql } from './ShowSql'
import { downloadAddress } from '../data/query'

/** A link that saves the rows behind a picture, under the title of its card. */
function CsvLink({ ask, of }: { ask: Ask; of: string }) {
  const address = downloadAddress(ask, 'csv', of)
  if (address === undefined) return null
  return (
    <a class="button quiet" href={address} download aria-label={`CSV: ${of}`}>
      CSV
    </a>
  )
}

interface Props {
  title: string
  /** What the button "SQL" shows, and the link "CSV" downloads. */
  ask?: Ask | undefined
  /** What the link downloads instead, where the picture leaves rows out. */
  whole?: Ask | undefined
  /** Beside the title: tabs, switches. */
  aside?: ComponentChildren
  class?: string
  /** A newer answer is on its way: what is there is dimmed. */
  isStale?: boolean
  children: ComponentChildren
}

/** A framed part of a page, with its title, its rows as a file, its SQL and what it shows. */
export function Card({ title, ask, whole = ask, aside, class: name = '', isStale = false, children }: Props) {
  const id = useId()
  useShown(ask)
  return (
    <section class={`card ${name}`} aria-labelledby={id}>
      <header class="card-head">
        <h2 id={id}>{title}</h2>
        {aside && <div class="card-aside">{aside}</div>}
        {ask && whole && !isGuest && (
          <div class="card-tools">
            <CsvLink ask={whole} of={title} />
            <ShowSql ask={ask} of={title} />
          </div>
        )}
      </header>
      <div class={isStale ? 'card-body is-stale' : 'card-body'} aria-busy={isStale}>
        {children}
      </div>
    </section>
  )
}

/** Cards in two columns, each as high as it is: in rows there would be holes beside short ones. The long ones come first. */
export function CardColumns({ children }: { children: ComponentChildren }) {
  const cards = toChildArray(children)
  return (
    <div class="card-columns">
      {[0, 1].map((side) => (
        <div key={side}>{cards.filter((_, at) => (at === 0 || at === 2 ? 0 : 1) === side)}</div>
      ))}
    </div>
  )
}
