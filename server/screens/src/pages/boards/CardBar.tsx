import type { RefObject } from 'preact'
import type { BoardCard } from '../../data/saved'
import { searchOfCard } from '../../address/cardAddress'
import { useSearch } from '../../address/location'
import { nameWidth, widthBeside } from './arrange'

interface Props {
  card: BoardCard
  /** Is told a selector of the button that is pressed. */
  pressed: RefObject<string>
  move: (step: 1 | -1) => void
  change: (to: Partial<BoardCard>, what: string) => void
  remove: () => void
  /** Says which card is dragged; undefined where that ends. */
  drag: (id: string | undefined) => void
}

/** Above a card of a board that is arranged: what it is dragged by, and buttons that do the same and more. */
export function CardBar({ card, pressed, move, change, remove, drag }: Props) {
  const { id, title, width, own } = card
  // The address at which the card is shown.
  const [search] = useSearch()
  const resize = (step: 1 | -1) => {
    const next = widthBeside(width, step)
    change({ width: next }, `${title}: ${nameWidth(next)} of the width`)
  }
  const turnOwn = (part: 'time' | 'segment', what: string) => {
    const isOwn = !own.includes(part)
    const next = isOwn ? [...own, part] : own.filter((each) => each !== part)
    change(
      { own: next, search: searchOfCard(search, next) },
      `${title}: ${isOwn ? 'its own' : 'the board’s'} ${what}`,
    )
  }
  const button = (text: string, what: string, act: () => void, isPressed?: boolean) => (
    <button
      class="button quiet"
      type="button"
      data-tool={what}
      title={what}
      aria-label={`${what}: ${title}`}
      aria-pressed={isPressed}
      onClick={() => {
        pressed.current = `[data-card="${id}"] [data-tool="${what}"]`
        act()
      }}
    >
      {text}
    </button>
  )
  return (
    <div
      class="board-tools"
      role="group"
      aria-label={`Arrange ${title}`}
      draggable
      onDragStart={({ dataTransfer }) => {
        dataTransfer?.setData('text/plain', id)
        drag(id)
      }}
      onDragEnd={() => drag(undefined)}
    >
      <span class="board-grip soft" aria-hidden="true">
        ⠿
      </span>
      {button('←', 'Move left', () => move(-1))}
      {button('→', 'Move right', () => move(1))}
      {button('−', 'Narrower', () => resize(-1))}
      {button('+', 'Wider', () => resize(1))}
      {button('Own time', 'Own time', () => turnOwn('time', 'time'), own.includes('time'))}
      {button('Own filters', 'Own filters', () => turnOwn('segment', 'filters'), own.includes('segment'))}
      {button('Remove', 'Remove', remove)}
    </div>
  )
}
