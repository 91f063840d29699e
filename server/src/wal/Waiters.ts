interface Waiter {
  sequence: number
  settle(reached: boolean): void
}

/** Those who wait until a sequence has been applied. */
export class Waiters {
  #waiters: Waiter[] = []

  get isEmpty(): boolean {
    return this.#waiters.length === 0
  }

  /** Resolves true once the sequence is reached, false when that took too long or will not be. */
  wait(sequence: number, withinMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => waiter.settle(false), withinMs)
      const waiter: Waiter = {
        sequence,
        settle: (reached) => {
          clearTimeout(timer)
          this.#waiters = this.#waiters.filter((each) => each !== waiter)
          resolve(reached)
        },
      }
      this.#waiters.push(waiter)
    })
  }

  reach(applied: number): void {
    if (this.isEmpty) return
    for (const waiter of this.#waiters.filter(({ sequence }) => sequence <= applied)) waiter.settle(true)
  }

  /** Nothing more will be reached. */
  end(): void {
    for (const waiter of this.#waiters) waiter.settle(false)
  }
}
