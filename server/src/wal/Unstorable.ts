/** Says why rows cannot be stored; `of` the request where that holds for all of its rows. */
export class Unstorable extends Error {
  constructor(
    readonly of: 'request' | 'row',
    message: string,
  ) {
    super(message)
    this.name = 'Unstorable'
  }
}
