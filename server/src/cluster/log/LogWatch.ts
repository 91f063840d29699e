import { EventEmitter } from 'node:events'
import type { Logger } from '../../Logger.js'
import { type DeadLetter, RecentDeadLetters } from '../../wal/rejected.js'
import type { LogIdentity } from '../../wal/LogStore.js'
import { isHeard } from '../erasureTables.js'
import { identifyLog } from '../logSchema.js'
import { PrimaryConnection } from '../PrimaryConnection.js'
import type { LogAddress } from '../../options/values.js'
import type { ServerConnection } from '../ServerConnection.js'

interface News {
  /** All readers have stored rows through this one. */
  applied: [through: number]
  /** A process has changed users or keys. */
  access: []
}

interface State {
  last: number
  readers: number
  /** The row that all live readers have stored; null when no reader is live. */
  applied: number | null
  /** The row that all live readers have stored; without a live reader, the furthest row that any reader has stored. */
  stored: number
  /** The furthest row that a live reader has stored; 0 without one. */
  furthest: number
  /** How often users and keys were changed. */
  access: number
}

export const channels = { grown: 'waymark_log', wanted: 'waymark_wanted', applied: 'waymark_applied' }

export const unreachable = 'The log in PostgreSQL cannot be reached at the moment.'
const pollMs = 1000
/** A reader counts as live for longer than this after it has gone, and until then its silence shows it. */
const storingWithinMs = 5000

const stateSql = `
SELECT last::float8 AS last, count(live)::int AS readers, min(live)::float8 AS applied,
  coalesce(min(live), max(applied), 0)::float8 AS stored, coalesce(max(live), 0)::float8 AS furthest,
  coalesce((SELECT revision FROM waymark.access), 0)::float8 AS access
FROM waymark.head LEFT JOIN (
  SELECT applied, CASE WHEN ${isHeard} THEN applied END AS live
  FROM waymark.readers
) AS readers ON true GROUP BY last`

const setAsideSql = `
SELECT request::float8 AS request, rows, reason FROM waymark.set_aside WHERE request >= $1 ORDER BY request`

/** Watches, for a process that answers clients, how far the processes are that store the log's rows. */
export class LogWatch extends EventEmitter<News> {
  readonly deadLetters = new RecentDeadLetters()
  readonly #primary: PrimaryConnection
  #identity: LogIdentity | undefined
  #state: State = { last: 0, readers: 0, applied: null, stored: 0, furthest: 0, access: 0 }
  #movedMs = 0
  #newestLetter = -1
  #poll: NodeJS.Timeout | undefined
  #refreshing: Promise<void> | undefined
  #isStale = false

