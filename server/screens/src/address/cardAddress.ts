import { filterParameter } from '../data/filters'
import type { ShownCard } from '../data/saved'
import { timeParameters } from './guestAddress'
import { changeSearch } from './location'
import { pickScope } from './scope'

/** What a card has of its own, or of its board. */
const parts = { time: timeParameters, segment: ['bots', 'anonymous', filterParameter] } as const
type Part = keyof typeof parts
const ofBoard = ['env', ...parts.time, ...parts.segment]

/** What a board keeps of an address, with its environment in any case. */
export const keptOf = (search: URLSearchParams, environment: string): URLSearchParams =>
  changeSearch(pickScope(search, ofBoard), { env: environment })

/** Whether a parameter of a card's address is that of its board. */
export const isOfBoard = (parameter: string, { own }: Pick<ShownCard, 'own'>): boolean =>
  (Object.keys(parts) as Part[]).some(
    (part) => !own.includes(part) && (parts[part] as readonly string[]).includes(parameter),
  )

const listOf = (names: readonly string[], search: URLSearchParams) =>
  Object.fromEntries(names.map((name) => [name, search.getAll(name)]))

/** The address at which a card is shown on a board. */
export function searchOnBoard({ search, own }: ShownCard, board: URLSearchParams): URLSearchParams {
  const taken = (Object.keys(parts) as Part[]).filter((part) => !own.includes(part))
  return changeSearch(
    new URLSearchParams(search),
    listOf(['env', ...taken.flatMap((part) => parts[part])], board),
  )
}

/** What a card keeps of an address, where it has some parts of its own. */
export const searchOfCard = (search: URLSearchParams, own: ShownCard['own']): string =>
  changeSearch(search, {
    env: undefined,
    ...Object.fromEntries(
      (Object.keys(parts) as Part[])
        .filter((part) => !own.includes(part))
        .flatMap((part) => parts[part].map((name) => [name, undefined])),
    ),
  }).toString()

/** In what an address differs from a board: a card from there keeps that. */
export const ownOf = (search: URLSearchParams, board: URLSearchParams): ShownCard['own'] =>
  (Object.keys(parts) as Part[]).filter(
    (part) => pickScope(search, parts[part]).toString() !== pickScope(board, parts[part]).toString(),
  )
