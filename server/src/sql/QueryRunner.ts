import { noQueries, type QueryCounts } from '../link/messages.js'
import type { Pausable } from '../duckdb/ConcurrencyLimit.js'
import type { DiskRoom } from '../disk/DiskRoom.js'
import { isFatal, beginReadOnly, isForbidden } from '../duckdb/transactions.js'
import { quoteText } from '../duckdb/quote.js'
import { readOnlyUser } from '../users/Identity.js'
import type { AnswerCache, CachedAnswer } from './cache/AnswerCache.js'
import { CacheUse, hit } from './cache/CacheUse.js'
import type { Volatility } from './cache/Volatility.js'
import { queryEnded } from './Cancellation.js'
import { sizeByPlan } from './computeSize.js'
import type { Guard } from './guard/Guard.js'
import { readHead } from './text/readHead.js'
import { onlyReads } from './prepareOne.js'
import { openRows, type OpenRowsOptions } from './openRows.js'
import { planStatement, type Plan } from './planStatement.js'
import { type QueryJob, refusalOf } from './QueryJob.js'
import { LoggedQuery, type QueryInfo, type QueryLog } from './QueryLog.js'
import type { QueryThreads } from './QueryThreads.js'
import { readStats } from './readPlan.js'
import { messageOf, refuseField, refuseStatement, givenUp, type OnGivenUp } from './refuse.js'
import { linesAsRows } from './rows/bufferRows.js'
import type { ParquetFile } from './rows/exportParquet.js'
import type { Rows } from './rows/streamRows.js'
import { Turn, type TurnOptions } from './Turn.js'
import { enterConnection, pathOfRequest, type SearchPath } from './searchPath.js'
import type { HeldConnection, HeldConnections } from './HeldConnections.js'

export interface QueryRunnerOptions extends OpenRowsOptions, TurnOptions {
  connections: HeldConnections
  log: QueryLog
  guard: Guard
  /** The search path of a new connection, and of one whose schema was dropped. */
  home: SearchPath
  cache: AnswerCache
  volatility: Volatility
  threads: number
  queryThreads: QueryThreads
  room: DiskRoom
  onGivenUp: OnGivenUp
}

/**
 * A query whose rows are ready to be read. The reader must call `end` or `fail`. A query that is cancelled ends by
 * itself, because its reader may ask for no more rows for as long as it likes; what the reader then calls is refused.
 */
export interface RunningQuery {
  /** Undefined when the answer comes from the cache, as none does that is asked for by the Postgres protocol. */
  plan: Plan | undefined
  rows: Rows | ParquetFile
  info: QueryInfo
  startedMs: number
  /** Paused while the answer waits for its client to read, so that another query may run. */
  turn: Pausable
  /** Aborted when nothing more is to be sent. */
  signal: AbortSignal
  end(): Promise<void>
  /** Returns the error for the client at once. The clean-up waits until nothing is being fetched. */
  fail(error: unknown): unknown
}

type Cleanup = () => void

/** Stands for DuckDB's rows in a query that DuckDB need not run. It holds no permit that it could pause. */
const cachedQuery = ({
  names,
  types,
  lines,
}: CachedAnswer): Pick<RunningQuery, 'plan' | 'rows' | 'turn'> => ({
  plan: undefined,
  rows: linesAsRows(names, types, lines),
  turn: { pause: () => undefined, resume: () => Promise.resolve() },
})

const outOfMemory = /out of memory/i
/** These make room on the disk, so they may run when it is full. */
const freeing = /^(drop|delete|truncate)$/
const isFreeing = ({ tokens }: Plan) => freeing.test(readHead(tokens).verb)

export class QueryRunner {
  readonly counts: QueryCounts = { ...noQueries }
  readonly #options: QueryRunnerOptions

  constructor(options: QueryRunnerOptions) {
    this.#options = options
  }

