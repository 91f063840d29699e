import type { Outcome, Tracked } from './types'

/** What is known of a call; the promise is made when someone looks at it, and most never do. */
// A class, so that there is one getter for all: a getter of its own would cost each call a microsecond.
class Slip implements Tracked {
  id = ''
  declare known?: Outcome
  declare promise?: Promise<Outcome>
  declare resolve?: (outcome: Outcome) => void
  get outcome() {
    return (this.promise ??= new Promise((resolve) => {
      if (this.known) resolve(this.known)
      this.resolve = resolve
    }))
  }
}

/** What a call returns, and the function that tells it what became of the call. */
export const createTracked = (): [Slip, (outcome: Outcome) => void] => {
  const slip = new Slip()
  return [
    slip,
    (outcome) => {
      slip.known = outcome
      slip.resolve?.(outcome)
    },
  ]
}
