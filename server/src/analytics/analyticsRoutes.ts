import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { DaySalt } from './DaySalt.js'
import { createSenderReader, readEnvironment, type FindCountry } from './createSenderReader.js'
import { HttpError, refuse, type WriteError, shorten } from '../http/HttpError.js'
import type { Reply, Route } from '../http/Route.js'
import { type ApiKeys, notBearer, readApiKey } from '../http/apiKeys.js'
import type { AddressOf } from '../http/behindProxy.js'
import { readBody } from '../http/readBody.js'
import { createFieldRewriter } from '../http/json/createFieldRewriter.js'
import { readSync, type Intake } from '../wal/Intake.js'
import type { EntryKind, Marks } from '../payloads/payloads.js'
import { nobodyLabel, partBySignature, partPayloads, publicLabel, unprovenLabel } from './proveIdentity.js'
import { payloadReader, type Payloads } from '../payloads/readPayloads.js'

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

interface Operation {
  path: string
  kind: EntryKind
  /** Whether its events are of visitors who are counted without consent. */
  isAnonymous?: true
}

const operations: readonly Operation[] = [
  { path: '/track', kind: 'track' },
  { path: '/identify', kind: 'identify' },
  { path: '/alias', kind: 'alias' },
  { path: '/anonymous', kind: 'track', isAnonymous: true },
]

interface AnalyticsRoutesOptions {
  environments: ReadonlySet<string>
  apiKeys: ApiKeys
  intake: Intake
  /** Counts the rows that are accepted, for the metrics. */
  accepted: Record<EntryKind, number>
  /** Keeps the newest refusal, and counts what is probably not meant, for whoever sets up a page. */
  noticed: Noticed
  daySalt: DaySalt
  /** The id of the plan that events and traits are compared with. @defaultValue they are not compared */
  plan?: () => string | undefined
  addressOf: AddressOf
  /** Reads who shares what the service can take: the network of a visitor, or of a proxy that is not trusted. */
  holderOf: AddressOf
  /** @defaultValue the country of the browser's time zone alone */
  findCountry?: FindCountry | undefined
  /** What a user's id must be signed with for a public key. @defaultValue none is asked for */
  identitySecret?: string
}

/** How one request asks. */
interface Asked {
  request: IncomingMessage
  /** The network that it comes from. */
  holder: string
  key: string
  sync: boolean
  /** Whether its key is one of a page whose users are to be signed. */
  isPublic: boolean
}

type Counted = Pick<Payloads, 'count' | 'body'>
/** Payloads, and what the log is to say of them. */
type Labelled = Counted & { target: string | undefined }

/** A request that was wrong, so that sending it again does not help. */
export interface Refusal {
  at: string
  code: string
  message: string
  /** The page's origin; null for a request of a program. */
  origin: string | null
}

/** What whoever sets up a page should know of the requests since the service started. */
export interface Noticed extends Marks {
  refused?: Refusal
}

/** Takes the ids out of payloads: those of a visitor who did not agree to be recognised reach no disk. */
const withoutIds = (body: Buffer): Buffer =>
  createFieldRewriter({
    fields: new Set(['distinct_id', 'anonymous_id', 'device_id', 'session_id']),
    rewrite: () => 'null',
  }).feed(body)

/** Adds a field to an object in JSON, before its others. */
const addField = (json: string | undefined, name: string, value: string | undefined): string | undefined =>
  value === undefined ? json : `{"${name}":"${value}"${json === undefined ? '}' : `,${json.slice(1)}`}`

const nobodys =
  'A user id is one that a bug gives, such as undefined, null or 0: all who get it would become one person.'

const isWrong = (error: unknown): error is HttpError =>
  error instanceof HttpError && error.status >= 400 && error.status < 500

