import type { IncomingMessage, ServerResponse } from 'node:http'
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { WriteError } from './HttpError.js'

export const userHeader = 'x-waymark-user'

export const answerPath = '/answer'
export const historyPath = '/history'
export const alertTestPath = '/alerts/test'

export const requestIdHeader = 'x-request-id'

/** An id of these characters cannot be mistaken for anything else in a log line or a header. */
const sane = /^[\w.:/+=@-]{1,128}$/

const known = new WeakMap<IncomingMessage, string>()

/** The id of a request: the one it was sent with if that is sane, otherwise a new one. Each call gives the same id. */
export const requestId = (request: IncomingMessage): string => {
  const before = known.get(request)
  if (before !== undefined) return before
  const sent = request.headers[requestIdHeader]
  const id = typeof sent === 'string' && sane.test(sent) ? sent : randomUUID()
  known.set(request, id)
  return id
}

export interface Reply {
  status: number
  body: unknown
  headers?: Readonly<Record<string, string>>
}

export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  /** The path as sent, without its query. */
  path: string
  /** The part after `?`, undecoded; empty when there is none. */
  search: string
  /** The values of `{x}` in the route's path, in order. */
  parameters: string[]
}

export interface Route {
  method: 'GET' | 'HEAD' | 'POST' | 'DELETE'
  /** A path such as `/tasks/{id}`: `{id}` matches one segment, and `{name...}` the whole rest. */
  path: string
  /** Resolves with a JSON reply, or with undefined when the route has written the response itself. */
  handle: (exchange: Exchange) => Promise<Reply | undefined>
  /** The form of its errors, where that is not the one of the lakehouse group. */
  writeError?: WriteError
  /** Whether requests come by the thousand, so that an answer without an error carries no header that can be spared. */
  isFrequent?: boolean
}

/**
 * Sends the parts that a generator gives; a client that leaves is no error. It always waits for the generator to end:
 * a stream can end while the next part is still being made, and DuckDB does not survive a connection that is closed
 * during a statement.
 */
export const sendParts = async (
  parts: AsyncGenerator<string | Buffer>,
  response: ServerResponse,
): Promise<void> => {
  try {
    await pipeline(Readable.from(parts), response)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  } finally {
    await parts.return(undefined)
  }
}
