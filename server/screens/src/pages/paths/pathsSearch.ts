import type { SearchChange } from '../../shell/location'
import { mostPages, type PathsQuestion } from './statements'

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
