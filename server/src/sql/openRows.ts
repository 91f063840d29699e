import type { DuckDBConnection, DuckDBMaterializedResult } from '@duckdb/node-api'
import { HttpError } from '../http/HttpError.js'
import { isDiskFull } from '../OperatorError.js'
import type { GivingBack } from '../duckdb/givingBack.js'
import { queryEnded } from './Cancellation.js'
import { readHead } from './text/readHead.js'
import type { HeldConnection } from './HeldConnections.js'
import type { Plan } from './planStatement.js'
import type { QueryJob } from './QueryRequest.js'
import { messageOf, throwRefused } from './refuse.js'
import { bufferRows } from './rows/bufferRows.js'
import type { Layout } from './rows/encodeRows.js'
import { exportParquet, type ParquetFile } from './rows/exportParquet.js'
import { streamRows, type Rows } from './rows/streamRows.js'
import { enterPath, pathOfUse } from './searchPath.js'
import { bindTransaction } from '../schema/analyticsSchema.js'
import { inTransaction, retryConflicts, definitionChanges, isReading } from '../duckdb/transactions.js'

const crossing = /write to database "([^"]+)" in a transaction that has already modified/

export interface RunChangeOptions {
  connection: DuckDBConnection
  plan: Plan
  /** The catalog to try first. */
  catalog: string
  /** All catalogs that may be written to. */
  catalogs: readonly string[]
  isStopped(): boolean
}

const defining = /^(create|alter|drop)$/

const runInOne = async (options: RunChangeOptions): Promise<DuckDBMaterializedResult> => {
  const { connection, plan, catalog, catalogs, isStopped } = options
  const runIn = (bound: string) =>
    retryConflicts(
      () =>
        inTransaction(connection, async () => {
          await connection.run(bindTransaction(bound))
          return plan.prepared.run()
        }),
      () => !isStopped(),
    )
  try {
    return await runIn(catalog)
  } catch (error) {
    // Only this error of DuckDB's says which catalog the statement writes to.
    const other = crossing.exec(messageOf(error))?.[1]
    if (other === undefined) throw error
    if (other === catalog || !catalogs.includes(other)) {
      throw new Error(`The catalog ${other} cannot be changed by SQL.`, { cause: error })
    }
    return runIn(other)
  }
}

/** Runs a change in a transaction that can write to one catalog. It finds out which one the statement writes to. */
export const runChange = (options: RunChangeOptions): Promise<DuckDBMaterializedResult> =>
  defining.test(readHead(options.plan.tokens).verb)
    ? definitionChanges.during(() => runInOne(options))
    : runInOne(options)

export interface OpenRowsOptions {
  /** Catalogs that may be written to. */
  catalogs: readonly string[]
  /** Catalogs that may be read. */
  readable: readonly string[]
  /** The folder in which Parquet files are written before they are sent. */
  tempFolder: string
  givingBack: GivingBack
}

interface Planned {
  job: QueryJob
  held: HeldConnection
  plan: Plan
}

const isDropping = ({ tokens }: Plan) => /^(drop|truncate)$/.test(readHead(tokens).verb)

const use = async ({ readable }: OpenRowsOptions, { held, plan }: Planned, layout: Layout): Promise<Rows> => {
  const path = pathOfUse(plan.tokens, held.path, readable)
  await enterPath(held.connection, path)
  held.path = path
  const nothing = await held.connection.run('SELECT true AS "Success" WHERE false')
  return bufferRows(held.connection, nothing, layout, {})
}

const change = async (
  { catalogs, givingBack }: OpenRowsOptions,
  { job, held, plan }: Planned,
  layout: Layout,
): Promise<Rows> => {
  const { connection, path } = held
  const catalog = catalogs.includes(path.catalog) ? path.catalog : catalogs[0]!
  const isStopped = () => job.cancellation.isCancelled
  const result = await givingBack(
    () => runChange({ connection, plan, catalog, catalogs, isStopped }),
    isDropping(plan),
  )
  return bufferRows(connection, result, layout, job.page)
}

/** Runs a planned statement and opens its rows. Throws an HttpError when it fails before its first row. */
export const openRows = async (options: OpenRowsOptions, planned: Planned): Promise<Rows | ParquetFile> => {
  const { job, held, plan } = planned
  const { connection } = held
  const { layout, page, cancellation } = job
  try {
    if (layout === 'parquet')
      return await exportParquet(connection, { plan, page, folder: options.tempFolder })
    if (layout === 'arrow') {
      // Few ask for it, and the library for it is large.
      const { streamArrow } = await import('./rows/streamArrow.js')
      return await streamArrow({ connection, plan, page, cancellation })
    }
    if (plan.kind === 'read') {
      const rows = await streamRows({ connection, plan, layout, page, cancellation })
      if (rows !== undefined) return rows
    }
    if (plan.kind === 'use') return await use(options, planned, layout)
    // EXPLAIN counts as a change. In a transaction that only reads it can run as it is.
    if (plan.kind === 'change' && !isReading(connection)) return await change(options, planned, layout)
    const rows = await bufferRows(connection, await plan.prepared.run(), layout, page)
    const zone = await connection.runAndReadAll(`SELECT current_setting('TimeZone')`)
    held.timezone = zone.getRows()[0]![0] as string
    return rows
  } catch (error) {
    if (error instanceof HttpError) throw error
    if (cancellation.error !== undefined) throw cancellation.error
    if (isDiskFull(messageOf(error))) throw queryEnded('disk')
    return throwRefused(error, plan)
  }
}
