import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { DaySalt } from '../anonymous/DaySalt.js'
import { createSenderReader, readEnvironment, type FindCountry } from './createSenderReader.js'
import { HttpError, refuse, type WriteError } from '../http/HttpError.js'
import type { Reply, Route } from '../http/Route.js'
import { type ApiKeys, notBearer, readApiKey } from '../http/apiKeys.js'
import { visitorAddress } from '../http/clientAddress.js'
import { LargeBodies } from '../http/LargeBodies.js'
import { readBody } from '../http/readBody.js'
import { shorten } from '../json/shorten.js'
import { readSync, type Intake } from '../wal/Intake.js'
import type { EntryKind } from './payloads.js'
import { payloadReader, type Payloads } from './readPayloads.js'

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
const operations: readonly { path: string; kind: EntryKind; isAnonymous?: true }[] = [
  { path: '/track', kind: 'track' },
  { path: '/identify', kind: 'identify' },
  { path: '/alias', kind: 'alias' },
  { path: '/anonymous', kind: 'track', isAnonymous: true },
]

export interface AnalyticsRoutesOptions {
  environments: ReadonlySet<string>
  apiKeys: ApiKeys
  intake: Intake
  /** Counts the rows that are accepted, for the metrics. */
  accepted: Record<EntryKind, number>
  /** Keeps the newest refusal, for whoever sets up a page. */
  refused: { newest?: Refusal }
  daySalt: DaySalt
  /** How many proxies in front name the visitor's address. */
  trustProxy: number
  /** @defaultValue the country of the browser's time zone alone */
  findCountry?: FindCountry | undefined
}

/** A request that was wrong, so that sending it again does not help. */
export interface Refusal {
  at: string
  code: string
  message: string
  /** The page's origin; null for a request of a program. */
  origin: string | null
}

const isWrong = (error: unknown): error is HttpError =>
  error instanceof HttpError && error.status >= 400 && error.status < 500

/** `POST /track`, `/identify` and `/alias`, and `/anonymous` for the events of visitors who did not agree to be recognised. */
export const analyticsRoutes = ({
  environments,
  apiKeys,
  intake,
  accepted,
  refused,
  daySalt,
  trustProxy,
  findCountry,
}: AnalyticsRoutesOptions): Route[] => {
  const largeBodies = new LargeBodies()
  const readSender = createSenderReader(findCountry)
  const note = ({ code, message }: HttpError, { origin }: IncomingHttpHeaders) => {
    const from = origin === undefined ? null : shorten(origin, 200)
    refused.newest = { at: new Date().toISOString(), code, message, origin: from }
  }

  /** Adds the id that the visitor has for this day, which takes the place of all ids in the payloads. */
  const addVisitor = async (sender: string | undefined, request: IncomingMessage, of: string[]) => {
    const address = visitorAddress(request, trustProxy)
    const visitor = await daySalt.idOf([address, request.headers['user-agent'] ?? '', ...of])
    return JSON.stringify({ ...(JSON.parse(sender ?? '{}') as object), visitor })
  }

  const store = async (
    { kind, isAnonymous }: (typeof operations)[number],
    { count, body }: Payloads,
    { request, sync, key }: { request: IncomingMessage; sync: boolean; key: string },
  ): Promise<Reply> => {
    // A client asks with an empty list whether this service counts without consent, before it sends what a visitor did.
    const answer = { ok: true, task_id: null, error_code: null, ...(isAnonymous && { anonymous: true }) }
    if (count === 0) return { status: 200, body: answer }
    const sender = kind === 'track' ? readSender(request, body) : undefined
    const target = isAnonymous ? await addVisitor(sender, request, [key, readEnvironment(body)]) : sender
    const record = { kind, count, receivedAtMs: Date.now(), body, ...(target && { target }) }
    const { taskId, deadLetter } = await intake.accept(record, sync)
    accepted[kind] += count
    if (deadLetter !== undefined) {
      const { rows, reason } = deadLetter
      throw refuse(500, 'not-stored', `${rows} of ${count} could not be stored: ${reason}`)
    }
    return { status: 200, body: { ...answer, task_id: taskId } }
  }

  return operations.map((operation) => {
    const { path, kind } = operation
    const readPayloads = payloadReader(kind, environments)
    const accept = async (request: IncomingMessage, search: string): Promise<Reply> => {
      const key = readApiKey(request.headers, search)
      if (key === undefined && request.headers.authorization !== undefined) throw notBearer()
      const writable = key === undefined ? undefined : apiKeys.find(key)
      if (key === undefined || writable === undefined) throw unauthorized(key)
      checkHeaders(request.headers)
      const sync = readSync(search)
      intake.admit()
      const large = largeBodies.begin(key, request.headers['content-length'])
      try {
        const sent = await readBody(request, maxBodyBytes, { grow: large?.grow })
        return await store(operation, await readPayloads(sent, writable), { request, sync, key })
      } finally {
        large?.end()
      }
    }
    return {
      method: 'POST',
      path,
      isFrequent: true,
      writeError: analyticsError,
      handle: ({ request, search }) =>
        accept(request, search).catch((error: unknown) => {
          if (isWrong(error)) note(error, request.headers)
          throw error
        }),
    }
  })
}
