import type { IncomingMessage, ServerResponse } from 'node:http'

export interface Reply {
  status: number
  body: unknown
  headers?: Record<string, string>
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

/** Resolves with a JSON reply, or with undefined when the route has written the response itself. */
export type Handle = (exchange: Exchange) => Promise<Reply | undefined>

export interface Route {
  method: 'GET' | 'POST' | 'DELETE'
  /** `/tasks/{id}`: a part in braces matches one path segment. */
  path: string
  handle: Handle
  /** How a failure that is no Refusal is told to this route's clients. */
  describeFailure: (message: string) => Record<string, unknown>
}