  /** Waits for its turn, plans the statement and opens its rows. Rejects with an HttpError when any of these fails. */
  async run(job: QueryJob): Promise<RunningQuery> {
    const { connections, log, threads, queryThreads, readable, home } = this.#options
    const { request, user, userAgent, cancellation } = job
    const statement = job.postgres?.text ?? request.statement
    const asked = { user, statement }
    cancellation.asked = asked
    const isEphemeral = request.ephemeral === true
    const held =
      job.postgres?.held ??
      (isEphemeral
        ? await connections.openEphemeral(user)
        : await connections.open(user, request.session_id ?? undefined))
    const clientInterface = job.postgres === undefined ? 'HTTP' : 'Postgres'
    const query = new LoggedQuery({
      user,
      userAgent,
      request,
      held,
      cancellation,
      threads,
      clientInterface,
    })
    const cleanups: Cleanup[] = []
    const cleanUp = () => {
      for (const cleanup of cleanups.splice(0).toReversed()) cleanup()
      if (isEphemeral) void connections.end(held)
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
      // A query that has ended, and is ended again, is counted once.
      if (state !== 'waiting' && state !== 'running') return
      this.counts[state]--
      this.counts[next]++
      state = next
    }
    const refusal = refusalOf(job)
    let endReading: (() => Promise<void>) | undefined
    let release: Cleanup | undefined
    let failure: unknown
    const fail = (error: unknown, rows?: Rows | ParquetFile): unknown => {
      if (failure !== undefined) return failure
      const ended = isFatal(error) ? givenUp(error, this.#options.onGivenUp, asked) : undefined
      const reported = cancellation.error ?? (isForbidden(error) ? refusal : undefined) ?? ended ?? error
      failure = reported
      enter(cancellation.isCancelled ? 'cancelled' : 'failed')
      query.end(messageOf(reported))
      // A failed statement may leave memory with its connection, so a connection whose id no client
      // knows yet is closed. A connection that a client named is closed only when memory was short.
      const isShort = outOfMemory.test(messageOf(error))
      if (isShort) this.#options.cache.clear()
      const isSpent = isShort || (!held.isNamed && !cancellation.isCancelled)
      // DuckDB crashes when a connection is closed, or takes its next query, during a fetch.
      const closed = rows !== undefined && 'close' in rows ? rows.close?.() : undefined
      void Promise.resolve(closed).then(async () => {
        release?.()
        await endReading?.()
        cleanUp()
        if (isSpent) void connections.end(held)
      })
      return reported
    }
    try {
      // The connection is taken before the permit. The other way round, queries that wait for one
      // connection could hold all the permits that the query on that connection waits for.
      cleanups.push(await held.enter(cancellation.signal))
      // What the connection has of its own is gone with the engine, and the answer would be another one.
      if (held.mayHoldOwn || held.path !== home) job.onceOnly?.()
      const path = pathOfRequest(request, held.path, readable)
      const caching = CacheUse.of(this.#options, job, held, path)
      const cached = caching?.find()
      if (cached !== undefined) {
        query.start()
        enter('running')
        query.info.fingerprint = cached.fingerprint
        query.info.threads = 0
        const end = () => {
          enter('completed')
          query.end()
          query.info.stats = { caching: hit(cached.lines.length), memory: null, scan: null }
          cleanUp()
          return Promise.resolve()
        }
        const { info } = query
        const startedMs = performance.now()
        return { ...cachedQuery(cached), info, startedMs, signal: cancellation.signal, end, fail }
      }
      const turn = new Turn(this.#options, user, cancellation)
      cleanups.push(() => turn.leave())
      await turn.take(request.compute_size)
      cleanups.push(await queryThreads.enter())
      query.start()
      enter('running')
      const startedMs = performance.now()
      release = cancellation.guard(held.connection)
      cleanups.push(release)
      if (cancellation.error !== undefined) throw cancellation.error

      caching?.begin()
      const lost = await this.#enter(job, held)
      if (refusal !== undefined) endReading = await beginReadOnly(held.connection)
      const plan = await this.#plan(job, held, query)
      // A name without a schema may exist in the home schema too, and there it would be the wrong table.
      if (lost !== undefined && plan.kind === 'change') throw refuseStatement(lost)
      cleanups.push(() => plan.prepared.destroySync())
      if (request.compute_size === 'AUTO') {
        await turn.take(await sizeByPlan(held.connection, plan))
        query.start()
      }
      held.mayHoldOwn ||= plan.kind === 'change' || plan.kind === 'other'
      if (plan.kind === 'change') job.onceOnly?.()
      cleanups.push(await this.#watchDisk(job, plan))
      const opened = await openRows(this.#options, { job, held, plan })
      const rows = caching === undefined || 'file' in opened ? opened : caching.watch(opened)
      const { signal } = cancellation
      const endCancelled = () => void fail(cancellation.error, rows)
      if (signal.aborted) endCancelled()
      else signal.addEventListener('abort', endCancelled, { once: true })
      const end = async () => {
        if (failure !== undefined) throw failure
        signal.removeEventListener('abort', endCancelled)
        release?.()
        enter('completed')
        query.end()
        if ('close' in rows) await rows.close?.()
        await endReading?.()
        const stats = await readStats(held.connection, plan)
        if (stats !== null && caching !== undefined && !('file' in rows))
          stats.caching = await caching.end(held.connection, plan, rows, query.info.fingerprint)
        query.info.stats = stats
        cleanUp()
      }
      return {
        plan,
        rows,
        info: query.info,
        startedMs,
        turn: turn.whileReading(rows),
        signal,
        end,
        fail: (error) => fail(error, rows),
      }
    } catch (error) {
      throw fail(error)
    }
  }

  /** Returns the message for a change when the connection's own schema was dropped. */
  async #enter({ request }: QueryJob, held: HeldConnection): Promise<string | undefined> {
    const { readable, home } = this.#options
    const { connection } = held
    const lost = await enterConnection(held, request, readable, home)
    if (lost !== undefined) held.path = home
    const timezone = request.timezone ?? held.timezone
    await connection.run(`SET TimeZone = ${quoteText(timezone)}`).catch((error: unknown) => {
      if (isFatal(error)) throw error
      throw refuseField(`timezone: ${messageOf(error).split('\n', 1)[0]}`)
    })
    return lost
  }

  async #plan(job: QueryJob, { connection }: HeldConnection, query: LoggedQuery): Promise<Plan> {
    const { request, role, readsOnly, postgres } = job
    const text = postgres?.text ?? request.statement
    const plan = await planStatement(connection, this.#options.guard, text)
    query.describe(plan.tokens)
    if (readsOnly !== undefined && plan.kind !== 'read') throw readsOnly
    if (role === 'read' && !onlyReads(plan)) throw readOnlyUser()
    postgres?.admit(plan)
    return plan
  }

  /** When there is too little room, a statement that fills the disk is not begun, and one that runs is ended. */
  async #watchDisk({ layout, cancellation }: QueryJob, plan: Plan): Promise<Cleanup> {
    const { room } = this.#options
    const fills = layout === 'parquet' || (plan.kind === 'change' && !isFreeing(plan))
    if (fills && (await room.isShort())) throw queryEnded('disk')
    return room.watch({ fills, end: () => cancellation.cancel('disk') })
  }
}
