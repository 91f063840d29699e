import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls'
import { once } from 'node:events'
import { type ConnectionLimits, limitConnections, listenAt } from '../../http/publicServer.js'
import { endedMessage, endKnownMs, engineWaitMs } from '../../link/EngineProxy.js'
import { type Gate, restingMessage, whenAdmitted } from '../../link/Breaker.js'
import type { Logger } from '../../Logger.js'
import type { CompleteOptions } from '../../options/flags.js'
import { analyticsCatalog } from '../../duckdb/quote.js'
import { OperatorError } from '../../OperatorError.js'
import type { PasswordCheck } from '../../users/PasswordCheck.js'
import { logIn, certificateDigest } from './logIn.js'
import { authenticationOk, errorResponse, negotiateVersion } from '../messages/messages.js'
import { ProtocolError, sqlState } from '../ProtocolError.js'
import { readMessage, MessageBounds, writeStart } from './readMessage.js'
import type { ClientStart } from '../ClientState.js'

/*
 * The Postgres listener is in the ingest process, as every public port is. Clients that do
 * not show that they know a password never reach the engine. While the engine starts, clients get an error that says so (57P03)
 * instead of a closed port. After the password the ingest process pipes the client's bytes unchanged to
 * the engine's socket, over one connection for each client, no faster than either side reads.
 */

export interface PostgresListener {
  port: number
  /** Stops taking clients, and resolves once the last has gone. */
  stop(): Promise<void>
  /** Ends the connections of these users. */
  endUsers(names: readonly string[]): void
  /** Ends the connections that are left. */
  destroyAll(): void
}

type PostgresOptions = Pick<
  CompleteOptions,
  'catalogs' | 'host' | 'headersWithinMs' | 'postgresPort' | 'postgresTlsCert' | 'postgresTlsKey'
>

export interface ListenPostgresOptions extends PostgresOptions, ConnectionLimits, Gate {
  logger: Logger
  logins: PasswordCheck
  /** The path of the engine's socket. */
  path: string
}

/** No larger message is read from a client that has not shown a password. */
const maxStartBytes = 10_000
const keepAliveMs = 60_000
/** An engine that ends is known to have ended so soon after it has closed a connection. */
const downWithinMs = 200
/** Each client may hold a DuckDB connection. */
const maxClients = 100

const asks = { cancel: 80_877_102, tls: 80_877_103, gss: 80_877_104 } as const

const readParameters = (body: Buffer): Record<string, string> => {
  const words = body.toString('utf8', 4).split('\0')
  const parameters: Record<string, string> = {}
  for (let at = 0; at + 1 < words.length && words[at] !== ''; at += 2) parameters[words[at]!] = words[at + 1]!
  return parameters
}

const startOf = (
  body: Buffer,
  catalogs: readonly string[],
): Omit<ClientStart, 'role'> & { options: string[] } => {
  const { user = '', database = user, ...all } = readParameters(body)
  const entries = Object.entries(all)
  const known = catalogs.includes(database)
  // A client that names no database sends the user's name instead.
  if (!known && database !== user) {
    throw new ProtocolError(
      sqlState.unknownDatabase,
      `There is no database ${JSON.stringify(database.slice(0, 80))}; there are ${catalogs.join(', ')}.`,
    )
  }
  return {
    user,
    database: known ? database : catalogs[0]!,
    parameters: Object.fromEntries(entries.filter(([name]) => !name.startsWith('_pq_.'))),
    options: entries.map(([name]) => name).filter((name) => name.startsWith('_pq_.')),
  }
}

interface Tls {
  context: SecureContext
  /** What a client can bind its login to. */
  binding: Buffer | undefined
}

const readTls = ({ postgresTlsCert, postgresTlsKey }: PostgresOptions): Tls | undefined => {
  if (postgresTlsCert === undefined && postgresTlsKey === undefined) return undefined
  try {
    const cert = readFileSync(postgresTlsCert ?? '')
    const context = createSecureContext({ cert, key: readFileSync(postgresTlsKey ?? '') })
    return { context, binding: certificateDigest(cert) }
  } catch (error) {
    throw new OperatorError(
      `The certificate and key of --postgres-tls-cert and --postgres-tls-key cannot be used: ${(error as Error).message}.`,
    )
  }
}

/**
 * Encrypts a connection; undefined when that fails. Bytes that came before the handshake, unencrypted, end
 * it: somebody else could have put them before the client's own.
 */
const encrypt = async (socket: Socket, secureContext: SecureContext): Promise<Socket | undefined> => {
  if (socket.readableLength > 0) return undefined
  socket.write('S')
  const secure = new TLSSocket(socket, { isServer: true, secureContext })
  secure.on('error', () => socket.destroy())
  const gone = new AbortController()
  socket.once('close', () => gone.abort())
  return once(secure, 'secure', { signal: gone.signal }).then(
    () => secure,
    () => undefined,
  )
}

/** Resolves once the socket is closed, for whatever reason. */
const closed = (socket: Duplex): Promise<void> =>
  new Promise((resolve) => {
    if (socket.destroyed) resolve()
    else socket.once('close', () => resolve())
  })

