import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isWrong, type Operation, type PayloadTaker } from './payloadTaker.js'
import { refuse, type WriteError, shorten } from '../http/HttpError.js'
import type { Reply, Route } from '../http/Route.js'
import { type ApiKeys, notBearer, readApiKey } from '../http/apiKeys.js'
import { readBody } from '../http/readBody.js'
import { readSync } from '../wal/Intake.js'
import { payloadReader } from '../payloads/readPayloads.js'

/** A beacon is sent as text/plain when a page has no time for a preflight. */
const bodyTypes = ['application/json', 'text/plain']

const checkHeaders = (headers: IncomingHttpHeaders): void => {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== undefined && !bodyTypes.includes(type)) {
    throw refuse(400, 'invalid-headers', `Content-Type must be application/json, not ${shorten(type)}.`)
  }
  const encoding = headers['content-encoding']?.trim().toLowerCase()
  if (encoding !== undefined && encoding !== 'identity') {
    throw refuse(400, 'invalid-headers', 'Content-Encoding is not supported: send plain JSON.')
  }
}

/** The error codes of the contract. For any other code `error_code` stays null, and `error` holds the code. */
const contractCodes: ReadonlySet<string> = new Set([
  'environment-not-found',
  'invalid-headers',
  'unknown-built-in-property',
  'event-name-too-long',
  'property-name-too-long',
  'trait-name-too-long',
])

/** The form of errors in the analytics group. */
const analyticsError: WriteError = ({ code, message }) => ({
  ok: false,
  task_id: null,
  ...(contractCodes.has(code) ? { error_code: code } : { error_code: null, error: code }),
  message,
})

const unauthorized = (key: string | undefined) =>
  refuse(
    401,
    'unauthorized',
    key === undefined
      ? 'Authentication required: send the API key as X-API-Key, as Authorization: Bearer, or as ?apiKey=.'
      : 'The API key is wrong.',
  )

const maxBodyBytes = 16 * 1_048_576

const operations: readonly (Operation & { path: string })[] = [
  { path: '/track', kind: 'track' },
  { path: '/identify', kind: 'identify' },
  { path: '/alias', kind: 'alias' },
  { path: '/anonymous', kind: 'track', isAnonymous: true },
]

interface AnalyticsRoutesOptions extends PayloadTaker {
  environments: ReadonlySet<string>
  apiKeys: ApiKeys
  /** What a user's id must be signed with for a public key. @defaultValue none is asked for */
  identitySecret?: string
}

/** `POST /track`, `/identify` and `/alias`, and `/anonymous` for the events of visitors who did not agree to be recognised. */
export const analyticsRoutes = ({
  environments,
  apiKeys,
  identitySecret = '',
  note,
  admit,
  store,
}: AnalyticsRoutesOptions): Route[] => {
  /** A page whose `endpoint` has a path too many must be able to read why, and whoever sets it up, too. */
  const misplaced = operations.map(({ path }): Route => ({
    method: 'POST',
    path: `/{base...}${path}`,
    writeError: analyticsError,
    handle({ request, path: asked }) {
      const wrong = shorten(asked, 200)
      const error = refuse(
        404,
        'not-found',
        `A page asks for ${wrong}, which is not there; ${path} is. Look at its endpoint.`,
      )
      note(error, request.headers)
      return Promise.reject(error)
    },
  }))
  const placed = operations.map((operation): Route => {
    const { path, kind } = operation
    const readOfPages = payloadReader(kind, environments)
    const readOfServers = payloadReader(kind, environments, true)
    const take = async (request: IncomingMessage, search: string): Promise<Reply> => {
      const key = readApiKey(request.headers, search)
      if (key === undefined && request.headers.authorization !== undefined) throw notBearer()
      const writable = key === undefined ? undefined : apiKeys.find(key)
      if (key === undefined || writable === undefined) throw unauthorized(key)
      checkHeaders(request.headers)
      const isPublic = identitySecret !== '' && apiKeys.isPublic(key)
      const sync = readSync(search)
      const holder = admit(request)
      const sent = await readBody(request, maxBodyBytes, { holder: key })
      const asked = { request, holder, key, sync, isPublic }
      const readPayloads = apiKeys.isPublic(key) ? readOfPages : readOfServers
      return store(operation, await readPayloads(sent, writable), asked)
    }
    return {
      method: 'POST',
      path,
      isFrequent: true,
      writeError: analyticsError,
      handle: ({ request, search }) =>
        take(request, search).catch((error: unknown) => {
          if (isWrong(error)) note(error, request.headers)
          throw error
        }),
    }
  })
  return [...placed, ...misplaced]
}
