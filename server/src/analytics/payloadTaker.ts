import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { DaySalt } from './DaySalt.js'
import { createSenderReader, openCountries, readEnvironment } from './createSenderReader.js'
import { HttpError, refuse, shorten } from '../http/HttpError.js'
import type { Reply } from '../http/Route.js'
import { createAddressOf, networkOf, warnOfProxies } from '../http/behindProxy.js'
import { createFieldRewriter } from '../http/json/createFieldRewriter.js'
import type { Logger } from '../Logger.js'
import type { CompleteOptions } from '../options/flags.js'
import type { Intake } from '../wal/Intake.js'
import type { EntryKind, Marks } from '../payloads/payloads.js'
import { nobodyLabel, partBySignature, partPayloads, publicLabel, unprovenLabel } from './proveIdentity.js'
import type { Payloads } from '../payloads/readPayloads.js'

/** What payloads are for. */
export interface Operation {
  kind: EntryKind
  /** Whether its events are of visitors who are counted without consent. */
  isAnonymous?: true
}

export interface TakerOptions extends Pick<CompleteOptions, 'trustProxy' | 'geoDatabase'> {
  intake: Intake
  /** Counts the rows that are accepted, for the metrics. */
  accepted: Record<EntryKind, number>
  /** Keeps the newest refusal, and counts what is probably not meant, for whoever sets up a page. */
  noticed: Noticed
  daySalt: DaySalt
  /** The id of the plan that events and traits are compared with. @defaultValue they are not compared */
  plan?: () => string | undefined
  logger: Logger
  /** What a user's id must be signed with for a public key. @defaultValue none is asked for */
  identitySecret?: string
}

/** How one request asks. */
export interface Asked {
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

export const isWrong = (error: unknown): error is HttpError =>
  error instanceof HttpError && error.status >= 400 && error.status < 500

/** Makes the one way by which checked payloads are accepted, whatever request they came in. */
export const payloadTaker = ({
  intake,
  accepted,
  noticed,
  daySalt,
  plan = () => undefined,
  trustProxy,
  geoDatabase,
  logger,
  identitySecret = '',
}: TakerOptions) => {
  const readAddress = createAddressOf(trustProxy)
  const addressOf = warnOfProxies(readAddress, trustProxy, logger)
  const readSender = createSenderReader(
    geoDatabase === '' ? undefined : openCountries(geoDatabase, addressOf),
  )
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
    // Who shares what the service can take: the network of a visitor, or of a proxy that is not trusted.
    const holder = networkOf(readAddress(request))
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

  return { note, admit, store }
}

export type PayloadTaker = ReturnType<typeof payloadTaker>
