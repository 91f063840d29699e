import type { IncomingMessage, ServerResponse } from 'node:http'
import type { WriteError } from './HttpError.js'

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
  /** `/tasks/{id}`: a part in braces matches one path segment, and one such as `{name...}` all that is left. */
  path: string
  /** Resolves with a JSON reply, or with undefined when the route has written the response itself. */
  handle: (exchange: Exchange) => Promise<Reply | undefined>
  writeError: WriteError
}
