import type { DuckDBConnection } from '@duckdb/node-api'
import type { Route } from '../http/Route.js'
import { analyticsCatalog } from '../duckdb/quote.js'
import { ConcurrencyLimit } from '../duckdb/ConcurrencyLimit.js'
import type { Database } from '../duckdb/Database.js'
import type { DiskRoom } from '../disk/DiskRoom.js'
import { type GivingBack, isMemoryFree } from '../duckdb/givingBack.js'
import type { Stillness } from '../duckdb/Upkeep.js'
import { storingThreads } from '../duckdb/runPrepared.js'
import { assistRoutes } from './assist/assistRoutes.js'
import { AnswerCache } from './cache/AnswerCache.js'
import { Volatility } from './cache/Volatility.js'
import type { AnswererOptions } from './answerer.js'
import { Cancellation, type CancelReason, type OnRun, type OnStuck } from './Cancellation.js'
import type { ColumnsForm } from './columnsForm.js'
import { Translator } from './dialects/Translator.js'
import type { OnGivenUp } from './refuse.js'
import { Guard } from './guard/Guard.js'
import { QueryLog } from './QueryLog.js'
import { queryRoutes } from './queryRoutes.js'
import { QueryRunner } from './QueryRunner.js'
import { QueryThreads } from './QueryThreads.js'
import { HeldConnections, type HeldConnection } from './HeldConnections.js'
import { type Outcome, withoutQueries } from './withoutQueries.js'
import { dataChanges } from '../duckdb/transactions.js'
import { type Place, Turn } from './Turn.js'

interface Inspection {
  held: HeldConnection
  cancellation: Cancellation
  /** Without one, the statement is looked at where the connection is. */
  place?: Place
  /** Whether the work may change nothing. DuckDB can plan a change only in a transaction that could make it. */
  readsOnly: boolean
}

/** Runs `work`, which looks at a statement and does not run it, in a turn as a query has one. */
export type Inspect = <T>(
  inspection: Inspection,
  work: (connection: DuckDBConnection, guard: Guard) => Promise<T>,
) => Promise<T>

/** Longer than this no client waits to learn about a statement that it has not run. */
const longestMs = 30_000

export interface SqlOptions {
  database: Database
  catalogs: readonly string[]
  tempFolder: string
  room: DiskRoom
  givingBack: GivingBack
  statementTimeoutMs: number
  maxQueries: number
  /** How many threads DuckDB computes with while a query runs. */
  threads: number
  /** What stores rows beside the queries. */
  storing: Stillness
  /** How much memory DuckDB may use. */
  memoryBytes: number
  columns: ColumnsForm
  /** How long a cancelled statement may go on before it counts as one that cannot be stopped. */
  stuckAfterMs: number
  onStuck: OnStuck
  onRun: OnRun
  onGivenUp: OnGivenUp
}

export interface Sql {
  routes: Route[]
  runner: QueryRunner
  connections: HeldConnections
  inspect: Inspect
  /** Ends a look at a statement in time, or when the service stops; the returned function ends the watch. */
  watch(cancellation: Cancellation): () => void
  /** What a route needs to answer with rows. */
  answering: AnswererOptions
  /** The catalogs that may be read. */
  readable: readonly string[]
  newCancellation(): Cancellation
  /** Cancels all queries that run or wait. */
  cancelAll(reason: CancelReason): void
  /** What tells a statement from others, whatever its spaces, comments and case. */
  keyOf(statement: string): string
  /** From now on refuses the statements of these keys, each with a reason. */
  refuse(statements: readonly (readonly [key: string, reason: string])[]): void
  /** Does work that needs much memory while nothing else is under way; queries that take too long are cancelled. */
  withoutQueries(work: (isFree: boolean) => Promise<void>): Promise<Outcome>
  close(): Promise<void>
}

