const maxKept = 1000

/** Why entries were set aside, by the sequence of their last row; the newest. */
export class DeadLetters {
  readonly #reasons = new Map<number, string>()

  add(sequence: number, reason: string): void {
    this.#reasons.set(sequence, reason)
    for (const old of this.#reasons.keys()) {
      if (this.#reasons.size <= maxKept) break
      this.#reasons.delete(old)
    }
  }

  get(sequence: number): string | undefined {
    return this.#reasons.get(sequence)
  }
}
