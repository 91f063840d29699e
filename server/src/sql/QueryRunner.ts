import type { DuckDBConnection } from '@duckdb/node-api'
import { HttpError } from '../http/HttpError.js'
import { noQueries, type QueryCounts } from '../metrics/EngineVitals.js'
import type { ConcurrencyLimit } from '../store/ConcurrencyLimit.js'
import { quoteText } from '../store/quote.js'
import { readOnlyUser, type UserRole } from '../users/Identity.js'
import type { Cancellation } from './Cancellation.js'
import type { Guard } from './guard/Guard.js'
import { onlyReads, takesNumbers } from './onlyReads.js'
import { planStatement, type Plan } from './planStatement.js'
import { LoggedQuery, type QueryInfo, type QueryLog } from './QueryLog.js'
import type { QueryRequest } from './QueryRequest.js'
import type { QueryThreads } from './QueryThreads.js'
import { readStats } from './readPlan.js'
import { messageOf, refuseField, refuseStatement } from './refuse.js'
import { bufferRows } from './rows/bufferRows.js'
import type { Layout, Page } from './rows/encodeRows.js'
import { exportParquet, type ParquetFile } from './rows/exportParquet.js'
import { streamRows, type Rows } from './rows/streamRows.js'
import { runChange } from './runChange.js'
import { enterPath, enterSession, pathOfUse, type SearchPath } from './searchPath.js'
import type { Session, Sessions } from './Sessions.js'

export interface QueryRunnerOptions {
  sessions: Sessions
  limit: ConcurrencyLimit
  log: QueryLog
  guard: Guard
  /** That may be written to. */
  catalogs: readonly string[]
  /** That may be read. */
  readable: readonly string[]
  /** Where a session begins, and where it goes when its schema is gone. */
  home: SearchPath
  /** Where exports are written on their way out. */
  tempFolder: string
  threads: number
  queryThreads: QueryThreads
  timeoutMs: number
}

export interface QueryJob {
  user: string
  role: UserRole
  userAgent: string | null
  request: QueryRequest
  layout: Layout | 'parquet'
  page: Page
  /** What to say to a statement that does not only read. */
  readsOnly?: HttpError | undefined
  cancellation: Cancellation
  /** By another door than HTTP. */
  wire?: WireJob
}

/** What a client that keeps its connection brings with its query. */
export interface WireJob {
  /** Its own, and not among those that HTTP requests name. */
  session: Session
  /** What is run, where that is not what is logged. */
  text: string
  /** Throws what to say to a statement that may not run. */
  admit(plan: Plan): void
}

/** A query whose rows are ready to be read. Whoever reads them must end it, in one of the two ways. */
export interface RunningQuery {
  plan: Plan
  rows: Rows | ParquetFile
  info: QueryInfo
  startedMs: number
  end(): Promise<void>
  /** Gives what to tell the client, at once; what is still under way is waited for. */
  fail(error: unknown): unknown
}

type Cleanup = () => void

const outOfMemory = /out of memory/i
/** Nobody waits longer for an answer about a statement. */
const longestLookMs = 30_000

export class QueryRunner {
  readonly counts: QueryCounts = { ...noQueries }
  readonly #options: QueryRunnerOptions

  constructor(options: QueryRunnerOptions) {
    this.#options = options
  }

  /** Waits for its turn, plans the statement and opens its rows. Rejects with an HttpError when it failed. */
  async run(job: QueryJob): Promise<RunningQuery> {
    const { sessions, limit, log, threads, queryThreads, timeoutMs } = this.#options
    const { request, user, userAgent, cancellation } = job
    const isEphemeral = request.ephemeral === true
    const session =
      job.wire?.session ??
      (isEphemeral
        ? await sessions.openEphemeral(user)
        : await sessions.open(user, request.session_id ?? undefined))
    const clientInterface = job.wire === undefined ? 'HTTP' : 'Postgres'
    const query = new LoggedQuery({
      user,
      userAgent,
      request,
      session,
      cancellation,
      threads,
      clientInterface,
    })
    const cleanups: Cleanup[] = []
    const cleanUp = () => {
      for (const cleanup of cleanups.splice(0).toReversed()) cleanup()
      if (isEphemeral) void sessions.end(session)
    }
    try {
      log.add(query)
    } catch (error) {
      cleanUp()
      throw error
    }
    let state: keyof QueryCounts = 'waiting'
    this.counts.waiting++
    const enter = (next: keyof QueryCounts) => {
      // It ends once.
      if (state !== 'waiting' && state !== 'running') return
      this.counts[state]--
      this.counts[next]++
      state = next
    }
    const fail = (error: unknown, rows?: Rows | ParquetFile): unknown => {
      const told = cancellation.error ?? error
      enter(cancellation.isCancelled ? 'cancelled' : 'failed')
      query.end(messageOf(told))
      // A failed statement may leave memory with its connection. Nobody knows a session without a name
      // yet; one with a name ends only when memory is short.
      const isSpent = outOfMemory.test(messageOf(error)) || (!session.isNamed && !cancellation.isCancelled)
      // DuckDB does not survive a connection that is closed, or used for the next query, under a fetch.
      const settled = rows !== undefined && 'settled' in rows ? rows.settled?.() : undefined
      void Promise.resolve(settled).then(() => {
        cleanUp()
        if (isSpent) void sessions.end(session)
      })
      return told
    }
    try {
      // The session comes before the permit: the other way round, queries that wait for a session
      // could hold the permits that its query waits for.
      cleanups.push(await session.enter(cancellation.signal))
      const permit = await limit.acquire(cancellation.signal)
      cleanups.push(() => permit.release())
      cleanups.push(await queryThreads.enter())
      query.start()
      enter('running')
      const startedMs = performance.now()
      const timer = setTimeout(() => cancellation.cancel('timeout'), timeoutMs)
      cleanups.push(() => clearTimeout(timer))
      const release = cancellation.guard(session.connection)
      cleanups.push(release)
      if (cancellation.error !== undefined) throw cancellation.error

      const plan = await this.#plan(job, session, query)
      cleanups.push(() => plan.prepared.destroySync())
      const rows = await this.#open(job, session, plan)
      const end = async () => {
        release()
        enter('completed')
        query.end()
        query.info.stats = await readStats(session.connection, plan)
        cleanUp()
      }
      return { plan, rows, info: query.info, startedMs, end, fail: (error) => fail(error, rows) }
    } catch (error) {
      throw fail(error)
    }
  }

