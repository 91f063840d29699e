import {
  Agent,
  request as ask,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http'
import { brokenLine, refuse, type HttpError } from '../http/HttpError.js'
import { closeHeader } from '../http/Listener.js'
import { requestId, requestIdHeader } from '../http/requestId.js'
import { type Identity, identityHeaders } from '../users/Identity.js'
import type { EngineLink } from './EngineLink.js'

/** How long a request waits for an engine that is being started, before it is sent away. */
const graceMs = 3000
const retryAfterSeconds = 2

/** What belongs to one connection, and not to the request on it. */
const ofConnection = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'expect',
  'te',
  'trailer',
])

/** Who asks is said in other words, and passwords stay here. */
const ofClient = new Set(['authorization', 'cookie', 'x-api-key'])

const headersOf = (message: IncomingMessage): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(message.headers).filter(([name]) => !ofConnection.has(name)))

const withoutCredentials = (headers: OutgoingHttpHeaders): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !ofClient.has(name)))

const unavailable = (code: string, message: string): HttpError =>
  refuse(503, code, message, { 'retry-after': String(retryAfterSeconds) })

/** Hands requests on to the engine, and its answers back, no faster than either side takes them. */
export class EngineProxy {
  readonly #link: EngineLink
  readonly #path: string
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: 16 })

  constructor(link: EngineLink, path: string) {
    this.#link = link
    this.#path = path
  }

  /** Resolves once the answer has been written. Rejects with an HttpError when there is none. */
  async forward(request: IncomingMessage, response: ServerResponse, identity: Identity): Promise<void> {
    if (!(await this.#link.whenUp(graceMs))) {
      throw unavailable('engine-starting', 'The query engine is being started. Send again in a moment.')
    }
    // A client that went meanwhile would never be heard to go again.
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
        // It answered without having read all, and what it reads now is nobody's.
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
        else reject(unavailable('engine-ended', ended))
      })
      request.pipe(asking)
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

const ended =
  'The query engine ended while it worked on this: it may have needed more memory than it may have. It is being started again.'

/** Of an answer to /query that can have one more line to say that it is not complete. */
const queryIdOf = ({ headers }: IncomingMessage): string | undefined =>
  headers['x-waymark-format'] === 'default' && headers['content-encoding'] === undefined
    ? headers['x-query-id']?.toString()
    : undefined

const breakOff = (response: ServerResponse, queryId: string | undefined) => {
  // Who takes nothing would never take that line either.
  if (queryId === undefined || response.writableNeedDrain) response.destroy()
  else response.end(brokenLine(unavailable('engine-ended', ended), queryId))
}
