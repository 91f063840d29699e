interface Waiter {
  sequence: number
  settle(isReached: boolean): void
}

/** The waits for rows that are not applied yet. */
export class Waiters {
  #waiters: Waiter[] = []

  get isEmpty(): boolean {
    return this.#waiters.length === 0
  }

  /** Resolves true once the sequence is reached, false after `withinMs` or at the end. */
  wait(sequence: number, withinMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => waiter.settle(false), withinMs)
      const waiter: Waiter = {
        sequence,
        settle: (isReached) => {
          clearTimeout(timer)
          this.#waiters = this.#waiters.filter((each) => each !== waiter)
          resolve(isReached)
        },
      }
      this.#waiters.push(waiter)
    })
  }

  reach(applied: number): void {
    if (this.isEmpty) return
    for (const waiter of this.#waiters.filter(({ sequence }) => sequence <= applied)) waiter.settle(true)
  }

  /** Settles all waits: no further row will be reached. */
  end(): void {
    for (const waiter of this.#waiters) waiter.settle(false)
  }
}