  /** Lets `work` look at statements on a session's connection, in its turn, as a query would run there. */
  async look<T>(
    session: Session,
    cancellation: Cancellation,
    work: (connection: DuckDBConnection, guard: Guard) => Promise<T>,
  ): Promise<T> {
    const { limit, guard, readable, home, timeoutMs } = this.#options
    const cleanups: Cleanup[] = []
    try {
      cleanups.push(await session.enter(cancellation.signal))
      const permit = await limit.acquire(cancellation.signal)
      cleanups.push(() => permit.release())
      const timer = setTimeout(() => cancellation.cancel('timeout'), Math.min(timeoutMs, longestLookMs))
      cleanups.push(() => clearTimeout(timer))
      cleanups.push(cancellation.guard(session.connection))
      await enterSession(session, {}, readable, home)
      return await work(session.connection, guard)
    } catch (error) {
      throw cancellation.error ?? error
    } finally {
      for (const cleanup of cleanups.toReversed()) cleanup()
    }
  }

  async #plan(job: QueryJob, session: Session, query: LoggedQuery): Promise<Plan> {
    const { guard, readable, home } = this.#options
    const { request, role, readsOnly, wire } = job
    const { connection } = session
    const lost = await enterSession(session, request, readable, home)
    if (lost !== undefined) session.path = home
    const timezone = request.timezone ?? session.timezone
    await connection.run(`SET TimeZone = ${quoteText(timezone)}`).catch((error: unknown) => {
      throw refuseField(`timezone: ${messageOf(error).split('\n', 1)[0]}`)
    })
    const plan = await planStatement(connection, guard, wire?.text ?? request.statement)
    query.describe(plan.tokens)
    // What it names without a schema may be there too, and is not what was meant.
    if (lost !== undefined && plan.kind === 'change') throw refuseStatement(lost)
    if (readsOnly !== undefined && (plan.kind !== 'read' || takesNumbers(plan))) throw readsOnly
    if (role === 'read' && (!onlyReads(plan) || takesNumbers(plan))) throw readOnlyUser()
    wire?.admit(plan)
    return plan
  }

  async #open(job: QueryJob, session: Session, plan: Plan): Promise<Rows | ParquetFile> {
    const { tempFolder } = this.#options
    const { connection } = session
    const { layout, page, cancellation } = job
    try {
      if (layout === 'parquet') return await exportParquet(connection, { plan, page, folder: tempFolder })
      if (plan.kind === 'read') {
        const rows = await streamRows({ connection, plan, layout, page, cancellation })
        if (rows !== undefined) return rows
      }
      if (plan.kind === 'use') return await this.#use(session, plan, layout)
      if (plan.kind === 'change') return await this.#change(session, plan, job, layout)
      const rows = await bufferRows(connection, await plan.prepared.run(), layout, page)
      const zone = await connection.runAndReadAll(`SELECT current_setting('TimeZone')`)
      session.timezone = zone.getRows()[0]![0] as string
      return rows
    } catch (error) {
      if (error instanceof HttpError) throw error
      throw cancellation.error ?? refuseStatement(messageOf(error))
    }
  }

  async #use(session: Session, plan: Plan, layout: Layout): Promise<Rows> {
    const path = pathOfUse(plan.tokens, session.path, this.#options.readable)
    await enterPath(session.connection, path)
    session.path = path
    const nothing = await session.connection.run('SELECT true AS "Success" WHERE false')
    return bufferRows(session.connection, nothing, layout, {})
  }

  async #change(session: Session, plan: Plan, job: QueryJob, layout: Layout): Promise<Rows> {
    const { catalogs } = this.#options
    const { connection, path } = session
    const catalog = catalogs.includes(path.catalog) ? path.catalog : catalogs[0]!
    const isStopped = () => job.cancellation.isCancelled
    const result = await runChange({ connection, plan, catalog, catalogs, isStopped })
    return bufferRows(connection, result, layout, job.page)
  }
}