const maxBodyBytes = 8 * 1_048_576
/** The cache lies beside DuckDB's memory, so it is small. With a small --memory-limit it is a 64th of that. */
const maxCacheBytes = 16 * 1_048_576
const maxWaiting = 200
/** How many statements of the compute_size XS find room when all else is taken. */
const keptForSmall = 2
/** How many answers may wait for clients that do not read. Each keeps up to 20 MiB of DuckDB's memory: a hundred once ended the engine. */
const maxPaused = 32
const bytesPaused = 64 * 1_048_576
const maxHeldConnections = 64
const heldIdleMs = 600_000
const maxLogged = 10_000

/** Opens the part of the service that runs users' SQL. */
export const openSql = async (options: SqlOptions): Promise<Sql> => {
  const { database, catalogs, tempFolder, maxQueries, threads, statementTimeoutMs, onGivenUp } = options
  const guard = await Guard.open()
  const volatility = await Volatility.open()
  const cache = new AnswerCache(Math.min(maxCacheBytes, options.memoryBytes / 64), dataChanges)
  const queryThreads = new QueryThreads(await database.connect(), threads, storingThreads(threads))

  const log = new QueryLog(maxLogged)
  const home = { catalog: catalogs[0]!, schema: 'main' }
  const readable = [...catalogs, analyticsCatalog]
  const limit = new ConcurrencyLimit({
    permits: maxQueries,
    kept: keptForSmall,
    maxWaiting,
    maxPaused: Math.max(2, Math.min(maxPaused, Math.floor(options.memoryBytes / bytesPaused))),
  })
  const connections = new HeldConnections({
    connect: () => database.connect(),
    home,
    maxConnections: maxHeldConnections,
    idleMs: heldIdleMs,
  })
  const turns = { limit, permits: maxQueries, timeoutMs: statementTimeoutMs, readable, home, onGivenUp }
  const runner = new QueryRunner({
    ...turns,
    connections,
    log,
    guard,
    catalogs,
    tempFolder,
    cache,
    volatility,
    threads,
    queryThreads,
    room: options.room,
    givingBack: options.givingBack,
  })
  const translator = new Translator()
  const { translate } = translator
  const inspections = new Set<Cancellation>()
  /** Ends a look at a statement in time; waiting for its turn counts, and so does translating. */
  const watch = (cancellation: Cancellation) => {
    inspections.add(cancellation)
    const end = () => cancellation.cancel('timeout')
    const timer = setTimeout(end, Math.min(statementTimeoutMs, longestMs))
    return () => {
      clearTimeout(timer)
      inspections.delete(cancellation)
    }
  }
  const inspect: Inspect = async ({ held, cancellation, place = {}, readsOnly }, work) => {
    const turn = new Turn(turns, held, cancellation)
    try {
      await turn.open()
      await turn.take()
      await turn.enter(place, readsOnly)
      const found = await work(held.connection, guard)
      // An interrupted statement must not be called a wrong one.
      if (cancellation.error !== undefined) throw cancellation.error
      return found
    } catch (error) {
      throw turn.errorOf(error)
    } finally {
      await turn.close()
    }
  }
  const newCancellation = () => new Cancellation(options.stuckAfterMs, options.onStuck, options.onRun)
  const cancelAll = (reason: CancelReason) => {
    for (const query of log.live()) query.cancel(reason)
    for (const inspection of inspections) inspection.cancel(reason)
  }
  const alone = withoutQueries({
    others: [limit, options.storing],
    isMemoryFree: () => database.use((connection) => isMemoryFree(connection, options.memoryBytes)),
    cancelAll: () => cancelAll('memory'),
  })
  const answering = { newCancellation, runner, workerSlug: 'local', translate }
  return {
    runner,
    connections,
    readable,
    answering,
    inspect,
    watch,
    newCancellation,
    routes: [
      ...queryRoutes({
        ...answering,
        log,
        connections,
        maxBodyBytes,
        columns: options.columns,
      }),
      ...assistRoutes({ inspect, watch, connections, newCancellation, translate, readable, maxBodyBytes }),
    ],
    cancelAll,
    keyOf: (statement) => guard.keyOf(statement),
    refuse: (statements) => guard.refuse(statements),
    withoutQueries(work) {
      cache.clear()
      return alone(work)
    },
    async close() {
      translator.close()
      await connections.close()
      await queryThreads.close()
    },
  }
}
