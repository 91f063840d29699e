/** Says why rows cannot be stored. `of` is `request` when the reason holds for all rows of the request. */
export class Unstorable extends Error {
  constructor(
    readonly of: 'request' | 'row',
    message: string,
  ) {
    super(message)
    this.name = 'Unstorable'
  }
}
