import type { ComponentChildren } from 'preact'
import { useErrorBoundary, useMemo, useRef, useState } from 'preact/hooks'
import type { ShownCard } from '../../data/saved'
import { AskingCard } from '../../data/shownAsks'
import { isOfBoard, searchOfCard, searchOnBoard } from '../../address/cardAddress'
import { changeSearch, PlaceContext, type SearchChange, usePlace } from '../../address/location'
import { ScopeProvider } from '../../address/scope'
import { OneCard } from '../../parts/oneCard'
import { ScopeNote } from '../../parts/ScopeNote'
import type { Page } from '../../shell/Page'

/** The one card of a page. What goes wrong in it is told in its place. */
function CardOfPage({ card, page }: { card: ShownCard; page: Page | undefined }) {
  const [error, again] = useErrorBoundary()
  if (error !== undefined)
    return (
      <p class="card" role="alert">
        “{card.title}” cannot be shown.{' '}
        <button class="button" type="button" onClick={again}>
          Try again
        </button>
      </p>
    )
  if (!page) return <p class="card">“{card.title}” is of a page that is not there any more.</p>
  const View = page.view
  return (
    <>
      <View pages={[]} />
      {/* Below a card it is hidden. */}
      <p class="card board-nothing">“{card.title}” has nothing to show.</p>
    </>
  )
}

interface Props {
  card: ShownCard
  pages: readonly Page[]
  /** Keeps what is chosen in the card; without it, that lasts as long as the page is shown. */
  keep?: ((search: string) => void) | undefined
  children?: ComponentChildren
}

/** A card of a board, at its own address: what it takes from the board is changed for the board. */
export function BoardCell({ card, pages, keep, children }: Props) {
  const board = usePlace()
  const [chosen, setChosen] = useState<string>()
  const own = keep ? card.search : (chosen ?? card.search)
  const search = useMemo(
    () => searchOnBoard({ ...card, search: own }, board.search),
    [card, own, board.search],
  )
  const newest = useRef(search)
  newest.current = search
  const setSearch = (change: SearchChange, options?: { replace?: boolean }) => {
    const entries = Object.entries(change)
    const ofBoard = entries.filter(([name]) => isOfBoard(name, card))
    const ofCard = entries.filter(([name]) => !isOfBoard(name, card))
    if (ofBoard.length > 0) board.setSearch(Object.fromEntries(ofBoard), options)
    if (ofCard.length === 0) return
    const next = searchOfCard(changeSearch(newest.current, Object.fromEntries(ofCard)), card.own)
    if (keep) keep(next)
    else setChosen(next)
  }
  return (
    <PlaceContext.Provider value={{ path: card.path, search, now: () => newest.current, setSearch }}>
      <AskingCard.Provider value={card.id}>
        <OneCard.Provider value={card.card}>
          <ScopeProvider>
            {children}
            <CardOfPage card={card} page={pages.find(({ path }) => path === card.path)} />
            <ScopeNote of={card.own} />
          </ScopeProvider>
        </OneCard.Provider>
      </AskingCard.Provider>
    </PlaceContext.Provider>
  )
}
