import { shorten } from '../json/shorten.js'
import { refuse } from './HttpError.js'

/** Refuses a query parameter that is unknown or comes twice: to ignore it would not do what its sender meant. */
export const checkParameters = (search: URLSearchParams, known: readonly string[]): void => {
  const seen = new Set<string>()
  for (const name of search.keys()) {
    const short = JSON.stringify(shorten(name))
    if (!known.includes(name)) {
      throw refuse(
        400,
        'invalid-parameter',
        `There is no parameter ${short} here; there are ${known.join(', ')}.`,
      )
    }
    if (seen.has(name)) throw refuse(400, 'invalid-parameter', `The parameter ${short} comes twice.`)
    seen.add(name)
  }
}
