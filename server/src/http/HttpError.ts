/** The first characters of a text, for a message. No character is cut in half. */
export const shorten = (text: string, most = 60): string => {
  if (text.length <= most) return text
  const characters = [...text.slice(0, 2 * most + 1)]
  return characters.length > most ? `${characters.slice(0, most).join('')}…` : characters.join('')
}

/** A route throws it to answer with an error. Each group of routes writes errors in its own form. */
export class HttpError extends Error {
  /** Where in the statement the mistake is, where that is known. */
  place?: number

  constructor(
    readonly status: number,
    /** Names what is wrong, in a word that a program can compare. */
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

/** Makes the body of an error in the form of a group of routes. */
export type WriteError = (error: HttpError) => Record<string, unknown>

/** The form of errors in the lakehouse group, and of errors that belong to no route. */
export const lakehouseError: WriteError = ({ code, message }) => ({ error: code, message })

const appendCodes: Readonly<Record<string, string>> = {
  'invalid-data': 'invalid-data',
  'invalid-json': 'invalid-data',
  'unknown-target': 'invalid-data',
  'incompatible-schema': 'incompatible-schema',
}

/** The form of errors of `/append`. */
export const appendError: WriteError = ({ code, message }) => ({
  ok: false,
  task_id: null,
  error_code: appendCodes[code] ?? null,
  error: code,
  error_message: message,
  message,
})

/** The last line of a stream that broke off. Clients of this API show the text in `error`. */
export const brokenLine = ({ code, message }: HttpError, queryId: string): string =>
  `${JSON.stringify({ error: message, error_code: code, query_id: queryId })}\n`
