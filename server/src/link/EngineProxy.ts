import {
  Agent,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as ask,
  type ServerResponse,
} from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { brokenLine, refuse, type HttpError } from '../http/HttpError.js'
import { closeHeader } from '../http/Listener.js'
import { readBody } from '../http/readBody.js'
import { requestId, requestIdHeader } from '../http/Route.js'
import { type Guest, type Identity, identityHeaders } from '../users/Identity.js'
import type { EngineLink } from './EngineLink.js'
import { type Gate, restingMessage, whenAdmitted } from './Breaker.js'

/** A client waits this long for an engine that is being started. A start takes some seconds on a busy machine. */
export const engineWaitMs = 60_000
/** This process itself does without. */
const ownWaitMs = 3000
/** Within this time after its last byte it is known that the engine has ended, and why. */
export const endKnownMs = 1000
/** A longer body is not kept for an engine that ends, so it is not asked again. */
const maxKeptBytes = 65_536
const retryAfterSeconds = 2

/** Headers that belong to one connection and not to the request on it. */
const connectionHeaders = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
])

/** Passwords and keys stay in this process: the engine is told who asks by `identityHeaders`. */
const credentialHeaders = new Set(['authorization', 'cookie', 'x-api-key', 'x-waymark-link'])

const headersOf = (message: IncomingMessage): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(message.headers).filter(([name]) => !connectionHeaders.has(name)))

const withoutCredentials = (headers: OutgoingHttpHeaders): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !credentialHeaders.has(name)))

const unavailable = (code: string, message: string, afterSeconds = retryAfterSeconds): HttpError =>
  refuse(503, code, message, { 'retry-after': String(afterSeconds) })

const resting = (leftMs: number) =>
  unavailable('engine-ended', restingMessage(leftMs), Math.ceil(leftMs / 1000))

/** A request that is passed on. */
interface Forwarded {
  request: IncomingMessage
  response: ServerResponse
  identity: Identity | Guest
  /** Whether it changes nothing before the engine says so. */
  isReading?: boolean
}

/** The body of a request that may be asked again; undefined when it is too long to be kept. */
const keep = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers
  if (coding !== undefined || Number(length) > maxKeptBytes) return undefined
  return readBody(request, maxKeptBytes)
}

