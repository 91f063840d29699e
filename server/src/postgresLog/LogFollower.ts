import { EventEmitter } from 'node:events'
import type { Logger } from '../Logger.js'
import { OperatorError } from '../OperatorError.js'
import type { DeadLetter } from '../wal/DeadLetters.js'
import type { LogEntry } from '../wal/segment.js'
import { again, findLoss, readBounds } from './findLoss.js'
import type { LogIdentity } from '../wal/LogStore.js'
import { identifyLog } from './logSchema.js'
import { channels, liveSeconds } from './LogWatch.js'
import { PrimaryConnection } from './PrimaryConnection.js'
import { pruneLog } from './pruneLog.js'
import type { Mark } from '../wal/LogStore.js'
import { readGroups } from './readGroups.js'
import type { LogAddress } from './readLogUrl.js'
import { reasonOf } from '../reasonOf.js'
import type { ServerConnection } from './ServerConnection.js'

export interface LogFollowerOptions {
  addresses: readonly LogAddress[]
  /** What this reader is known by, also after a restart. */
  name: string
  /** How far the store is. */
  applied: number
  /** The log that the store follows; undefined when it follows none yet. */
  expected: string | undefined
  /** The store follows this log from now on. */
  onFollow(identity: LogIdentity): void
  /** What `onRead` has kept. */
  marks: readonly Mark[]
  /** The groups that were read last, to be kept at once: their rows are stored right after this. */
  onRead(marks: readonly Mark[]): void
  /** A reader that was away for longer is not waited for. */
  keptMs: number
  logger: Logger
}

interface News {
  grown: []
  /** Somebody waits for this row. */
  wanted: [sequence: number]
  /** The store and the log do not belong together any more. */
  lost: [reason: string]
}

const pollMs = 1000
const tellMs = 250
const heartbeatMs = 5000
const pruneMs = 10_000

/** A new log goes on behind the rows of the first store, and knows that store. */
const beginSql = `
WITH begun AS (UPDATE waymark.head SET last = $2 WHERE last = 0 RETURNING last)
INSERT INTO waymark.readers (name, applied) SELECT $1, last FROM begun RETURNING name`

const positionSql = `
INSERT INTO waymark.readers (name, applied) VALUES ($1, $2)
ON CONFLICT (name) DO UPDATE SET applied = excluded.applied, seen = now()`

/** The position of one that reads nothing at the moment, so that nobody waits for it. */
const keepSql = `
INSERT INTO waymark.readers (name, applied, seen) VALUES ($1, $2, now() - interval '${liveSeconds} seconds')
ON CONFLICT (name) DO UPDATE SET applied = excluded.applied, seen = excluded.seen`

const lettersSql = `
INSERT INTO waymark.set_aside (request, rows, reason)
SELECT * FROM unnest($1::bigint[], $2::int[], $3::text[])
ON CONFLICT (request) DO UPDATE SET rows = greatest(set_aside.rows, excluded.rows)`

/** Of some groups the last one that a store has. */
const marksUntil = (marks: readonly Mark[], applied: number) =>
  marks.filter(({ last }) => last <= applied).slice(-1)

/** Reads the log for one store, tells all others how far that is, and gives up what all have. */
export class LogFollower extends EventEmitter<News> {
  readonly #options: LogFollowerOptions
  readonly #session: PrimaryConnection
  #identity: string | undefined
  #applied: number
  #last: number
  /** The group that the store ends with, and the one that was read after it. */
  #marks: readonly Mark[]
  #wanted: number[] = []
  /** By their requests: one statement cannot change a row twice. */
  readonly #letters = new Map<number, DeadLetter>()
  #toldMs = 0
  #telling: NodeJS.Timeout | undefined
  #timers: NodeJS.Timeout[] = []
  #looking: Promise<void> | undefined
  #isPruning = false

