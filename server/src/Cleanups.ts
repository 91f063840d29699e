type Cleanup = () => unknown

/** Undoes the steps of a start, the newest first, when the start fails or the service ends. */
export class Cleanups {
  #cleanups: Cleanup[] = []

  add(cleanup: Cleanup): void {
    this.#cleanups.push(cleanup)
  }

  async run(): Promise<void> {
    const all = this.#cleanups.toReversed()
    this.#cleanups = []
    for (const cleanup of all) await cleanup()
  }
}
