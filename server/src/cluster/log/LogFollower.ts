import { EventEmitter } from 'node:events'
import type { Logger } from '../../Logger.js'
import { OperatorError, reasonOf } from '../../OperatorError.js'
import type { DeadLetter } from '../../wal/rejected.js'
import { eraseKind, type LoggedRequest } from '../../payloads/erasure.js'
import { lastOf, type LogEntry } from '../../wal/segment.js'
import { findLoss, makeStoreAnew, readBounds, readGroups } from './readLog.js'
import type { LogIdentity, Mark } from '../../wal/LogStore.js'
import { identifyLog } from '../logSchema.js'
import { liveSeconds } from '../erasureTables.js'
import { channels, positionSql, PositionTeller } from './LogWatch.js'
import { PrimaryConnection } from '../PrimaryConnection.js'
import { pruneLog } from './pruneLog.js'
import type { LogAddress } from '../../options/values.js'
import type { ServerConnection } from '../ServerConnection.js'

export interface LogFollowerOptions {
  addresses: readonly LogAddress[]
  /** The reader's name in the log. It stays after a restart. */
  name: string
  /** The reader's machine and data folder, for people. */
  place: string
  /** The last row that the store has. */
  applied: number
  /** The log that the store follows; undefined when it follows none yet. */
  expected: string | undefined
  /** Called when the store begins to follow this log. */
  onFollow(identity: LogIdentity): void
  /** The marks that `onRead` has saved. */
  marks: readonly Mark[]
  /** Must save the marks of the groups that were read last at once, because their rows are stored right after this. */
  onRead(marks: readonly Mark[]): void
  /** The log keeps rows for a reader that was seen within this time. */
  keptMs: number
  logger: Logger
}

/** Neighbouring entries of the log that ask to erase persons. */
export interface ErasePoint {
  requests: LoggedRequest[]
  /** The sequences of the first and the last row. */
  first: number
  last: number
}

interface News {
  grown: []
  /** Nothing behind this point is read before `pass`. */
  erase: [point: ErasePoint]
  /** Another process waits until this row is stored. */
  wanted: [sequence: number]
  /** The store and the log no longer belong together. */
  lost: [reason: string]
}

const pollMs = 1000
const pruneMs = 10_000

/** A new log continues after the rows of the first store that joins it, and this registers that store as a reader. */
const beginSql = `
WITH begun AS (UPDATE waymark.head SET last = $2 WHERE last = 0 RETURNING last)
INSERT INTO waymark.readers (name, applied, joined, place) SELECT $1, last, last, $3 FROM begun RETURNING name`

/** Saves the position of a reader that does not read now. `seen` is old, so that no process waits for this reader. */
const keepSql = `
INSERT INTO waymark.readers (name, applied, joined, seen) VALUES ($1, $2, $2, now() - interval '${liveSeconds} seconds')
ON CONFLICT (name) DO UPDATE SET applied = excluded.applied, seen = excluded.seen`

const keepFilesSql = `
INSERT INTO waymark.lake_readers SELECT $1, adopted FROM waymark.lake_readers WHERE name = $2
ON CONFLICT (name) DO UPDATE SET adopted = excluded.adopted`

/** The mark of the last group that a store has. */
const marksUntil = (marks: readonly Mark[], applied: number) =>
  marks.filter(({ last }) => last <= applied).slice(-1)

/** Reads the log for one store, publishes the store's position, and prunes rows that all stores have. */
export class LogFollower extends EventEmitter<News> {
  readonly #options: LogFollowerOptions
  readonly #primary: PrimaryConnection
  #identity: string | undefined
  readonly #teller: PositionTeller
  #last: number
  /** The mark of the last group in the store, and that of the group read after it. */
  #marks: readonly Mark[]
  #held: ErasePoint | undefined
  #passed = 0
  #timers: NodeJS.Timeout[] = []
  #refreshing: Promise<void> | undefined
  #isPruning = false
  /** Since when readers are away. */
  readonly #awaySince = new Map<string, number>()

