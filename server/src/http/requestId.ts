import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

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
