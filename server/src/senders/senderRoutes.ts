import type { IncomingMessage } from 'node:http'
import { isWrong, type Operation, type PayloadTaker } from '../analytics/payloadTaker.js'
import type { ApiKeys } from '../http/apiKeys.js'
import { baseOf } from '../http/behindProxy.js'
import { isByHttps } from '../http/headers.js'
import { HttpError, refuse, shorten } from '../http/HttpError.js'
import type { Exchange, Reply, Route } from '../http/Route.js'
import type { EntryKind } from '../payloads/payloads.js'
import { payloadReader, type Payloads } from '../payloads/readPayloads.js'
import { readSync } from '../wal/Intake.js'
import { readAsked } from './readAsked.js'
import { amplitude } from './amplitude.js'
import { ga4 } from './ga4.js'
import { mixpanel } from './mixpanel.js'
import { otlp } from './otlp.js'
import { plausible } from './plausible.js'
import { posthog } from './posthog.js'
import { snowplow } from './snowplow.js'
import { segment } from './segment.js'
import {
  type Answer,
  type Asked,
  type Fields,
  fieldsOf,
  type Message,
  type Sender,
  textOf,
} from './Sender.js'
import { umami } from './umami.js'
import { type SenderName, type SenderChoice } from './senderChoice.js'

/** Each is at the path of its name: a body of another program never comes to the contract's own endpoints. */
const senders: Readonly<Record<SenderName, Sender>> = {
  segment,
  posthog,
  mixpanel,
  amplitude,
  plausible,
  umami,
  ga4,
  snowplow,
  otlp,
}

/** What Set up tells of events that came by another program's SDK. */
export interface Arrived {
  sender: string
  sdk: string
  events: number
  at: string
}

/** More SDKs than a site has. */
const mostArrived = 50

interface SenderRoutesOptions extends PayloadTaker {
  environments: ReadonlySet<string>
  apiKeys: ApiKeys
  senders: SenderChoice
  identitySecret: string
  /** What came since the service started, by sender and SDK. */
  arrived: Map<string, Arrived>
}

/** Messages of one kind that come after each other. */
type Run = Operation & { messages: Message[] }

const toRuns = (messages: readonly Message[]): Run[] => {
  const runs: Run[] = []
  for (const message of messages) {
    const { kind, isAnonymous } = message
    const last = runs.at(-1)
    if (last?.kind === kind && last.isAnonymous === isAnonymous) last.messages.push(message)
    else runs.push({ kind, ...(isAnonymous && { isAnonymous }), messages: [message] })
  }
  return runs
}

/** Finds the one environment that a key writes to, in a request that names none. */
const environmentOf = (writable: ReadonlySet<string>, title: string): string => {
  const [environment, ...others] = writable
  if (environment !== undefined && others.length === 0) return environment
  throw refuse(
    403,
    'environment-not-allowed',
    `A request of ${title} names no environment, and this key writes to ${[...writable].join(', ') || 'none'}: make a key for one.`,
  )
}

const sdkOf = (messages: readonly Message[], { headers }: Asked): string => {
  const { $lib, $lib_version: version } = fieldsOf(
    messages.find(({ kind }) => kind === 'track')?.payload['properties'],
  )
  const named = [textOf($lib) ?? [], textOf(version) ?? []].flat().join(' ')
  return shorten(named || (headers['user-agent'] ?? ''), 60)
}

