import { type ComponentChildren, toChildArray } from 'preact'
import { useContext, useId } from 'preact/hooks'
import type { Ask } from '../data/asks'
import { isGuest } from '../data/guest'
import { AskingCard, useShown } from '../data/shownAsks'
import { CardTools } from './CardTools'
import { useIsShown } from './oneCard'

interface Props {
  /** What the card is called among those of its page, so that a board or a frame can show it alone. */
  name?: string | undefined
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
export function Card(props: Props) {
  const { name, title, ask, whole = ask, aside, class: names = '', isStale = false, children } = props
  const id = useId()
  const asking = useContext(AskingCard) ?? name ?? id
  const isShown = useIsShown(name)
  useShown(isShown ? ask : undefined, asking)
  if (!isShown) return null
  return (
    <AskingCard.Provider value={asking}>
      <section class={`card ${names}`} aria-labelledby={id}>
        <header class="card-head">
          <h2 id={id}>{title}</h2>
          {aside && <div class="card-aside">{aside}</div>}
          {ask && whole && !isGuest && <CardTools {...{ name, title, asking, ask, whole }} />}
        </header>
        <div class={isStale ? 'card-body is-stale' : 'card-body'} aria-busy={isStale}>
          {children}
        </div>
      </section>
    </AskingCard.Provider>
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
