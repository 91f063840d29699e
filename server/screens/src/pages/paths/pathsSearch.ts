import { type Ask, type Asking, askOf } from '../../data/asks'
import type { SearchChange } from '../../address/location'

/** A folder with more pages than that is shown as one. */
export const mostChildren = 5
/** A page may lead to thousands of others. */
export const mostPages = { few: 7, many: 20 }

/** What the address asks. */
export interface PathsQuestion {
  /** Empty for the page on which each session begins. */
  start: string
  depth: number
  /** Patterns such as `/user/*`, whose pages are one. */
  fold: readonly string[]
  /** Folders such as `/maps/`, which are not folded by themselves. */
  open: readonly string[]
  /** The pages of each place that are shown; the others are one. */
  most: number
}

export const askPaths = (scope: Asking, { start, ...question }: PathsQuestion): Ask =>
  askOf('flows', scope, { start: start || undefined, ...question })

export const depths = [1, 2, 3, 4, 5, 6]
export const usualDepth = 3

/** What the address of the page asks. */
export const readPaths = (search: URLSearchParams): PathsQuestion => ({
  start: search.get('start') ?? '',
  depth: depths.find((each) => String(each) === search.get('depth')) ?? usualDepth,
  fold: search.getAll('fold').filter(Boolean),
  open: search.getAll('open').filter(Boolean),
  most: search.has('more') ? mostPages.many : mostPages.few,
})

/** A path as it was typed, with or without its first slash. */
export const toPath = (text: string): string => (!text || text.startsWith('/') ? text : `/${text}`)

/** A pattern as it was typed: a folder alone means all that is in it. */
export function toPattern(text: string): string | undefined {
  const path = toPath(text.trim())
  if (path.replace(/[/*]+$/, '') === '') return undefined
  return path.includes('*') ? path : `${path.replace(/\/$/, '')}/*`
}

/** The change that shows the pages of a name apart: of a pattern that was typed, or of a folder. */
export const openName = ({ fold, open }: PathsQuestion, name: string): SearchChange =>
  fold.includes(name)
    ? { fold: fold.filter((each) => each !== name) }
    : { open: [...open, name.replace(/\*$/, '')] }
