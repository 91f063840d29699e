import type { IncomingHttpHeaders } from 'node:http'
import { refuseByCode } from './refuseIngest.js'

/** text/plain is what a beacon carries when a page cannot afford a preflight. */
const taken = ['application/json', 'text/plain']

export const checkHeaders = (headers: IncomingHttpHeaders): void => {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== undefined && !taken.includes(type)) {
    throw refuseByCode('invalid-headers', `Content-Type must be application/json, not ${type.slice(0, 80)}.`)
  }
  const encoding = headers['content-encoding']?.trim().toLowerCase()
  if (encoding !== undefined && encoding !== 'identity') {
    throw refuseByCode('invalid-headers', 'Content-Encoding is not supported: send plain JSON.')
  }
}
