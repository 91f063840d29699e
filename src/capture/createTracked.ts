import type { Outcome, Tracked } from '../types'

/** What a call returns, and the function that tells it what became of the call. */
export function createTracked(id: string): [Tracked, (outcome: Outcome) => void] {
  let known: Outcome | undefined
  let resolve: ((outcome: Outcome) => void) | undefined
  let outcome: Promise<Outcome> | undefined
  return [
    {
      id,
      // Made when someone looks at it; most never do.
      get outcome() {
        return (outcome ??= known ? Promise.resolve(known) : new Promise((done) => (resolve = done)))
      },
    },
    (now) => {
      known = now
      resolve?.(now)
    },
  ]
}