/** Opens a connection to the engine for one client; undefined when the engine cannot be reached. */
const reachEngine = (path: string, start: ClientStart): Promise<Duplex | undefined> =>
  new Promise((resolve) => {
    const asking = request({ socketPath: path, headers: writeStart(start) })
    asking.once('upgrade', (_, socket, head) => {
      socket.unshift(head)
      resolve(socket)
    })
    asking.once('response', (response) => response.destroy())
    asking.once('error', () => resolve(undefined)).once('close', () => resolve(undefined))
    asking.end()
  })

export const listenPostgres = async (options: ListenPostgresOptions): Promise<PostgresListener> => {
  const { logins, catalogs, host, headersWithinMs, link, path, logger } = options
  const tls = readTls(options)
  const databases = [...catalogs, analyticsCatalog]
  const sockets = new Set<Socket>()
  /** The clients whose password was right, with their user names. */
  const clients = new Map<Socket, string>()

  /** Pipes between the client and the engine until one of them closes the connection. */
  const join = async (socket: Socket, start: ClientStart): Promise<void> => {
    const admission = await whenAdmitted(options, { user: start.user, withinMs: engineWaitMs })
    if (admission.kind === 'resting')
      throw new ProtocolError(sqlState.starting, restingMessage(admission.leftMs))
    const engine = admission.kind === 'admitted' ? await reachEngine(path, start) : undefined
    if (engine === undefined) {
      throw new ProtocolError(
        sqlState.starting,
        'The query engine is being started. Connect again in a moment.',
      )
    }
    socket.write(authenticationOk())
    const messages = new MessageBounds()
    engine
      .on('error', () => undefined)
      .on('data', (chunk: Buffer) => messages.pass(chunk))
      .pipe(socket, { end: false })
    socket.pipe(engine)
    await Promise.race([closed(socket), closed(engine)])
    engine.destroy()
    if (socket.destroyed || !(await link.whenDown(downWithinMs))) return
    // Within a message the client would read the error as a part of it.
    if (!messages.isAtEnd) return
    const reason = await link.whyEnded(endKnownMs)
    throw new ProtocolError(sqlState.starting, `${endedMessage(reason)} Connect again.`)
  }

  /** Reads who the client is and checks the password; undefined when the client has gone. */
  const admit = async (socket: Socket, body: Buffer): Promise<ClientStart | undefined> => {
    const binding = socket instanceof TLSSocket ? tls?.binding : undefined
    const version = body.readInt32BE(0)
    if (version >> 16 !== 3) {
      throw new ProtocolError(
        sqlState.notSupported,
        `The protocol ${version >> 16}.${version & 0xffff} is not supported: use 3.0.`,
      )
    }
    const { options: asked, ...start } = startOf(body, databases)
    if (start.user === '') throw new ProtocolError('28000', 'A user name is missing.')
    if ((version & 0xffff) > 0 || asked.length > 0) socket.write(negotiateVersion(asked))
    const identity = await logIn(socket, { user: start.user, logins, binding })
    if (identity === undefined) return undefined
    if (clients.size >= maxClients) {
      throw new ProtocolError(sqlState.tooManyConnections, `There are ${maxClients} clients already.`)
    }
    return { ...start, ...identity }
  }

  const serve = async (raw: Socket): Promise<void> => {
    const deadline = setTimeout(() => raw.destroy(), headersWithinMs)
    raw.once('close', () => clearTimeout(deadline))
    let socket = raw
    for (;;) {
      const body = await readMessage(socket, '', maxStartBytes)
      if (body === undefined) return
      const ask = body.readInt32BE(0)
      if (ask === asks.cancel && body.length >= 12) {
        link.tell({ kind: 'cancelPostgres', process: body.readInt32BE(4), secret: body.readInt32BE(8) })
        return
      }
      if (ask === asks.gss || (ask === asks.tls && (tls === undefined || socket !== raw))) socket.write('N')
      else if (ask === asks.tls) {
        const secure = await encrypt(socket, tls!.context)
        if (secure === undefined) return
        socket = secure
      } else {
        try {
          const start = await admit(socket, body)
          if (start === undefined) return
          clearTimeout(deadline)
          clients.set(raw, start.user)
          raw.once('close', () => clients.delete(raw))
          await join(socket, start)
        } catch (error) {
          if (!(error instanceof ProtocolError)) throw error
          socket.end(errorResponse(error, 'FATAL'))
          await closed(raw)
        }
        return
      }
    }
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    socket
      .setNoDelay(true)
      .setKeepAlive(true, keepAliveMs)
      .on('error', () => undefined)
      .once('close', () => sockets.delete(socket))
    serve(socket)
      .catch((error: unknown) =>
        logger.error('A Postgres client was disconnected after an unexpected error.', {
          reason: String(error),
        }),
      )
      .finally(() => socket.destroySoon())
  })
  limitConnections(server, options)
  const port = await listenAt(server, { host, port: options.postgresPort!, flag: '--postgres-port' })
  return {
    port,
    async stop() {
      const ended = new Promise<void>((resolve) => server.close(() => resolve()))
      link.tell({ kind: 'endPostgres' })
      await ended
    },
    endUsers(names) {
      for (const [socket, user] of clients) if (names.includes(user)) socket.destroy()
    },
    destroyAll() {
      for (const socket of sockets) socket.destroy()
    },
  }
}