  constructor({ addresses, logger }: { addresses: readonly LogAddress[]; logger: Logger }) {
    super()
    this.#primary = new PrimaryConnection({
      addresses,
      logger,
      applicationName: 'waymark watch',
      begin: async (connection) => {
        this.#identity = await identifyLog(connection, this.#identity?.id)
        await connection.ask(`SET synchronous_commit = off; LISTEN ${channels.applied}`)
        connection.on('notification', () => this.#refresh())
        await this.#read(connection)
      },
    })
  }

  /** Resolves to the identity of the log. When it is known already the server is not waited for. */
  async start(known: LogIdentity | undefined): Promise<LogIdentity> {
    this.#identity = known
    if (known === undefined) await this.#primary.start()
    else this.#primary.keep()
    this.#poll = setInterval(() => this.#refresh(), pollMs).unref()
    return this.#identity!
  }

  /** Says why nothing is known of the log at the moment; undefined while it is watched. */
  get problem(): string | undefined {
    return this.#primary.obstacle === undefined ? undefined : unreachable
  }

  /** The newest row in the log, as of at most a second ago. */
  get last(): number {
    return this.#state.last
  }

  /** How many processes store rows. */
  get readers(): number {
    return this.#state.readers
  }

  /** The row that all of those processes have stored; undefined when there is none. */
  get applied(): number | undefined {
    return this.#state.applied ?? undefined
  }

  /** The row that all live readers have stored; without one, the furthest row that a reader has stored. */
  get stored(): number {
    return this.#state.stored
  }

  /** The furthest row that a live process has stored. */
  get furthest(): number {
    return this.#state.furthest
  }

  /** Whether any process has stored rows a moment ago. */
  get isStoring(): boolean {
    return performance.now() < this.#movedMs + storingWithinMs
  }

  /** Notifies all processes that listen on a channel, and does not wait for them. */
  tell(channel: string, sequence: number): void {
    this.#primary.connection
      ?.ask('SELECT pg_notify($1, $2)', [channel, String(sequence)])
      .catch(() => undefined)
  }

  /** Asks the server; rejects while it cannot be reached. */
  readonly ask: ServerConnection['ask'] = (text, values) => {
    const { connection, obstacle } = this.#primary
    return connection === undefined ? Promise.reject(new Error(obstacle)) : connection.ask(text, values)
  }

  /** Reads the newest accepted row from the server; rejects when the server cannot be reached. */
  async newest(): Promise<number> {
    const { connection, obstacle } = this.#primary
    if (connection === undefined) throw new Error(obstacle)
    await this.#read(connection)
    return this.#state.last
  }

  async stop(): Promise<void> {
    clearInterval(this.#poll)
    await this.#refreshing
    await this.#primary.stop()
  }

  /** Reads the state, and reads it again when a notification came meanwhile. */
  #refresh(): void {
    this.#isStale = true
    this.#refreshing ??= this.#refreshAll().finally(() => (this.#refreshing = undefined))
  }

  async #refreshAll(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false
      const { connection } = this.#primary
      // Without a connection nothing is read now: a new connection begins with reading the state.
      if (connection !== undefined) await this.#read(connection).catch(() => undefined)
    }
  }

  async #read(connection: ServerConnection): Promise<void> {
    const [state] = await connection.ask<State>(stateSql)
    // Dead letters are read after the positions, because they are written before them.
    for (const letter of await connection.ask<LetterRow>(setAsideSql, [this.#newestLetter])) {
      this.deadLetters.put(letter)
      this.#newestLetter = letter.request
    }
    if (state!.furthest > this.#state.furthest) this.#movedMs = performance.now()
    const isChanged = state!.access !== this.#state.access
    this.#state = state!
    if (isChanged) this.emit('access')
    if (state!.applied !== null) this.emit('applied', state!.applied)
  }
}

interface LetterRow {
  request: number
  rows: number
  reason: string
}

interface PositionTellerOptions {
  /** The reader's name in the log. */
  name: string
  /** The reader's machine and data folder, for people. */
  place: string
  /** The last row that the store has. */
  applied: number
  /** The connection to the server, while there is one. */
  connection(): ServerConnection | undefined
}

const tellMs = 250
const heartbeatMs = 5000

export const positionSql = `
INSERT INTO waymark.readers (name, applied, joined, place) VALUES ($1, $2, $2, $3)
ON CONFLICT (name) DO UPDATE SET applied = excluded.applied, place = excluded.place, seen = now()`

const lettersSql = `
INSERT INTO waymark.set_aside (request, rows, reason)
SELECT * FROM unnest($1::bigint[], $2::int[], $3::text[])
ON CONFLICT (request) DO UPDATE SET rows = greatest(set_aside.rows, excluded.rows)`

/** Tells the log how far one store is, and which rows it could not store. */
export class PositionTeller {
  readonly #options: PositionTellerOptions
  #applied: number
  #wanted: number[] = []
  /** Dead letters by request, because one statement cannot change a row twice. */
  readonly #letters = new Map<number, DeadLetter>()
  #toldMs = 0
  #telling: NodeJS.Timeout | undefined

  constructor(options: PositionTellerOptions) {
    this.#options = options
    this.#applied = options.applied
  }

  /** The last row that the store has. */
  get applied(): number {
    return this.#applied
  }

  /** Notes that rows have been stored. */
  advance(through: number): void {
    this.#applied = through
    const isWanted = this.#wanted.some((sequence) => sequence <= through)
    if (isWanted) this.#tell()
    else this.#tellSoon()
  }

  /** Tells at once when the store has this row, because another process waits for it. */
  want(sequence: number): void {
    this.#wanted.push(sequence)
    if (sequence <= this.#applied) this.#tell()
  }

  /** Notes that rows of a request could not be stored. It is called again for a request with more such rows. */
  setAside(letter: DeadLetter): void {
    this.#letters.set(letter.request, letter)
  }

  /** Tells the position again when that is long ago, so that the store counts as there. */
  beat(): void {
    if (performance.now() - this.#toldMs > heartbeatMs) this.#tell()
  }

  stop(): void {
    clearTimeout(this.#telling)
  }

  #tellSoon(): void {
    const restMs = this.#toldMs + tellMs - performance.now()
    this.#telling ??= setTimeout(() => this.#tell(), Math.max(0, restMs))
  }

  #tell(): void {
    clearTimeout(this.#telling)
    this.#telling = undefined
    this.#toldMs = performance.now()
    this.#wanted = this.#wanted.filter((sequence) => sequence > this.#applied)
    void this.#write()
  }

  /** Writes dead letters before the position: a process that sees the position must see them too. */
  async #write(): Promise<void> {
    const connection = this.#options.connection()
    if (connection === undefined) return
    const letters = [...this.#letters.values()]
    this.#letters.clear()
    try {
      if (letters.length > 0) {
        const columns = (['request', 'rows', 'reason'] as const).map((key) =>
          letters.map((each) => each[key]),
        )
        await connection.ask(lettersSql, columns)
      }
      await connection.ask(
        `WITH told AS (${positionSql} RETURNING name) SELECT pg_notify('${channels.applied}', '') FROM told`,
        [this.#options.name, this.#applied, this.#options.place],
      )
    } catch {
      // The connection has ended, or the server's disk is full. The next write sends the letters again.
      for (const letter of letters) {
        if (!this.#letters.has(letter.request)) this.#letters.set(letter.request, letter)
      }
    }
  }
}
