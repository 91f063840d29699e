import type { Outcome, Tracked } from './types'

/** What is known of a call; the promise is made when someone looks at it, and most never do. */
interface Slip extends Tracked {
  id: string
  known?: Outcome
  promise?: Promise<Outcome>
  resolve?: (outcome: Outcome) => void
}

// One getter for all: a getter of its own would cost each call a microsecond.
const shared = {
  get outcome() {
    const slip = this as unknown as Slip
    return (slip.promise ??= slip.known
      ? Promise.resolve(slip.known)
      : new Promise((resolve) => (slip.resolve = resolve)))
  },
}

/** What a call returns, and the function that tells it what became of the call. */
export function createTracked(): [Slip, (outcome: Outcome) => void] {
  const slip: Slip = Object.create(shared)
  slip.id = ''
  return [
    slip,
    (outcome) => {
      slip.known = outcome
      slip.resolve?.(outcome)
    },
  ]
}
