import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export const requestIdHeader = 'x-request-id'

/** What a log line and a header can hold without being taken for anything else. */
const sane = /^[\w.:/+=@-]{1,128}$/

const known = new WeakMap<IncomingMessage, string>()

/** The id that a request was sent with, when it is a sane one, else a new one; the same for each call. */
export const requestId = (request: IncomingMessage): string => {
  const before = known.get(request)
  if (before !== undefined) return before
  const sent = request.headers[requestIdHeader]
  const id = typeof sent === 'string' && sane.test(sent) ? sent : randomUUID()
  known.set(request, id)
  return id
}
