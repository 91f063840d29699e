/** What the service refused, or a stream that broke. A network failure keeps the error of `fetch`. */
export class LakehouseError extends Error {
  override name = 'LakehouseError'

  constructor(
    message: string,
    /** HTTP status; 200 for a stream that broke after it had begun. */
    readonly status: number,
    /** The service's short word for it, for example `invalid-sql`; empty when it gave none. */
    readonly code: string,
  ) {
    super(message)
  }
}

/** Reads an error in whatever form the answer has it. */
export function toError(status: number, body: unknown): LakehouseError {
  const { error, error_code, message, error_message } = (body ?? {}) as Record<string, unknown>
  const text = message ?? error_message
  // `error` is a word beside a text, and the text itself where it stands alone.
  const code = error_code ?? (text === undefined ? '' : error)
  return new LakehouseError(
    String(text ?? error ?? `The service answered ${status}.`),
    status,
    String(code ?? ''),
  )
}