/** `POST /track`, `/identify` and `/alias`, and `/anonymous` for the events of visitors who did not agree to be recognised. */
export const analyticsRoutes = ({
  environments,
  apiKeys,
  intake,
  accepted,
  noticed,
  daySalt,
  plan = () => undefined,
  addressOf,
  holderOf,
  findCountry,
  identitySecret = '',
}: AnalyticsRoutesOptions): Route[] => {
  const readSender = createSenderReader(findCountry)
  const note = ({ code, message }: HttpError, { origin }: IncomingHttpHeaders) => {
    const from = origin === undefined ? null : shorten(origin, 200)
    noticed.refused = { at: new Date().toISOString(), code, message, origin: from }
  }

  const accept = async (
    kind: EntryKind,
    { count, body, target }: Labelled,
    { sync, holder }: Asked,
  ): Promise<string> => {
    const record = { kind, count, receivedAtMs: Date.now(), body, ...(target && { target }) }
    const { taskId, deadLetter } = await intake.accept(record, sync, holder)
    accepted[kind] += count
    if (deadLetter !== undefined) {
      const { rows, reason } = deadLetter
      throw refuse(500, 'not-stored', `${rows} of ${count} could not be stored: ${reason}`)
    }
    return taskId
  }

  const admit = (request: IncomingMessage): string => {
    const holder = holderOf(request)
    try {
      intake.admit(holder)
    } catch (error) {
      // A proxy that is not trusted is refused for all of its visitors.
      addressOf(request)
      throw error
    }
    return holder
  }

  /** Adds the id that the visitor has for this day, which takes the place of all ids in the payloads. */
  const addVisitor = async (sender: string | undefined, request: IncomingMessage, of: string[]) => {
    const visitor = await daySalt.idOf([addressOf(request), request.headers['user-agent'] ?? '', ...of])
    return addField(sender, 'visitor', visitor)
  }

  /** The records of one request; several when a public key says who somebody is. */
  const recordsOf = async (
    { kind, isAnonymous }: Operation,
    { count, body }: Counted,
    { request, key, isPublic }: Asked,
  ): Promise<Labelled[]> => {
    if (kind === 'track') {
      const sender = readSender(request, body)
      const said = isAnonymous
        ? await addVisitor(sender, request, [key, readEnvironment(body)])
        : addField(sender, 'key', isPublic ? 'public' : undefined)
      return [{ count, body: isAnonymous ? withoutIds(body) : body, target: addField(said, 'plan', plan()) }]
    }
    if (kind === 'alias') return [{ count, body, target: isPublic ? unprovenLabel : undefined }]
    if (!isPublic) return [{ count, body, target: addField(undefined, 'plan', plan()) }]
    const { taken, others } = partBySignature(body, identitySecret)
    return [
      { ...taken, target: addField(publicLabel, 'plan', plan()) },
      { ...others, target: unprovenLabel },
    ].filter((part) => part.count > 0)
  }

  const store = async (operation: Operation, payloads: Payloads, asked: Asked): Promise<Reply> => {
    const { count, body, aside, marks } = payloads
    noticed.ids += marks.ids
    noticed.times += marks.times
    // Nothing of such a request would be used, and its sender should hear it.
    if (count > 0 && aside.length === count) throw refuse(400, 'invalid-user-id', nobodys)
    const nobodysAt = new Set(aside)
    const { taken, others } =
      aside.length > 0
        ? partPayloads(body, (_, at) => !nobodysAt.has(at))
        : { taken: { count, body }, others: undefined }
    const records = count > 0 ? await recordsOf(operation, taken, asked) : []
    if (others !== undefined) records.unshift({ ...others, target: nobodyLabel })
    let taskId: string | null = null
    for (const record of records) taskId = await accept(operation.kind, record, asked)
    const partly = aside.length > 0 && { rejected: aside.length, message: nobodys }
    // A client asks with an empty list whether this service counts without consent, before it sends what a visitor did.
    const marked = operation.isAnonymous && { anonymous: true }
    return { status: 200, body: { ok: true, task_id: taskId, error_code: null, ...partly, ...marked } }
  }

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
