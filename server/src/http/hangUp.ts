import type { Duplex } from 'node:stream'
import { lakehouseError, refuse, type HttpError } from './HttpError.js'
import { gaveUpCode } from './oneAtATime.js'

/** Twice Node's own limit, because a browser sends all cookies of a host, even those that its other ports have set. */
export const maxHeadBytes = 32 * 1024

const tooLarge = refuse(
  431,
  'headers-too-large',
  `The headers have more than ${maxHeadBytes / 1024} KiB. In a browser, delete the cookies of this host; other ports of the host have set some of them.`,
)
const tooSlow = refuse(408, 'headers-too-slow', 'The headers did not come in time.')
const unreadable = refuse(400, 'invalid-request', 'This cannot be read as HTTP.')

const refusals: Record<string, HttpError> = {
  HPE_HEADER_OVERFLOW: tooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: tooSlow,
}

/** Answers bytes that never became a request, and ends their connection. */
export const hangUp = ({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void => {
  // The connection ends with the answer that is under way.
  if (code === gaveUpCode) return
  // `_httpMessage` is Node's field for the answer that is being written. A client would read a second answer as a part of it.
  const { _httpMessage: written } = socket as { _httpMessage?: { headersSent: boolean } | null }
  if (!socket.writable || written?.headersSent === true) {
    socket.destroy()
    return
  }
  const refusal = refusals[code] ?? unreadable
  const body = JSON.stringify(lakehouseError(refusal))
  const head = [
    `HTTP/1.1 ${refusal.status} ${refusal.code}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}
