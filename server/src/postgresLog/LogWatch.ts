import { EventEmitter } from 'node:events'
import type { Logger } from '../Logger.js'
import { DeadLetters } from '../wal/DeadLetters.js'
import type { LogIdentity } from '../wal/LogStore.js'
import { identifyLog } from './logSchema.js'
import { PrimaryConnection } from './PrimaryConnection.js'
import type { LogAddress } from './readLogUrl.js'
import type { ServerConnection } from './ServerConnection.js'

export interface LogWatchOptions {
  addresses: readonly LogAddress[]
  logger: Logger
}

interface News {
  /** All readers have stored rows through this one. */
  applied: [through: number]
}

interface State {
  last: number
  readers: number
  /** Null when no reader is there. */
  applied: number | null
  /** By those that are there or else by those that were. */
  stored: number
}

export const channels = { grown: 'waymark_log', wanted: 'waymark_wanted', applied: 'waymark_applied' }

/** A reader that was not heard of for so long is not waited for. */
export const liveSeconds = 15
export const unreachable = 'The log in PostgreSQL cannot be reached at the moment.'
const pollMs = 1000

const stateSql = `
SELECT last::float8 AS last, count(live)::int AS readers, min(live)::float8 AS applied,
  coalesce(min(live), max(applied), 0)::float8 AS stored
FROM waymark.head LEFT JOIN (
  SELECT applied, CASE WHEN seen > now() - interval '${liveSeconds} seconds' THEN applied END AS live
  FROM waymark.readers
) AS readers ON true GROUP BY last`

const setAsideSql = `
SELECT request::float8 AS request, rows, reason FROM waymark.set_aside WHERE request >= $1 ORDER BY request`

/** What a process that answers clients knows of those that store the log's rows. */
export class LogWatch extends EventEmitter<News> {
  readonly deadLetters = new DeadLetters()
  readonly #session: PrimaryConnection
  #identity: LogIdentity | undefined
  #state: State = { last: 0, readers: 0, applied: null, stored: 0 }
  #newestLetter = -1
  #poll: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #isStale = false

  constructor(options: LogWatchOptions) {
    super()
    this.#session = new PrimaryConnection({
      ...options,
      applicationName: 'waymark watch',
      begin: async (connection) => {
        this.#identity = await identifyLog(connection, this.#identity?.id)
        await connection.ask(`SET synchronous_commit = off; LISTEN ${channels.applied}`)
        connection.on('notification', () => this.#look())
        await this.#read(connection)
      },
    })
  }

  /** Resolves with the log that is there; one that is known already is not waited for. */
  async start(known: LogIdentity | undefined): Promise<LogIdentity> {
    this.#identity = known
    if (known === undefined) await this.#session.start()
    else this.#session.keep()
    this.#poll = setInterval(() => this.#look(), pollMs).unref()
    return this.#identity!
  }

  /** Why nothing is known of the log at the moment. */
  get problem(): string | undefined {
    return this.#session.obstacle === undefined ? undefined : unreachable
  }

  /** The newest row in the log, up to a second ago. */
  get last(): number {
    return this.#state.last
  }

  /** The processes that store rows. */
  get readers(): number {
    return this.#state.readers
  }

  /** All of them have stored so much; undefined when there is none. */
  get applied(): number | undefined {
    return this.#state.applied ?? undefined
  }

  /** The same, or when there is none how far one was. */
  get stored(): number {
    return this.#state.stored
  }

  /** Tells all who listen, at once and without waiting for them. */
  tell(channel: string, sequence: number): void {
    this.#session.connection
      ?.ask('SELECT pg_notify($1, $2)', [channel, String(sequence)])
      .catch(() => undefined)
  }

  /** The newest row of all that were accepted until now; rejects when the log cannot be asked. */
  async newest(): Promise<number> {
    const { connection, obstacle } = this.#session
    if (connection === undefined) throw new Error(obstacle)
    await this.#read(connection)
    return this.#state.last
  }

  async stop(): Promise<void> {
    clearInterval(this.#poll)
    await this.#looking
    await this.#session.stop()
  }

  /** Once more when there was news meanwhile. */
  #look(): void {
    this.#isStale = true
    this.#looking ??= this.#lookAgain().finally(() => (this.#looking = undefined))
  }

  async #lookAgain(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false
      const { connection } = this.#session
      // Without a connection all of it is read once there is one.
      if (connection !== undefined) await this.#read(connection).catch(() => undefined)
    }
  }

  async #read(connection: ServerConnection): Promise<void> {
    const [state] = await connection.ask<State>(stateSql)
    // After the positions: what was set aside was written down before them.
    for (const letter of await connection.ask<LetterRow>(setAsideSql, [this.#newestLetter])) {
      this.deadLetters.put(letter)
      this.#newestLetter = letter.request
    }
    this.#state = state!
    if (state!.applied !== null) this.emit('applied', state!.applied)
  }
}

interface LetterRow {
  request: number
  rows: number
  reason: string
}
