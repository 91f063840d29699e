import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '../../Logger.js'
import { OperatorError, reasonOf } from '../../OperatorError.js'
import type { LogAddress } from '../../options/readLogUrl.js'
import { checkCommit } from './checkDurability.js'
import { type OpenOptions, ServerConnection } from './ServerConnection.js'

export interface PrimaryConnectionOptions extends OpenOptions {
  addresses: readonly LogAddress[]
  /**
   * Called with each new connection before it is used for anything else. When it rejects the connection is not
   * used. An OperatorError says that trying again will not help.
   */
  begin(connection: ServerConnection): Promise<void>
  /** Called when there is a connection again. */
  onUp?(): void
  logger: Logger
}

const firstMs = 10_000
const retryMs = { first: 100, most: 2000 }

/**
 * A server that was cut off from its standbys goes on answering after a failover to another one. So each connection
 * commits something every `confirmMs`, and is closed when no standby confirms it in time.
 */
const confirmMs = 5000

/**
 * Keeps a connection to the one of several servers that can be written to. The server that was used last
 * is tried first.
 *
 *   open → connecting → up → (closed) resting → connecting
 *   any of them → stopped
 */
export class PrimaryConnection {
  readonly #options: PrimaryConnectionOptions
  #addresses: readonly LogAddress[]
  #connection: ServerConnection | undefined
  #obstacle = 'no server has been reached yet'
  #isHopeless = false
  readonly #stopping = new AbortController()
  #connecting: Promise<void> | undefined

  constructor(options: PrimaryConnectionOptions) {
    this.#options = options
    this.#addresses = options.addresses
  }

  get connection(): ServerConnection | undefined {
    return this.#connection
  }

  /** Why there is no connection; undefined while there is one. */
  get obstacle(): string | undefined {
    return this.#connection === undefined ? this.#obstacle : undefined
  }

  /** Resolves once there is a connection, and rejects with the reason when there is none for ten seconds. */
  async start(): Promise<void> {
    const deadline = performance.now() + firstMs
    while (!(await this.#connect())) {
      if (this.#isHopeless || performance.now() > deadline) {
        throw new OperatorError(`The log in PostgreSQL cannot be used: ${this.#obstacle}.`)
      }
      await delay(retryMs.first)
    }
  }

  /** Connects in the background and tries for as long as it takes. */
  keep(): void {
    this.#connecting ??= this.#reconnect().finally(() => (this.#connecting = undefined))
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#connecting
    this.#connection?.close('it is no longer needed')
  }

  async #reconnect(): Promise<void> {
    const { signal } = this.#stopping
    let restMs = retryMs.first
    while (!signal.aborted && !(await this.#connect())) {
      await delay(restMs, undefined, { signal }).catch(() => undefined)
      restMs = Math.min(2 * restMs, retryMs.most)
    }
  }

  async #connect(): Promise<boolean> {
    const reasons: string[] = []
    this.#isHopeless = false
    for (const address of this.#addresses) {
      if (this.#stopping.signal.aborted) return false
      try {
        const connection = await this.#open(address)
        if (this.#stopping.signal.aborted) {
          connection.close('it is no longer needed')
          return true
        }
        this.#use(connection)
        return true
      } catch (error) {
        reasons.push(`${address.name}: ${reasonOf(error)}`)
        this.#isHopeless ||= error instanceof OperatorError
      }
    }
    this.#noteObstacle(reasons.join('; '))
    return false
  }

  async #open(address: LogAddress): Promise<ServerConnection> {
    const { begin } = this.#options
    const connection = await ServerConnection.open(address, this.#options)
    try {
      const [found] = await connection.ask<{ transaction_read_only: string }>('SHOW transaction_read_only')
      if (found?.transaction_read_only !== 'off') throw new Error('it is a standby, or may only be read')
      await checkCommit(connection)
      await begin(connection)
      if (connection.closed !== undefined) throw new Error(connection.closed)
      return connection
    } catch (error) {
      connection.close(reasonOf(error))
      throw error
    }
  }

  #use(connection: ServerConnection): void {
    const { logger, applicationName, onUp } = this.#options
    const { address } = connection
    this.#connection = connection
    this.#addresses = [address, ...this.#addresses.filter((each) => each !== address)]
    const confirm = () => {
      checkCommit(connection).catch((error: unknown) => connection.close(reasonOf(error)))
    }
    const confirming = setInterval(confirm, confirmMs).unref()
    connection.once('closed', (reason) => {
      clearInterval(confirming)
      this.#connection = undefined
      if (this.#stopping.signal.aborted) return
      this.#noteObstacle(`${address.name}: ${reason}`)
      this.keep()
    })
    this.#obstacle = ''
    logger.info('Connected to the log in PostgreSQL.', { connection: applicationName, server: address.name })
    onUp?.()
  }

  /** Logs why there is no connection. A reason that stays is logged once. */
  #noteObstacle(reason: string): void {
    const { logger, applicationName } = this.#options
    if (reason === this.#obstacle) return
    this.#obstacle = reason
    logger.warn('There is no connection to the log in PostgreSQL.', { connection: applicationName, reason })
  }
}
