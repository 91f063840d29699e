/** A reason not to start, in one sentence that a person can act on. */
export class StoreProblem extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'StoreProblem'
  }
}
