import {
  Agent,
  request as ask,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { brokenLine, refuse, type HttpError } from '../http/HttpError.js'
import { closeHeader } from '../http/Listener.js'
import { requestId, requestIdHeader } from '../http/requestId.js'
import { type Guest, type Identity, identityHeaders } from '../users/Identity.js'
import type { EngineLink } from './EngineLink.js'

/** A request waits this long for an engine that is being started; then it is refused with 503. */
const graceMs = 3000
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

const unavailable = (code: string, message: string): HttpError =>
  refuse(503, code, message, { 'retry-after': String(retryAfterSeconds) })

/** Passes requests to the engine and answers back, no faster than either side takes them. */
export class EngineProxy {
  readonly #link: EngineLink
  readonly #path: string
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: 16 })

  constructor(link: EngineLink, path: string) {
    this.#link = link
    this.#path = path
  }

  /** Resolves once the answer has been written. Rejects with an HttpError when there is none. */
  async forward(
    request: IncomingMessage,
    response: ServerResponse,
    identity: Identity | Guest,
  ): Promise<void> {
    if (!(await this.#link.whenUp(graceMs))) {
      throw unavailable('engine-starting', 'The query engine is being started. Send again in a moment.')
    }
    // `close` is emitted only once: a client that went during the wait would never be noticed.
    if (response.destroyed) return
    await new Promise<void>((resolve, reject) => {
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
        resolve()
      }
      response.once('close', leave)
      asking.once('response', (incoming) => {
        answer = incoming
        this.#relay(incoming, response, settle)
      })
      asking.on('error', () => {
        if (answer !== undefined) return
        response.off('close', leave)
        request.unpipe(asking).resume()
        if (response.destroyed) resolve()
        else reject(unavailable('engine-ended', endedMessage))
      })
      // A client that waits before it sends its body waits for the engine's word, which knows how large it may be.
      if (request.headers.expect === undefined) request.pipe(asking)
      else {
        asking.once('continue', () => request.pipe(asking))
        asking.flushHeaders()
      }
    })
  }

  /** The JSON of an answer for this process itself; undefined when there is none. */
  async ask(path: string, identity: Identity | Guest): Promise<unknown> {
    if (!(await this.#link.whenUp(graceMs))) return undefined
    return new Promise((resolve) => {
      const options = { socketPath: this.#path, path, headers: identityHeaders(identity), agent: this.#agent }
      ask(options, (answer) => {
        readText(answer).then(
          (body) => resolve(answer.statusCode === 200 ? JSON.parse(body) : undefined),
          () => resolve(undefined),
        )
      })
        .on('error', () => resolve(undefined))
        .end()
    })
  }

  close(): void {
    this.#agent.destroy()
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
      if (!answer.complete) breakOff(response, endsLine ? queryIdOf(answer) : undefined)
      done()
    })
    response.once('close', () => answer.destroy())
  }
}

const endedMessage =
  'The query engine ended while it worked on this. It may have needed more memory than --engine-memory allows. It is being started again.'

/** The query id of a /query answer that can take one more line, which says that it is not complete. */
const queryIdOf = ({ headers }: IncomingMessage): string | undefined =>
  headers['x-waymark-format'] === 'default' && headers['content-encoding'] === undefined
    ? headers['x-query-id']?.toString()
    : undefined

const breakOff = (response: ServerResponse, queryId: string | undefined) => {
  // A client that takes nothing at the moment would not take the line either, and the connection would stay open.
  if (queryId === undefined || response.writableNeedDrain) response.destroy()
  else response.end(brokenLine(unavailable('engine-ended', endedMessage), queryId))
}