  constructor(options: LogFollowerOptions) {
    super()
    this.#options = options
    this.#identity = options.expected
    this.#applied = options.applied
    this.#last = options.applied
    this.#marks = marksUntil(options.marks, options.applied)
    this.#session = new PrimaryConnection({
      ...options,
      applicationName: 'waymark follow',
      begin: (connection) => this.#begin(connection),
      onUp: () => this.emit('grown'),
    })
  }

  /** A store that follows the log already need not wait for it. */
  async start(): Promise<void> {
    if (this.#options.expected === undefined) await this.#session.start()
    else this.#session.keep()
    this.#timers = [
      setInterval(() => this.#look(), pollMs).unref(),
      setInterval(() => this.#prune(), pruneMs).unref(),
    ]
  }

  /** The newest row that is known of. */
  get last(): number {
    return this.#last
  }

  /** Entries after a sequence, oldest first: at least one, and up to the limits but for the last group's. */
  async read(after: number, maxRows: number, maxBytes: number): Promise<LogEntry[]> {
    if (after >= this.#last) return []
    const { connection, obstacle } = this.#session
    if (connection === undefined) throw new Error(obstacle)
    const { entries, mark } = await readGroups(connection, { after, maxRows, maxBytes })
    this.#marks = [...marksUntil(this.#marks, after), mark]
    this.#options.onRead(this.#marks)
    return entries
  }

  /** Says that rows have been stored. */
  advance(through: number): void {
    this.#applied = through
    const isWanted = this.#wanted.some((sequence) => sequence <= through)
    if (isWanted) this.#tell()
    else this.#tellSoon()
  }

  /** Says that rows of a request could not be stored; of one request again when there are more. */
  setAside(letter: DeadLetter): void {
    this.#letters.set(letter.request, letter)
  }

  /**
   * Keeps what a store needs that is made of a copy of this one: while it is being copied, and once it
   * is, until there is another copy. Rejects when the log cannot be told.
   */
  async keepForCopy(position: number, isCopied: boolean): Promise<void> {
    const { connection, obstacle } = this.#session
    if (connection === undefined) throw new Error(obstacle)
    const { name } = this.#options
    const [copying, copied] = [`copying ${name}`, `copy of ${name}`]
    await connection.ask(keepSql, [isCopied ? copied : copying, position])
    if (isCopied) await connection.ask('DELETE FROM waymark.readers WHERE name = $1', [copying])
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    clearTimeout(this.#telling)
    await this.#looking
    // Nobody shall wait for it from now on.
    await this.#session.connection?.ask(keepSql, [this.#options.name, this.#applied]).catch(() => undefined)
    await this.#session.stop()
  }

  async #begin(connection: ServerConnection): Promise<void> {
    const { name, onFollow } = this.#options
    const identity = await identifyLog(connection, this.#identity)
    if (this.#identity === undefined) {
      await this.#join(connection)
      this.#identity = identity.id
      onFollow(identity)
    }
    const bounds = await readBounds(connection)
    const loss = await findLoss(connection, { applied: this.#applied, mark: this.#marks.at(-1), bounds })
    if (loss !== undefined) {
      this.emit('lost', loss)
      throw new Error(loss)
    }
    // After a crash a server shows rows that no standby has. All that it shows is on them once this is.
    await connection.ask(positionSql, [name, this.#applied])
    connection.on('notification', (channel, payload) => this.#hear(channel, payload))
    await connection.ask(`SET synchronous_commit = off; LISTEN ${channels.grown}; LISTEN ${channels.wanted}`)
    this.#last = bounds.last
  }

  /** Rejects unless the store and the log fit together, though this store has not followed it. */
  async #join(connection: ServerConnection): Promise<void> {
    const { name } = this.#options
    const { last, before } = await readBounds(connection)
    if (this.#applied === 0 && before === 0) return
    if (this.#applied === 0) {
      throw new OperatorError(
        `the log no longer has its first ${before} rows, so an empty store cannot follow it; ${again}`,
      )
    }
    // It has begun the log already, when it did not get to write that down.
    const known = await connection.ask('SELECT 1 FROM waymark.readers WHERE name = $1', [name])
    if (known.length > 0) return
    const begun = last > 0 ? [] : await connection.ask(beginSql, [name, this.#applied])
    if (begun.length === 0) {
      throw new OperatorError(`the store was not filled from this log, which has rows of others; ${again}`)
    }
  }

  #hear(channel: string, payload: string): void {
    if (channel === channels.grown) return this.#look()
    const sequence = Number(payload)
    this.#wanted.push(sequence)
    this.emit('wanted', sequence)
    if (sequence <= this.#applied) this.#tell()
  }

  #look(): void {
    this.#looking ??= this.#lookAgain().finally(() => (this.#looking = undefined))
  }

  async #lookAgain(): Promise<void> {
    const { connection } = this.#session
    if (connection === undefined) return
    const [head] = await connection
      .ask<{ last: number }>('SELECT last::float8 AS last FROM waymark.head')
      .catch(() => [])
    this.#last = Math.max(this.#last, head?.last ?? 0)
    // Also without anything new: it may be that reading has failed.
    if (this.#last > this.#applied) this.emit('grown')
    if (performance.now() - this.#toldMs > heartbeatMs) this.#tell()
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

  /** What was set aside first: who sees the position must see that, too. */
  async #write(): Promise<void> {
    const { connection } = this.#session
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
        [this.#options.name, this.#applied],
      )
    } catch {
      // The connection has ended, or the server is full. The next word says it again.
      for (const letter of letters) {
        if (!this.#letters.has(letter.request)) this.#letters.set(letter.request, letter)
      }
    }
  }

  #prune(): void {
    const { keptMs, logger } = this.#options
    const { connection } = this.#session
    if (connection === undefined || this.#isPruning) return
    this.#isPruning = true
    pruneLog(connection.address, keptMs)
      .catch((error: unknown) => logger.warn('Pruning the log failed.', { reason: reasonOf(error) }))
      .finally(() => (this.#isPruning = false))
  }
}
