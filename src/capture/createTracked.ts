import type { Outcome, Tracked } from '../types'

/** What a call returns, and the function that settles it. The promise is made when it is first looked at. */
export function createTracked(id: string): [Tracked, (outcome: Outcome) => void] {
  let known: Outcome | undefined
  let resolve: ((outcome: Outcome) => void) | undefined
  let promise: Promise<Outcome> | undefined

  const tracked: Tracked = {
    id,
    get outcome() {
      return (promise ??= new Promise((done) => (known ? done(known) : (resolve = done))))
    },
  }
  return [
    tracked,
    (outcome) => {
      known = outcome
      resolve?.(outcome)
    },
  ]
}
