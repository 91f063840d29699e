import type { Outcome, Tracked } from '../types'

/** What is known of a call; the promise is made when someone looks at it, and most never do. */
interface Slip extends Tracked {
  known?: Outcome
  promise?: Promise<Outcome>
  resolve?: (outcome: Outcome) => void
}

// One getter for all, and no closure for each: a call to `track` is counted in microseconds.
const shared = {
  get outcome() {
    const slip = this as unknown as Slip
    return (slip.promise ??= new Promise((resolve) => {
      slip.resolve = resolve
      if (slip.known) resolve(slip.known)
    }))
  },
}

export function createTracked(id: string): Tracked {
  const slip = Object.create(shared)
  slip.id = id
  return slip
}

/** Tells a caller what became of the call. */
export function settle(tracked: Tracked, outcome: Outcome) {
  const slip = tracked as Slip
  slip.known = outcome
  slip.resolve?.(outcome)
}