  constructor(options: LogFollowerOptions) {
    super()
    this.#options = options
    this.#identity = options.expected
    this.#last = options.applied
    this.#marks = marksUntil(options.marks, options.applied)
    this.#primary = new PrimaryConnection({
      addresses: options.addresses,
      logger: options.logger,
      applicationName: 'waymark follow',
      begin: (connection) => this.#begin(connection),
      onUp: () => this.emit('grown'),
    })
    const { name, place, applied } = options
    this.#teller = new PositionTeller({ name, place, applied, connection: () => this.#primary.connection })
  }

  /** Starts reading. A store that follows the log already does not wait for the server. */
  async start(): Promise<void> {
    if (this.#options.expected === undefined) await this.#primary.start()
    else this.#primary.keep()
    this.#timers = [
      setInterval(() => this.#refresh(), pollMs).unref(),
      setInterval(() => this.#prune(), pruneMs).unref(),
    ]
  }

  /** The newest known row of the log that may be read. */
  get last(): number {
    return this.#held === undefined ? this.#last : Math.min(this.#last, this.#held.first - 1)
  }

  /** The connection to the server; throws while there is none. */
  get connection(): ServerConnection {
    const { connection, obstacle } = this.#primary
    if (connection === undefined) throw new Error(obstacle)
    return connection
  }

  get isConnected(): boolean {
    return this.#primary.connection !== undefined
  }

  /** Reads on behind an erase. */
  pass({ last }: ErasePoint): void {
    this.#held = undefined
    this.#passed = last
    this.emit('grown')
  }

  /** Reads entries after a sequence, oldest first: at least one group. Only the last group may exceed the limits. */
  async read(after: number, maxRows: number, maxBytes: number): Promise<LogEntry[]> {
    if (after >= this.last) return []
    const { entries, mark } = await readGroups(this.connection, { after, maxRows, maxBytes })
    this.#marks = [...marksUntil(this.#marks, after), mark]
    this.#options.onRead(this.#marks)
    return this.#beforeErase(entries)
  }

  /** Notes that rows have been stored. */
  advance(through: number): void {
    this.#teller.advance(through)
  }

  /** Notes that rows of a request could not be stored. It is called again for a request with more such rows. */
  setAside(letter: DeadLetter): void {
    this.#teller.setAside(letter)
  }

  /**
   * Makes the log keep the rows that a copy of this store will need: while the store is being copied, and then
   * until the next copy. Rejects when the server cannot be reached.
   */
  async keepForCopy(position: number, isCopied: boolean): Promise<void> {
    const { connection } = this
    const { name } = this.#options
    const [copying, copied] = [`copying ${name}`, `copy of ${name}`]
    const kept = isCopied ? copied : copying
    await connection.ask(keepSql, [kept, position])
    // The copy may ask for the files of the shared archive that the store has on its list now.
    await connection.ask(keepFilesSql, [kept, name])
    if (isCopied) await connection.ask('DELETE FROM waymark.readers WHERE name = $1', [copying])
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    this.#teller.stop()
    await this.#refreshing
    // From now on no process waits for this reader.
    await this.#primary.connection
      ?.ask(keepSql, [this.#options.name, this.#teller.applied])
      .catch(() => undefined)
    await this.#primary.stop()
  }

  /** The entries before the first erase that is not passed. */
  #beforeErase(entries: LogEntry[]): LogEntry[] {
    const isErase = (entry: LogEntry | undefined) => entry?.kind === eraseKind && lastOf(entry) > this.#passed
    const at = entries.findIndex(isErase)
    if (at < 0) return entries
    let end = at
    while (isErase(entries[end + 1])) end++
    const requests = entries
      .slice(at, end + 1)
      .flatMap(({ body }) => JSON.parse(body.toString()) as LoggedRequest[])
    this.#held = { requests, first: entries[at]!.first, last: lastOf(entries[end]!) }
    this.emit('erase', this.#held)
    return entries.slice(0, at)
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
    const loss = await findLoss(connection, {
      applied: this.#teller.applied,
      mark: this.#marks.at(-1),
      bounds,
    })
    if (loss !== undefined) {
      this.emit('lost', loss)
      throw new Error(loss)
    }
    // After a crash a server shows rows that no standby has. This write is committed after them, so once it is
    // confirmed the standbys have them too.
    await connection.ask(positionSql, [name, this.#teller.applied, this.#options.place])
    connection.on('notification', (channel, payload) => this.#hear(channel, payload))
    await connection.ask(`SET synchronous_commit = off; LISTEN ${channels.grown}; LISTEN ${channels.wanted}`)
    this.#last = bounds.last
  }

  /** Registers a store that has followed no log yet. Rejects unless the store and the log fit together. */
  async #join(connection: ServerConnection): Promise<void> {
    const { name } = this.#options
    const { last, before } = await readBounds(connection)
    if (this.#teller.applied === 0 && before === 0) return
    if (this.#teller.applied === 0) {
      throw new OperatorError(
        `the log no longer has its first ${before} rows, so an empty store cannot follow it; ${makeStoreAnew}`,
      )
    }
    // This store may have begun the log already and have ended before it could note that.
    const known = await connection.ask('SELECT 1 FROM waymark.readers WHERE name = $1', [name])
    if (known.length > 0) return
    const begun =
      last > 0 ? [] : await connection.ask(beginSql, [name, this.#teller.applied, this.#options.place])
    if (begun.length === 0) {
      throw new OperatorError(
        `the store was not filled from this log, which has rows of others; ${makeStoreAnew}`,
      )
    }
  }

  #hear(channel: string, payload: string): void {
    if (channel === channels.grown) return this.#refresh()
    const sequence = Number(payload)
    this.emit('wanted', sequence)
    this.#teller.want(sequence)
  }

  #refresh(): void {
    this.#refreshing ??= this.#refreshHead().finally(() => (this.#refreshing = undefined))
  }

  async #refreshHead(): Promise<void> {
    const { connection } = this.#primary
    if (connection === undefined) return
    const [head] = await connection
      .ask<{ last: number }>('SELECT last::float8 AS last FROM waymark.head')
      .catch(() => [])
    this.#last = Math.max(this.#last, head?.last ?? 0)
    // This happens without a new row too, because the last read may have failed.
    if (this.#last > this.#teller.applied) this.emit('grown')
    this.#teller.beat()
  }

  #prune(): void {
    const { keptMs, logger } = this.#options
    const { connection } = this.#primary
    if (connection === undefined || this.#isPruning) return
    this.#isPruning = true
    pruneLog(connection.address, { keptMs, awaySince: this.#awaySince })
      .catch((error: unknown) => logger.warn('Pruning the log failed.', { reason: reasonOf(error) }))
      .finally(() => (this.#isPruning = false))
  }
}
