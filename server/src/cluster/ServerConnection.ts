import { EventEmitter } from 'node:events'
import { Socket } from 'node:net'
import { Client, type QueryConfig, type Submittable } from 'pg'
import { createMutex } from '../duckdb/transactions.js'
import type { LogAddress } from '../options/values.js'
import { reasonOf } from '../OperatorError.js'

interface News {
  notification: [channel: string, payload: string]
  closed: [reason: string]
}

const connectMs = 3000
const answerMs = 5000

/**
 * A role or a database may have other values for these settings. A statement that is cut off while it waits for
 * a standby is committed even so, and only a warning says that. So no timeout may cut a statement off, and
 * warnings must be sent.
 */
const settings = `
SET client_min_messages = warning;
SET statement_timeout = 0;
SET lock_timeout = 0;
SET default_transaction_isolation = 'read committed';
SET synchronous_commit = on`

/** With this setting, which PostgreSQL has since version 14, a statement that waits for a lock ends when its client has gone. */
const noticesGoneClient = "SET client_connection_check_interval = '1s'"

/** Receives what COPY sends as bytes: the driver itself reads all values as text. */
class CopiedBytes implements Submittable {
  readonly #text: string
  readonly #chunks: Buffer[] = []
  #error: Error | undefined
  readonly done: Promise<Buffer[]>
  #settle!: () => void

  constructor(text: string) {
    this.#text = text
    this.done = new Promise((resolve, reject) => {
      this.#settle = () => {
        if (this.#error === undefined) resolve(this.#chunks)
        else reject(this.#error)
      }
    })
  }

  submit(connection: unknown): void {
    ;(connection as { query(text: string): void }).query(this.#text)
  }

  /** Copies the chunk, because the driver uses its memory again. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.#chunks.push(Buffer.from(chunk))
  }

  handleError(error: Error): void {
    this.#error = error
    this.#settle()
  }

  handleReadyForQuery(): void {
    this.#settle()
  }

  handleCommandComplete(): void {}
}

export interface OpenOptions {
  /** The name that the server shows in pg_stat_activity. */
  applicationName: string
  /** Whether the statements of one call are sent together. */
  isPipelined?: boolean | undefined
}

/** One connection, on which statements run one after the other. Any failure of the connection closes it. */
export class ServerConnection extends EventEmitter<News> {
  readonly address: LogAddress
  readonly #client: Client
  readonly #socket: Socket
  readonly #oneAtATime = createMutex()
  #closed: string | undefined
  /** How many warnings the server has sent. */
  warnings = 0

  private constructor(address: LogAddress, { applicationName, isPipelined = false }: OpenOptions) {
    super()
    this.address = address
    const socket = new Socket()
    this.#socket = socket
    const client = new Client({
      connectionString: address.url,
      application_name: applicationName,
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      pipeline: isPipelined,
      stream: () => socket,
    })
    this.#client = client
    client.on('notice', () => this.warnings++)
    client.on('notification', ({ channel, payload = '' }) => this.emit('notification', channel, payload))
    client.on('error', (error) => this.close(error.message))
    client.on('end', () => this.close('the server has closed the connection'))
  }

  static async open(address: LogAddress, options: OpenOptions): Promise<ServerConnection> {
    const connection = new ServerConnection(address, options)
    try {
      await connection.#client.connect()
      await connection.ask(settings)
      await connection.ask(noticesGoneClient).catch(() => undefined)
      return connection
    } catch (error) {
      connection.close(reasonOf(error))
      throw error
    }
  }

  /** Says why the connection is closed; undefined while it is open. */
  get closed(): string | undefined {
    return this.#closed
  }

  /** Runs a statement and returns its rows. When no answer comes in time the connection is closed. */
  ask<T>(text: string, values: unknown[] = [], withinMs = answerMs): Promise<T[]> {
    return this.#run(withinMs, async () => (await this.#client.query(text, values)).rows as T[])
  }

  /** Runs several statements and returns the rows of each. Each is committed before the next one runs. */
  askAll<T extends unknown[][]>(queries: QueryConfig[]): Promise<T> {
    return this.#run(answerMs, async () => {
      const results = await Promise.all(queries.map((query) => this.#client.query(query)))
      return results.map(({ rows }) => rows) as T
    })
  }

  /** Runs `COPY (statement) TO STDOUT (FORMAT binary)` and returns its bytes: each row is a chunk of its own. */
  copyOut(statement: string, withinMs: number): Promise<Buffer[]> {
    return this.#run(
      withinMs,
      () => this.#client.query(new CopiedBytes(`COPY (${statement}) TO STDOUT (FORMAT binary)`)).done,
    )
  }

  close(reason: string): void {
    if (this.#closed !== undefined) return
    this.#closed = reason
    this.#socket.destroy()
    this.emit('closed', reason)
  }

  #run<T>(withinMs: number, work: () => Promise<T>): Promise<T> {
    return this.#oneAtATime(async () => {
      const timer = setTimeout(() => this.close(`it gave no answer within ${withinMs / 1000} s`), withinMs)
      try {
        if (this.#closed !== undefined) throw new Error(this.#closed)
        return await work()
      } catch (error) {
        throw this.#closed === undefined ? error : new Error(this.#closed)
      } finally {
        clearTimeout(timer)
      }
    })
  }
}
