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
  /** A path such as `/tasks/{id}`: `{id}` matches one segment, and `{name...}` the whole rest. */
  path: string
  /** Resolves with a JSON reply, or with undefined when the route has written the response itself. */
  handle: (exchange: Exchange) => Promise<Reply | undefined>
  writeError: WriteError
  /** Whether requests come by the thousand, so that an answer without an error carries no header that can be spared. */
  isFrequent?: boolean
}
