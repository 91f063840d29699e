import type { IncomingHttpHeaders } from 'node:http'
import { refuseByCode } from './refuseIngest.js'

/**
 * The key that a request presents. When it comes in several ways the first of `X-API-Key`,
 * `Authorization: Bearer`, `?apiKey=` counts, and a right key further down does not mend a wrong one.
 */
export const readApiKey = (headers: IncomingHttpHeaders, search: string): string | undefined => {
  const direct = headers['x-api-key']
  if (direct !== undefined) return String(direct)
  const { authorization } = headers
  if (authorization !== undefined) {
    const [scheme, token, ...rest] = authorization.trim().split(/\s+/)
    if (scheme?.toLowerCase() !== 'bearer' || token === undefined || rest.length > 0) {
      throw refuseByCode('invalid-headers', 'The Authorization header must read: Bearer <API key>.')
    }
    return token
  }
  return new URLSearchParams(search).get('apiKey') ?? undefined
}