/** `POST /segment/v1/batch` and the like: what the SDKs of other programs send, in the words of this API. */
export const senderRoutes = ({
  environments,
  apiKeys,
  senders: { on, keys },
  identitySecret,
  arrived,
  note,
  admit,
  store,
}: SenderRoutesOptions): Route[] => {
  const readers = Object.fromEntries(
    (['track', 'identify', 'alias'] as const).map((kind) => [kind, payloadReader(kind, environments, true)]),
  ) as Record<EntryKind, ReturnType<typeof payloadReader>>

  const noteArrival = (title: string, sdk: string, events: number) => {
    const name = `${title}\n${sdk}`
    const before = arrived.get(name)
    arrived.delete(name)
    if (arrived.size === mostArrived) arrived.delete(arrived.keys().next().value!)
    arrived.set(name, {
      sender: title,
      sdk,
      events: (before?.events ?? 0) + events,
      at: new Date().toISOString(),
    })
  }

  /** Reads payloads of one kind; when one is wrong, each by itself, so that it takes no other with it. */
  const check = async ({ kind, messages }: Run, environment: string, refused: HttpError[]) => {
    const writable = new Set([environment])
    const readSome = async (some: readonly Message[]): Promise<Payloads> => {
      const payloads: Fields[] = some.map(({ payload }) => ({ environment, ...payload }))
      return readers[kind](Buffer.from(JSON.stringify(payloads)), writable)
    }
    try {
      return await readSome(messages)
    } catch (error) {
      if (!isWrong(error)) throw error
    }
    const good: Message[] = []
    for (const message of messages) {
      try {
        await readSome([message])
        good.push(message)
      } catch (error) {
        if (!isWrong(error)) throw error
        const why = error.message.replace(/^(?:track|identify|alias) 0: |^\/0\//, '')
        refused.push(refuse(error.status, error.code, `${message.at}: ${why}`))
      }
    }
    return readSome(good)
  }

  const take = async (
    sender: Sender,
    asked: Asked,
    request: IncomingMessage,
    search: string,
  ): Promise<Answer> => {
    const { title, keyName } = sender
    const given = textOf(sender.keyOf(asked))
    const key = given === undefined ? undefined : (keys.get(given) ?? given)
    const writable = key === undefined ? undefined : apiKeys.find(key)
    if (key === undefined || writable === undefined) {
      const message =
        key === undefined ? `${keyName} is missing: it is the API key.` : `${keyName} is no API key.`
      throw refuse(401, 'unauthorized', message)
    }
    const environment = environmentOf(writable, title)
    const found = sender.read(asked)
    const messages = found.filter((each) => 'kind' in each)
    const refused = found.flatMap((each) =>
      'kind' in each ? [] : [refuse(400, 'invalid-body', `${each.at}: ${each.refused}`)],
    )
    const runs: (Operation & { payloads: Payloads })[] = []
    for (const run of toRuns(messages)) {
      const { messages: _, ...operation } = run
      runs.push({ ...operation, payloads: await check(run, environment, refused) })
    }
    const count = runs.reduce((sum, { payloads }) => sum + payloads.count, 0)
    const [first] = refused
    if (first !== undefined) {
      const others = refused.length > 1 ? ` So were ${refused.length - 1} more of this request.` : ''
      const told = refuse(first.status, first.code, `${title}: ${first.message}${others}`)
      if (count === 0) throw told
      note(told, request.headers)
    }
    const isPublic = identitySecret !== '' && apiKeys.isPublic(key)
    const how = { request, holder: admit(request), key, sync: readSync(search), isPublic }
    // All are begun in their order and then waited for: a batch of alternate kinds waits for the disk once.
    const stored = await Promise.allSettled(
      runs.map(({ payloads, ...operation }) => store(operation, payloads, how)),
    )
    for (const each of stored) if (each.status === 'rejected') throw each.reason
    if (count > 0) noteArrival(title, sdkOf(messages, asked), count)
    const answer = sender.taken(asked, count)
    if (first === undefined || typeof answer.body === 'string') return answer
    return { ...answer, body: { ...fieldsOf(answer.body), rejected: refused.length, message: first.message } }
  }

  const handle = async (
    name: SenderName,
    { request, response, search, parameters }: Exchange,
  ): Promise<Reply | undefined> => {
    const sender = senders[name]
    const [path = ''] = parameters
    const asked: Asked = {
      method: request.method === 'GET' ? 'GET' : 'POST',
      path: path.replace(/\/+$/, ''),
      search: new URLSearchParams(search),
      headers: request.headers,
      body: undefined,
      receivedMs: Date.now(),
      address: `${request.headers.host ?? ''}${baseOf(request)}/${name}`,
      isHttps: isByHttps(request),
    }
    const isKey = (given: string) => apiKeys.find(keys.get(given) ?? given) !== undefined
    let answer = sender.tell?.(asked, isKey)
    if (answer === undefined) {
      if (!sender.paths.test(asked.path))
        throw refuse(
          404,
          'not-found',
          `${sender.title} has nothing at ${shorten(`/${name}/${path}`, 200)} here.`,
        )
      admit(request)
      asked.body = await readAsked(request, asked.search)
      answer = await take(sender, asked, request, search)
    }
    const { status = 200, body, type } = answer
    if (typeof body !== 'string') return { status, body }
    response.writeHead(status, {
      'content-type': type ?? 'text/plain',
      'content-length': Buffer.byteLength(body),
      'x-content-type-options': 'nosniff',
    })
    response.end(body)
    request.resume()
    return undefined
  }

  return on.flatMap((name) =>
    (['POST', 'GET'] as const).map((method): Route => {
      const { failed } = senders[name]
      return {
        method,
        path: `/${name}/{path...}`,
        isFrequent: true,
        ...(failed && {
          writeError: ({ code, message, status }: HttpError) => failed(code, message, status),
        }),
        handle: (exchange) =>
          handle(name, exchange).catch((error: unknown) => {
            if (isWrong(error)) note(error, exchange.request.headers)
            throw error
          }),
      }
    }),
  )
}
