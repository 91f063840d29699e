import { explainMissing } from '../archive/lookForMissing.js'
import { HttpError, refuse } from '../http/HttpError.js'
import { isDiskFailing, reasonOf } from '../OperatorError.js'
import { diskFailing } from '../disk/DiskRoom.js'
import { isFatal, isInvalidated } from '../duckdb/transactions.js'
import type { AskedStatement } from './Cancellation.js'
import type { Guarded } from './guard/Guard.js'
import { findQuoted, placeBefore } from './text/edits.js'

/** Called when DuckDB has given up, with the statement that it gave up at, where that is known. */
export type OnGivenUp = (reason: string, asked?: AskedStatement) => void

/**
 * The error for the client of a statement that met the end of the engine. The statement at which DuckDB gave up is
 * refused. Each other one is told to come again: the ingest process asks it again by itself if it only reads.
 */
export const givenUp = (error: Error, onGivenUp: OnGivenUp, asked?: AskedStatement): HttpError => {
  const reason = reasonOf(error)
  if (isInvalidated(error)) {
    onGivenUp(reason)
    return refuse(
      503,
      'engine-starting',
      'The query engine is being started again. Send again in a moment.',
      {
        'retry-after': '2',
      },
    )
  }
  onGivenUp(reason, asked)
  return refuse(
    400,
    'invalid-statement',
    `DuckDB has an error of its own at this statement and is started again (${reason}). Write it in another way.`,
  )
}

/** Makes the HttpError for SQL that is wrong, is not allowed, or failed while it ran. */
export const refuseStatement = (message: string, place?: number): HttpError => {
  const refused = refuse(400, 'invalid-statement', message)
  if (place !== undefined) refused.place = place
  return refused
}

/** Makes the HttpError for a statement at which DuckDB failed with this message: the disk may be at fault. */
export const refuseFailed = (message: string): HttpError =>
  // Other errors quote what users wrote, which may be any words.
  message.startsWith('IO Error') && isDiskFailing(message) ? diskFailing() : refuseStatement(message)

/** Makes the error of a statement that failed, with the place that the message quotes, in the statement as it was given. */
export const refuseAt = (message: string, { text, edits, tokens }: Guarded): HttpError => {
  const refused = refuseFailed(message)
  const quoted = findQuoted(text, message)
  const place = quoted === undefined ? undefined : placeBefore(edits, quoted + tokens[0]!.start)
  if (place !== undefined) refused.place = place
  return refused
}

/** Throws the error of a statement as one for its client. An error that ends the engine stays as it is. */
export const throwRefused = (error: unknown, guarded: Guarded): never => {
  throw error instanceof HttpError || isFatal(error) ? error : refuseAt(messageOf(error), guarded)
}

/** Makes the HttpError for a field of the request that is wrong. */
export const refuseField = (message: string): HttpError => refuse(400, 'invalid-request', message)

/** DuckDB cuts its quotes at a byte, which may leave half a character before the dots. */
const cutCharacter = /\uFFFD+(?=\.\.\.)/g

/** These say what to write instead, where DuckDB's own message does not. */
const advice: readonly (readonly [RegExp, string])[] = [
  [
    /^Conversion Error: Malformed JSON|json_extract(?:_string)?\(JSON, BOOLEAN\)/,
    "What `properties.name` or `->` gives is JSON, and a text that is compared with it must be JSON too. Compare as text: prop(properties, 'name') = 'value', or (properties->>'name') = 'value'.",
  ],
  [
    /^Binder Error: JSON path error/,
    "A key that begins with $ is taken for a JSON path. Write prop(properties, '$name'), or the path '$.\"$name\"'.",
  ],
]

const intoView =
  /^Binder Error: Can only (?:insert into|update|delete from) base table|^Catalog Error: .* is not an table$/
const viewsAreRead =
  'Views are for reading: no row can be inserted, changed or deleted through one. The rows of events and persons come from /track, /identify and /alias. Write to a table of your own instead: CREATE TABLE mine AS SELECT ….'

export const messageOf = (error: unknown): string => {
  const message = explainMissing(reasonOf(error))
    .replace(/^Failed to extract statements: /, '')
    .replaceAll(cutCharacter, '')
  if (intoView.test(message)) return viewsAreRead
  const found = advice.find(([pattern, text]) => pattern.test(message) && !message.endsWith(text))
  return found === undefined ? message : `${message}\n\n${found[1]}`
}

/** Corrects the line numbers in the message when the service has put one line before the user's SQL. */
export const messageOfSecondLine = (error: unknown): string =>
  messageOf(error).replaceAll(/^LINE (\d+):/gm, (_, line) => `LINE ${Number(line) - 1}:`)
