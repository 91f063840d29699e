import type { BoardCard } from '../../data/saved'

/** The widths of a card, in sixths of the board. */
const widths = [2, 3, 4, 6]

/** `cards` with one at another place, as near as there is one. */
export function moveCard(cards: readonly BoardCard[], id: string, to: number): readonly BoardCard[] {
  const moved = cards.find((card) => card.id === id)
  if (!moved) return cards
  const others = cards.filter((card) => card !== moved)
  return others.toSpliced(Math.min(others.length, Math.max(0, to)), 0, moved)
}

/** The width beside one, or the same where there is none. */
export const widthBeside = (width: number, step: 1 | -1): number =>
  widths[widths.indexOf(width) + step] ?? width

/** `Wider: half of the board`. */
export const nameWidth = (width: number): string =>
  ({ 2: 'a third', 3: 'half', 4: 'two thirds', 6: 'all' })[width] ?? ''
