import { type HttpError, refuse } from '../http/HttpError.js'
import { reasonOf } from '../reasonOf.js'
import { isInvalidated } from '../store/transactions.js'
import type { AskedStatement } from './Cancellation.js'

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
