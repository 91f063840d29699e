/** An answer other than success, thrown by a route. Each group of routes writes it in its own form. */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    /** What is wrong, in a word that a program can compare. */
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.name = 'HttpError'
  }
}

export const refuse = (
  status: number,
  code: string,
  message: string,
  headers?: Readonly<Record<string, string>>,
): HttpError => new HttpError(status, code, message, headers)

/** How a group of routes writes an error in a body. */
export type WriteError = (error: HttpError) => Record<string, unknown>

/** The form of the lakehouse group, and of every answer that belongs to no route. */
export const lakehouseError: WriteError = ({ code, message }) => ({ error: code, message })

/** The last line of a stream that broke: clients of this API read `error` as the text. */
export const brokenLine = ({ code, message }: HttpError, queryId: string): string =>
  `${JSON.stringify({ error: message, error_code: code, query_id: queryId })}\n`
