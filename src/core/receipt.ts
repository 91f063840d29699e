import type { Outcome, Tracked } from './types'

/** What a call returns. The promise is made when someone reads it, and most callers never do. */
// A class, so that all share one getter: a getter of its own would cost each call a microsecond.
export class Receipt implements Tracked {
  declare id: string
  declare known?: Outcome
  declare promise?: Promise<Outcome>
  declare resolve?: (outcome: Outcome) => void

  constructor() {
    // A field would bring three functions of the bundler's where the target is older than ES2022.
    this.id = ''
  }

  get outcome() {
    return (this.promise ??= new Promise((resolve) => {
      if (this.known) resolve(this.known)
      this.resolve = resolve
    }))
  }

  /** Tells the caller what became of the call. */
  settle(outcome: Outcome) {
    this.known = outcome
    this.resolve?.(outcome)
  }
}
