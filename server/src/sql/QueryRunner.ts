import { noQueries, type QueryCounts } from '../link/messages.js'
import type { Pausable } from '../duckdb/ConcurrencyLimit.js'
import type { DiskRoom } from '../disk/DiskRoom.js'
import { isForbidden } from '../duckdb/transactions.js'
import { readOnlyUser } from '../users/Identity.js'
import { type AnswerCache, type CachedAnswer, CacheUse, hit } from './cache/AnswerCache.js'
import type { Volatility } from './cache/Volatility.js'
import { queryEnded } from './Cancellation.js'
import { sizeByPlan } from './computeSize.js'
import type { Guard } from './guard/Guard.js'
import { readHead } from './text/readHead.js'
import { onlyReads } from './prepareOne.js'
import { openRows, type OpenRowsOptions } from './openRows.js'
import { planStatement, type Plan } from './planStatement.js'
import { type QueryJob, refusalOf } from './QueryRequest.js'
import { LoggedQuery, type QueryInfo, type QueryLog } from './QueryLog.js'
import type { QueryThreads } from './QueryThreads.js'
import { readStats } from './readPlan.js'
import { messageOf, refuseStatement } from './refuse.js'
import { linesAsRows } from './rows/bufferRows.js'
import type { ParquetFile } from './rows/exportParquet.js'
import type { Rows } from './rows/streamRows.js'
import { Turn, type TurnOptions } from './Turn.js'
import { pathOfRequest } from './searchPath.js'
import type { HeldConnection, HeldConnections } from './HeldConnections.js'

export interface QueryRunnerOptions extends OpenRowsOptions, TurnOptions {
  connections: HeldConnections
  log: QueryLog
  guard: Guard
  cache: AnswerCache
  volatility: Volatility
  threads: number
  queryThreads: QueryThreads
  room: DiskRoom
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

const shortMs = 100

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
    const turn = new Turn(this.#options, held, cancellation)
    if (isEphemeral) turn.undo(() => void connections.end(held))
    try {
      log.add(query)
    } catch (error) {
      await turn.close()
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
    let failure: unknown
    const fail = (error: unknown): unknown => {
      if (failure !== undefined) return failure
      failure = turn.errorOf(isForbidden(error) ? (refusal ?? error) : error)
      enter(cancellation.isCancelled ? 'cancelled' : 'failed')
      query.end(messageOf(failure))
      // A failed statement may leave memory with its connection, so a connection whose id no client
      // knows yet is closed. A connection that a client named is closed only when memory was short.
      const isShort = outOfMemory.test(messageOf(error))
      if (isShort) this.#options.cache.clear()
      const isSpent = isShort || (!held.isNamed && !cancellation.isCancelled)
      void turn.close().then(() => (isSpent ? connections.end(held) : undefined))
      return failure
    }
    try {
      await turn.open()
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
          return turn.close()
        }
        const { info } = query
        const startedMs = performance.now()
        return { ...cachedQuery(cached), info, startedMs, signal: cancellation.signal, end, fail }
      }
      await turn.take(request.compute_size)
      turn.undo(await queryThreads.enter())
      query.start()
      enter('running')
      const startedMs = performance.now()

      caching?.begin()
      const lost = await turn.enter(request, refusal !== undefined)
      if (lost !== undefined) held.path = home
      const plan = await this.#plan(job, held, query)
      // A name without a schema may exist in the home schema too, and there it would be the wrong table.
      if (lost !== undefined && plan.kind === 'change') throw refuseStatement(lost)
      turn.undo(() => plan.prepared.destroySync())
      if (request.compute_size === 'AUTO') {
        await turn.take(await sizeByPlan(held.connection, plan))
        query.start()
      }
      // It may enter another schema or zone.
      if (plan.kind !== 'read') held.entered = undefined
      held.mayHoldOwn ||= plan.kind === 'change' || plan.kind === 'other'
      if (plan.kind === 'change') job.onceOnly?.()
      turn.undo(await this.#watchDisk(job, plan))
      const opened = await openRows(this.#options, { job, held, plan })
      const rows = caching === undefined || 'file' in opened ? opened : caching.watch(opened)
      const reading = turn.whileReading(rows)
      const { signal } = cancellation
      const endCancelled = () => void fail(cancellation.error)
      if (signal.aborted) endCancelled()
      else signal.addEventListener('abort', endCancelled, { once: true })
      const end = async () => {
        if (failure !== undefined) throw failure
        signal.removeEventListener('abort', endCancelled)
        enter('completed')
        query.end()
        await turn.settle()
        // Tools send many short ones, and to read what one has cost takes as long again.
        const isShort = job.postgres !== undefined && performance.now() - startedMs < shortMs
        const stats = isShort ? null : await readStats(held.connection, plan)
        if (stats !== null && caching !== undefined && !('file' in rows))
          stats.caching = await caching.end(held.connection, plan, rows, query.info.fingerprint)
        query.info.stats = stats
        await turn.close()
      }
      return { plan, rows, info: query.info, startedMs, turn: reading, signal, end, fail }
    } catch (error) {
      throw fail(error)
    }
  }

  async #plan(job: QueryJob, { connection }: HeldConnection, query: LoggedQuery): Promise<Plan> {
    const { request, role, readsOnly, postgres } = job
    const statement = postgres === undefined ? request.statement : { rewritten: postgres.text }
    const plan = await planStatement(connection, this.#options.guard, statement)
    query.describe(plan.tokens)
    if (readsOnly !== undefined && plan.kind !== 'read') throw readsOnly
    if (role === 'read' && !onlyReads(plan)) throw readOnlyUser()
    postgres?.admit(plan)
    return plan
  }

  /** When there is too little room, a statement that fills the disk is not begun, and one that runs is ended. */
  async #watchDisk({ layout, cancellation }: QueryJob, plan: Plan): Promise<() => void> {
    const { room } = this.#options
    const fills = layout === 'parquet' || (plan.kind === 'change' && !isFreeing(plan))
    if (fills && (await room.isShort())) throw queryEnded('disk')
    return room.watch({ fills, end: () => cancellation.cancel('disk') })
  }
}
