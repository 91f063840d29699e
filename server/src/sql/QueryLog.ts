import { createHash, randomUUID } from 'node:crypto'
import type { Cancellation, CancelReason } from './Cancellation.js'
import type { SqlToken } from './text/tokenize.js'
import type { QueryRequest } from './QueryRequest.js'
import { refuseField } from './refuse.js'
import type { HeldConnection } from './HeldConnections.js'

export interface QueryInfo {
  uuid: string
  start_time: string
  query: string
  client_interface: 'ArrowFlightSQL' | 'HTTP' | 'Postgres'
  visible: boolean
  session_id: string
  threads: number
  duration_ms: number | null
  end_time: string | null
  error: string | null
  fingerprint: number | null
  requested_by: string | null
  user_agent: string | null
  stats: QueryStats | null
}

/** How an answer met the cache. It has answers only, so nothing of files or metadata is ever counted. */
export interface Caching {
  data_hits: number
  data_misses: number
  data_bytes_hits: number
  data_bytes_misses: number
  filehandle_hits: number
  filehandle_misses: number
  metadata_hits: number
  metadata_misses: number
}

export interface QueryStats {
  /** Null for an answer that is never kept. */
  caching: Caching | null
  memory: { total_usage_bytes: number } | null
  scan: { estimated_result_rows: number; estimated_scanned_rows: number } | null
}

export interface Progress {
  percentage: number
  rows_processed: number
  total_rows: number
}

/** How many characters of one statement the log keeps. */
const maxStatement = 65_536
/** How many characters of all statements together the log keeps before it forgets ended queries. */
const maxAllStatements = 16 * 1_048_576

/** Copies the part that is kept: a slice of a string would hold the whole string in memory. */
const keptPart = (statement: string): string =>
  statement.length <= maxStatement
    ? statement
    : `${Buffer.from(statement.slice(0, maxStatement).replace(/[\uD800-\uDBFF]$/, '')).toString()} … (${statement.length} characters)`

export interface StartedQuery {
  user: string
  userAgent: string | null
  request: QueryRequest
  held: HeldConnection
  cancellation: Cancellation
  threads: number
  clientInterface: QueryInfo['client_interface']
}

/**
 * Statements that differ only in their values, case and spacing have one fingerprint. It has 53 bits,
 * so that it fits a JavaScript number.
 */
const fingerprint = (tokens: readonly SqlToken[]): number => {
  const shape = tokens.map((token) => {
    if (token.kind === 'text' || /^\d/.test(token.text)) return '?'
    return token.kind === 'word' ? token.text.toLowerCase() : token.text
  })
  const digest = createHash('sha256').update(shape.join('\u0000')).digest()
  return Number(digest.readBigUInt64BE() >> 11n)
}

/** One query in the log, from its request on. */
export class LoggedQuery {
  readonly user: string
  readonly info: QueryInfo
  /** Undefined once the query has ended. */
  #live: { cancellation: Cancellation; held: HeldConnection } | undefined
  #began = performance.now()

  constructor(started: StartedQuery) {
    const { user, userAgent, request, held, cancellation, threads, clientInterface } = started
    this.user = user
    this.#live = { cancellation, held }
    this.info = {
      uuid: request.query_id?.toLowerCase() ?? randomUUID(),
      start_time: new Date().toISOString(),
      query: keptPart(request.statement),
      client_interface: clientInterface,
      visible: request.visible ?? true,
      session_id: held.id,
      threads,
      duration_ms: null,
      end_time: null,
      error: null,
      fingerprint: null,
      requested_by: request.requested_by ?? null,
      user_agent: userAgent,
      stats: null,
    }
  }

  get isLive(): boolean {
    return this.#live !== undefined
  }

  /** Undefined when the query has ended, or when DuckDB does not know its progress. */
  get progress(): Progress | undefined {
    if (this.#live === undefined) return undefined
    const { percentage, rows_processed, total_rows_to_process } = this.#live.held.connection.progress
    if (percentage < 0) return undefined
    return {
      percentage,
      rows_processed: Number(rows_processed),
      total_rows: Number(total_rows_to_process),
    }
  }

  cancel(reason: CancelReason): void {
    this.#live?.cancellation.cancel(reason)
  }

  /** Starts the clock when the query begins to run: its duration does not count the time that it waited. */
  start(): void {
    this.#began = performance.now()
  }

  describe(tokens: readonly SqlToken[]): void {
    this.info.fingerprint = fingerprint(tokens)
  }

  /** Does nothing the second time. */
  end(error?: string): void {
    if (this.#live === undefined) return
    this.info.duration_ms = Math.round(performance.now() - this.#began)
    this.info.end_time = new Date().toISOString()
    if (error !== undefined) this.info.error = error
    this.#live = undefined
  }
}

const keyOf = (user: string, id: string) => JSON.stringify([user, id])

/** Keeps the newest queries in memory. A running query is never forgotten. */
export class QueryLog {
  readonly #queries = new Map<string, LoggedQuery>()
  readonly #maxQueries: number
  #characters = 0

  constructor(maxQueries: number) {
    this.#maxQueries = maxQueries
  }

  /** Throws when a query of the user with this id still runs. A query of this id that has ended is replaced. */
  add(query: LoggedQuery): void {
    const key = keyOf(query.user, query.info.uuid)
    const before = this.#queries.get(key)
    if (before?.isLive === true) throw refuseField(`The query ${query.info.uuid} is still running.`)
    if (before !== undefined) this.#forget(key, before)
    this.#queries.set(key, query)
    this.#characters += query.info.query.length
    for (const [each, logged] of this.#queries) {
      if (this.#queries.size <= this.#maxQueries && this.#characters <= maxAllStatements) break
      if (!logged.isLive) this.#forget(each, logged)
    }
  }

  find(user: string, id: string): LoggedQuery | undefined {
    return this.#queries.get(keyOf(user, id))
  }

  live(): LoggedQuery[] {
    return [...this.#queries.values()].filter((each) => each.isLive)
  }

  #forget(key: string, { info }: LoggedQuery): void {
    this.#queries.delete(key)
    this.#characters -= info.query.length
  }
}
