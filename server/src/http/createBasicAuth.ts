import type { IncomingMessage } from 'node:http'
import { createSecretSet } from './createSecretSet.js'
import { Refusal } from './Refusal.js'

/** Refuses a request whose Basic credentials are missing or wrong; otherwise gives the user's name. */
export const createBasicAuth = (
  users: Readonly<Record<string, string>>,
): ((request: IncomingMessage) => string) => {
  const holds = createSecretSet(Object.entries(users).map(([name, password]) => `${name}:${password}`))
  return (request) => {
    const [scheme, encoded] = (request.headers.authorization ?? '').split(' ', 2)
    const pair =
      scheme?.toLowerCase() === 'basic' && encoded ? Buffer.from(encoded, 'base64').toString('utf8') : ''
    if (holds(pair)) return pair.slice(0, pair.indexOf(':'))
    const message =
      pair === ''
        ? 'Authentication required: send a user name and password by HTTP Basic.'
        : 'The user name or the password is wrong.'
    throw new Refusal(
      401,
      { error: 'unauthorized', message },
      { 'www-authenticate': 'Basic realm="waymark"' },
    )
  }
}
