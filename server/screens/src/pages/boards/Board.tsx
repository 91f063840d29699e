import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useMayWrite } from '../../data/login'
import { toProblem } from '../../data/Problem'
import { type BoardCard, type Saved, save } from '../../data/saved'
import { shownAsks } from '../../data/shownAsks'
import { keptOf } from '../../address/cardAddress'
import { boardsPath } from '../../address/guestAddress'
import { addressOf, openPage, useSearch } from '../../address/location'
import { useScope, useScopeSearch } from '../../address/scope'
import { Empty } from '../../parts/notes'
import { ShareForm } from '../../shell/Links'
import type { Page } from '../../shell/Page'
import { moveCard } from './arrange'
import { BoardCell } from './BoardCell'
import { CardBar } from './CardBar'

/** A board while it is arranged. Nothing of it is kept before it is saved. */
interface Draft {
  title: string
  cards: readonly BoardCard[]
  /** The version that the board had when arranging began: it is saved only where nobody else has changed it meanwhile. */
  version: number
}

interface Props {
  board: Saved<'board'>
  pages: readonly Page[]
}

/** The asks of a card as it is drawn now; one that is not drawn keeps what it had. */
const withAsks = (card: BoardCard): BoardCard => {
  const asks = shownAsks(card.id)
  return asks.length > 0 ? { ...card, asks } : card
}

/** A board with its cards, and a way to arrange them. */
export function Board({ board: { name, value }, pages }: Props) {
  const [search] = useSearch()
  const scopeSearch = useScopeSearch()
  const { environment } = useScope()
  const mayWrite = useMayWrite()
  const [draft, setDraft] = useState<Draft>()
  const [said, setSaid] = useState('')
  const [message, setMessage] = useState('')
  const [isSharing, setSharing] = useState(false)
  const [dragged, setDragged] = useState<string>()
  const grid = useRef<HTMLDivElement>(null)
  /** Finds the button that was pressed last: a card that moves takes the focus with it. */
  const pressed = useRef('')
  const { title, cards } = draft ?? value

  useLayoutEffect(() => {
    if (pressed.current) grid.current?.querySelector<HTMLElement>(pressed.current)?.focus()
    pressed.current = ''
  }, [cards])

  const attempt = async (work: () => Promise<void>) => {
    setMessage('')
    try {
      await work()
    } catch (error) {
      setMessage(toProblem(error).message)
    }
  }
  const keep = ({ title: called, cards: kept, version }: Draft) =>
    attempt(async () => {
      const shown = { title: called.trim() || value.title, search: keptOf(search, environment).toString() }
      await save('board', { name, value: { ...shown, version: version + 1, cards: kept.map(withAsks) } })
      setDraft(undefined)
      setSaid('The board is saved.')
    })
  const remove = () =>
    attempt(async () => {
      await save('board', { name, value: null })
      openPage(addressOf(boardsPath, scopeSearch()))
    })

  const change = (next: readonly BoardCard[], what: string) => {
    if (!draft) return
    setDraft({ ...draft, cards: next })
    setSaid(what)
  }
  const changeCard = (card: BoardCard, to: Partial<BoardCard>, what = '') =>
    change(
      cards.map((each) => (each === card ? { ...card, ...to } : each)),
      what,
    )
  const move = (id: string, to: number) => {
    const next = moveCard(cards, id, to)
    const at = next.findIndex((card) => card.id === id)
    if (at < 0) return
    change(next, `${next[at]?.title}: place ${at + 1} of ${next.length}`)
  }

  return (
    <>
      <div class="board-head">
        {draft ? (
          <input
            aria-label="Name of the board"
            value={title}
            maxLength={120}
            onInput={({ currentTarget }) => setDraft({ ...draft, title: currentTarget.value })}
          />
        ) : (
          <h2>{title}</h2>
        )}
        <p class="buttons">
          {draft ? (
            <>
              <button class="button strong" type="button" onClick={() => void keep(draft)}>
                Save
              </button>
              <button class="button" type="button" onClick={() => setDraft(undefined)}>
                Cancel
              </button>
              <button class="button remove" type="button" onClick={() => void remove()}>
                Remove the board
              </button>
            </>
          ) : (
            <>
              {mayWrite && (
                <>
                  <button
                    class="button"
                    type="button"
                    onClick={() => setDraft({ title, cards, version: value.version })}
                  >
                    Arrange
                  </button>
                  <button
                    class="button"
                    type="button"
                    aria-haspopup="dialog"
                    onClick={() => setSharing(true)}
                  >
                    Share
                  </button>
                </>
              )}
              <a class="button quiet" href={addressOf(boardsPath, scopeSearch())}>
                All boards
              </a>
            </>
          )}
        </p>
      </div>
      {draft && (
        <p class="soft">
          Drag a card by its bar. Save keeps the time and filters above as the board’s, and what is chosen in
          each card.
        </p>
      )}
      {message && <p role="alert">{message}</p>}
      <p class="visually-hidden" role="status">
        {said}
      </p>
      {cards.length === 0 && (
        <Empty>
          Nothing is on this board yet. “Board” in the menu ⋯ of a card on another page puts it here.
        </Empty>
      )}
      <div ref={grid} class="board">
        {cards.map((card, at) => (
          <div
            key={card.id}
            data-card={card.id}
            class={`board-cell is-${card.width}${dragged === card.id ? ' is-dragged' : ''}`}
            // Where this is not prevented, nothing can be dropped.
            onDragOver={(event) => draft && event.preventDefault()}
            onDrop={(event) => {
              event.preventDefault()
              move(event.dataTransfer?.getData('text/plain') ?? '', at)
            }}
          >
            <BoardCell
              card={card}
              pages={pages}
              keep={draft && ((next) => changeCard(card, { search: next }))}
            >
              {draft && (
                <CardBar
                  card={card}
                  pressed={pressed}
                  move={(step) => move(card.id, at + step)}
                  change={(to, what) => changeCard(card, to, what)}
                  remove={() =>
                    change(
                      cards.filter((each) => each !== card),
                      `${card.title} is removed`,
                    )
                  }
                  drag={setDragged}
                />
              )}
            </BoardCell>
          </div>
        ))}
      </div>
      {isSharing && <ShareForm pages={pages} close={() => setSharing(false)} />}
    </>
  )
}
