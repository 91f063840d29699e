export type RefusalBody = Record<string, unknown> & { message: string }

/** An answer other than success, thrown by a route and written by the listener. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly body: RefusalBody,
    readonly headers: Record<string, string> = {},
  ) {
    super(body.message)
    this.name = 'Refusal'
  }
}