/** Passes requests to the engine and answers back, no faster than either side takes them. */
export class EngineProxy {
  readonly #link: EngineLink
  readonly #gate: Gate
  readonly #path: string
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: 16 })

  /** @param path the path of the engine's socket */
  constructor(gate: Gate, path: string) {
    this.#link = gate.link
    this.#gate = gate
    this.#path = path
  }

  /**
   * Resolves once the answer has been written. Rejects with an HttpError when there is none. When the engine ends
   * before it has answered, a request of which nothing may be done twice (`isReading`) is asked again as soon as it is
   * back, for as long as it is known at what it ended; after an end that nobody has explained it is asked once
   * again. The statements that took all memory are not.
   */
  async forward({ request, response, identity, isReading = false }: Forwarded): Promise<void> {
    const body = isReading ? await keep(request) : undefined
    const untilMs = performance.now() + engineWaitMs
    for (let unexplained = 0; ;) {
      const withinMs = Math.max(0, untilMs - performance.now())
      // What brings rows is no statement, and does not wait for its user's rest.
      const user = isReading ? identity.user : undefined
      const admission = await whenAdmitted(this.#gate, { user, withinMs })
      if (admission.kind === 'starting')
        throw unavailable('engine-starting', 'The query engine is being started. Send again in a moment.')
      if (admission.kind === 'resting') throw resting(admission.leftMs)
      // `close` is emitted only once: a client that went during the wait would never be noticed.
      if (response.destroyed) return
      const outcome = await this.#ask({ request, response, identity }, body)
      if (outcome === 'answered' || response.destroyed) return
      const hasEnded = await this.#link.whenDown(endKnownMs)
      const reason = await this.#whyEnded()
      const message = endedMessage(reason)
      if (!hasEnded || this.#link.guilty === identity.user) throw unavailable('engine-ended', message)
      if (outcome === 'once' || body === undefined) throw unavailable('engine-starting', message)
      if (!this.#link.isExplained && ++unexplained > 1) throw unavailable('engine-ended', message)
    }
  }

  /** Asks the engine once. `again` and `once` mean that it has ended without an answer. */
  #ask(
    { request, response, identity }: Omit<Forwarded, 'isReading'>,
    body: Buffer | undefined,
  ): Promise<'answered' | 'again' | 'once'> {
    return new Promise((resolve) => {
      let isOnce = false
      const asking = ask({
        socketPath: this.#path,
        method: request.method,
        path: request.url,
        headers: {
          ...withoutCredentials(headersOf(request)),
          ...identityHeaders(identity),
          [requestIdHeader]: requestId(request),
        },
        agent: this.#agent,
      })
      let answer: IncomingMessage | undefined
      const leave = () => asking.destroy()
      const settle = () => {
        response.off('close', leave)
        request.unpipe(asking).resume()
        // The engine answered before it had read the whole body, and the rest of the body is of no use.
        if (!asking.writableEnded) asking.destroy()
        resolve('answered')
      }
      response.once('close', leave)
      asking.once('response', (incoming) => {
        answer = incoming
        this.#relay(incoming, response, settle)
      })
      // The engine says so before it does what may not be done twice. 100 is its word to a client that waits.
      asking.on('information', ({ statusCode }) => (isOnce ||= statusCode === 102))
      asking.on('error', () => {
        if (answer !== undefined) return
        response.off('close', leave)
        request.unpipe(asking).resume()
        resolve(isOnce ? 'once' : 'again')
      })
      // A client that waits before it sends its body waits for the engine's word, which knows how large it may be.
      if (body !== undefined) asking.end(body)
      else if (request.headers.expect === undefined) request.pipe(asking)
      else {
        asking.once('continue', () => request.pipe(asking))
        asking.flushHeaders()
      }
    })
  }

  /** The JSON of an answer for this process itself; undefined when there is none. With a `question` it is a POST. */
  async ask(path: string, identity: Identity | Guest, question?: object): Promise<unknown> {
    if (!(await this.#link.whenUp(ownWaitMs))) return undefined
    const [method, more] =
      question === undefined ? ['GET', {}] : ['POST', { 'content-type': 'application/json' }]
    return new Promise((resolve) => {
      const headers = { ...identityHeaders(identity), ...more }
      ask({ socketPath: this.#path, method, path, headers, agent: this.#agent }, (answer) => {
        readText(answer).then(
          (body) => resolve(answer.statusCode === 200 ? JSON.parse(body) : undefined),
          () => resolve(undefined),
        )
      })
        .on('error', () => resolve(undefined))
        .end(question && JSON.stringify(question))
    })
  }

  close(): void {
    this.#agent.destroy()
  }

  async #whyEnded(): Promise<string | undefined> {
    await this.#link.whenDown(endKnownMs)
    return this.#link.whyEnded(endKnownMs)
  }

  async #breakOff(response: ServerResponse, queryId: string | undefined): Promise<void> {
    // A client that takes nothing at the moment would not take the line either, and the connection would stay open.
    if (queryId === undefined || response.writableNeedDrain) response.destroy()
    else response.end(brokenLine(unavailable('engine-ended', endedMessage(await this.#whyEnded())), queryId))
  }

  #relay(answer: IncomingMessage, response: ServerResponse, done: () => void): void {
    const { [closeHeader]: close, ...headers } = headersOf(answer)
    response.writeHead(answer.statusCode ?? 502, {
      ...headers,
      ...(close === undefined ? {} : { connection: 'close' }),
    })
    let endsLine = false
    answer.on('data', (chunk: Buffer) => {
      endsLine = chunk.at(-1) === 0x0a
      if (!response.write(chunk)) answer.pause()
    })
    response.on('drain', () => answer.resume())
    answer.once('end', () => response.end())
    answer.on('error', () => undefined)
    answer.once('close', () => {
      if (answer.complete) done()
      else void this.#breakOff(response, endsLine ? queryIdOf(answer) : undefined).then(done)
    })
    response.once('close', () => answer.destroy())
  }
}

export const endedMessage = (reason: string | undefined) =>
  `The query engine ended while it worked on this${reason === undefined ? '' : ` (${reason.replace(/\.$/, '')})`}. It is being started again.`

/** The query id of a /query answer that can take one more line, which says that it is not complete. */
const queryIdOf = ({ headers }: IncomingMessage): string | undefined =>
  headers['x-waymark-format'] === 'default' && headers['content-encoding'] === undefined
    ? headers['x-query-id']?.toString()
    : undefined
