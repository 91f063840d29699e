import type { IncomingMessage, ServerResponse } from 'node:http'

const maxAgeSeconds = 86_400

/**
 * Lets a page of any origin read the answer, with credentials: a JSON `sendBeacon` is always
 * credentialed, and a browser drops it silently when the origin is answered by `*`.
 * Nothing rests on a cookie here, so an origin gains nothing by being allowed.
 */
export const applyCors = (request: IncomingMessage, response: ServerResponse): void => {
  const { origin } = request.headers
  response.setHeader('Vary', 'Origin')
  if (origin === undefined) return
  response.setHeader('Access-Control-Allow-Origin', origin)
  response.setHeader('Access-Control-Allow-Credentials', 'true')
  response.setHeader(
    'Access-Control-Expose-Headers',
    'Retry-After, Access-Control-Allow-Credentials, X-Waymark-Format, X-Query-Id, X-Session-Id',
  )
}

/** Answers a preflight. */
export const answerPreflight = (request: IncomingMessage, response: ServerResponse): void => {
  response.setHeader('Access-Control-Allow-Methods', 'GET, POST, DELETE')
  response.setHeader('Access-Control-Allow-Headers', 'content-type, x-api-key, authorization')
  response.setHeader('Access-Control-Max-Age', String(maxAgeSeconds))
  if (request.headers['access-control-request-private-network'] === 'true') {
    response.setHeader('Access-Control-Allow-Private-Network', 'true')
  }
  response.writeHead(204).end()
}
