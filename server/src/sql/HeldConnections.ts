import { randomUUID } from 'node:crypto'
import type { DuckDBConnection } from '@duckdb/node-api'
import { refuse } from '../http/HttpError.js'
import type { SearchPath } from './searchPath.js'

export interface HeldConnectionsOptions {
  connect(): Promise<DuckDBConnection>
  home: SearchPath
  maxConnections: number
  idleMs: number
}

const graceMs = 1000

const settings = [
  'SET enable_progress_bar = true',
  'SET enable_progress_bar_print = false',
  'SET progress_bar_time = 0',
]

export type Leave = () => void

/**
 * One DuckDB connection that a client's queries share by their `session_id`. Temporary tables, variables
 * and USE last from one query to the next.
 */
export class HeldConnection {
  readonly id: string
  readonly user: string
  readonly connection: DuckDBConnection
  /** Where unqualified names are looked for; `USE` changes it. */
  path: SearchPath
  timezone = 'UTC'
  /** Where the last statement has looked for names and in which zone, as its turn writes it; undefined where that is not certain. */
  entered: string | undefined
  /** Whether a statement may have left temporary tables, macros or variables, which only this connection's answers show. */
  mayHoldOwn = false
  /** Whether a client chose the id: that client may come back. */
  isNamed: boolean
  usedAt = performance.now()
  #isOpen = true
  #busy = 0
  #last: Promise<void> = Promise.resolve()

  constructor(user: string, connection: DuckDBConnection, home: SearchPath, id?: string) {
    this.id = id ?? randomUUID()
    this.isNamed = id !== undefined
    this.user = user
    this.connection = connection
    this.path = home
  }

  get isBusy(): boolean {
    return this.#busy > 0
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /**
   * Waits until the connection is free and takes it, until the returned function is called. Only one
   * statement may run at a time: a second one would end the rows of the first. A statement that is
   * cancelled while it waits leaves the queue and rejects with the signal's reason.
   */
  async enter(signal?: AbortSignal): Promise<Leave> {
    if (!this.#isOpen) {
      const message = 'The session has just ended. Send again.'
      throw refuse(503, 'session-ended', message, { 'retry-after': '1' })
    }
    this.#busy++
    const before = this.#last
    let release!: () => void
    this.#last = new Promise((resolve) => {
      release = resolve
    })
    const leave = () => {
      this.#busy--
      this.usedAt = performance.now()
      release()
    }
    try {
      await (signal === undefined ? before : abortable(before, signal))
    } catch (error) {
      // The statements behind this one still wait for the one before it.
      void before.then(leave)
      throw error
    }
    return leave
  }

  /** Closes the connection once nothing runs on it: DuckDB crashes when a connection closes during a call. */
  async close(): Promise<void> {
    while (this.isBusy) await this.#last
    if (this.#isOpen) this.connection.closeSync()
    this.#isOpen = false
  }
}

const abortable = (promise: Promise<void>, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    void promise.then(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    })
  })

export class HeldConnections {
  readonly #options: HeldConnectionsOptions
  readonly #held = new Map<string, HeldConnection>()
  readonly #timer: NodeJS.Timeout

  constructor(options: HeldConnectionsOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#sweep(performance.now()), Math.min(options.idleMs, 30_000))
    this.#timer.unref()
  }

  /** Finds the user's connection of that id, or opens one. Without an id it opens a new one. */
  async open(user: string, id?: string): Promise<HeldConnection> {
    const known = id === undefined ? undefined : this.find(user, id)
    if (known !== undefined) {
      known.usedAt = performance.now()
      known.isNamed = true
      return known
    }
    const made = await this.openEphemeral(user, id)
    // Two requests may have asked for the same new id.
    const other = this.find(user, made.id)
    if (other !== undefined) {
      made.connection.closeSync()
      return other
    }
    this.#held.set(keyOf(made), made)
    this.#sweep(performance.now())
    return made
  }

  /** Opens a connection that no later request can find. The caller must `end` it. */
  async openEphemeral(user: string, id?: string): Promise<HeldConnection> {
    const connection = await this.#options.connect()
    for (const setting of settings) await connection.run(setting)
    return new HeldConnection(user, connection, this.#options.home, id)
  }

  find(user: string, id: string): HeldConnection | undefined {
    return this.#held.get(keyOf({ user, id }))
  }

  /** Forgets the connection and closes it once nothing runs on it. */
  async end(held: HeldConnection): Promise<void> {
    const key = keyOf(held)
    if (this.#held.get(key) === held) this.#held.delete(key)
    await held.close()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all([...this.#held.values()].map((each) => this.end(each)))
  }

  #sweep(now: number): void {
    const { maxConnections, idleMs } = this.#options
    const all = [...this.#held.values()]
    const counts = new Map<string, number>()
    for (const { user } of all) counts.set(user, (counts.get(user) ?? 0) + 1)
    // Those of the user who has the most go first, so that nobody ends the temporary tables of another.
    const idle = all
      .filter((each) => !each.isBusy)
      .toSorted((a, b) => counts.get(b.user)! - counts.get(a.user)! || a.usedAt - b.usedAt)
    // Named connections are counted apart from the rest, so that many requests without a session_id
    // never end a connection that a client may come back to.
    const named = all.filter((each) => each.isNamed).length
    const over = { named: named - maxConnections, unnamed: all.length - maxConnections }
    for (const each of idle) {
      const age = now - each.usedAt
      const kind = each.isNamed ? 'named' : 'unnamed'
      // A connection that was opened within `graceMs` is about to be used.
      if (age > idleMs || (age > graceMs && over[kind]-- > 0)) void this.end(each)
    }
  }
}

const keyOf = ({ user, id }: { user: string; id: string }) => JSON.stringify([user, id])
