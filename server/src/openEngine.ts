import { applyAnalytics } from './analytics/applyAnalytics.js'
import { fillWindow } from './analytics/insertIds.js'
import { InsertIdWindow } from './analytics/InsertIdWindow.js'
import { openAnalytics } from './analytics/openAnalytics.js'
import { appendRoute } from './append/appendRoute.js'
import { applyAppends } from './append/applyAppends.js'
import type { Authorize, Route } from './http/Route.js'
import type { Logger } from './Logger.js'
import type { CompleteOptions } from './options/ServerOptions.js'
import { openSql } from './sql/openSql.js'
import { analyticsCatalog } from './store/analyticsSchema.js'
import { Database } from './store/Database.js'
import type { DataFolder } from './store/DataFolder.js'
import { internalSchema, lakehouseSchema } from './store/lakehouseSchema.js'
import { quoteIdentifier } from './store/quote.js'
import { uploadRoutes } from './upload/uploadRoutes.js'
import { CatalogWriter } from './wal/CatalogWriter.js'
import type { Intake } from './wal/Intake.js'
import type { LogStore } from './wal/LogStore.js'
import type { TaskIds } from './wal/TaskIds.js'

export interface EngineOptions {
  options: CompleteOptions
  folder: DataFolder
  database: Database
  logs: LogStore
  taskIds: TaskIds
  authorize: Authorize
  logger: Logger
}

export interface Engine {
  /** The lakehouse group. */
  routes: Route[]
  /** Of the analytics catalog. */
  analytics: Intake
  intakes: Intake[]
  /** Ends what would keep requests open. */
  stop(): void
  close(): Promise<void>
}

export const openDatabase = async (folder: DataFolder, options: CompleteOptions): Promise<Database> => {
  const catalogs = [analyticsCatalog, ...options.catalogs]
  const database = await Database.open({ folder, catalogs, memoryLimit: options.memoryLimit })
  const connection = await database.connect()
  await openAnalytics(connection)
  for (const catalog of options.catalogs) await connection.run(lakehouseSchema(catalog))
  connection.closeSync()
  return database
}

/** All that needs DuckDB: the writers of the catalogs, SQL, appends and uploads. */
export const openEngine = async (given: EngineOptions): Promise<Engine> => {
  const { options, folder, database, logs, taskIds, authorize, logger } = given
  const { catalogs } = options
  const shared = { ...options, database, logs, taskIds, logger }
  const window = new InsertIdWindow({ folder: folder.insertIds, windowMs: options.insertIdWindowMs })
  const reader = await database.connect()
  await fillWindow(reader, window)
  reader.closeSync()
  const analytics = await CatalogWriter.open({
    ...shared,
    catalog: analyticsCatalog,
    schema: 'analytics.raw',
    applyEntries: applyAnalytics({ ...options, window }),
  })
  const writers = [analytics]
  const intakes = new Map<string, Intake>()
  for (const catalog of catalogs) {
    const writer = await CatalogWriter.open({
      ...shared,
      catalog,
      schema: `${quoteIdentifier(catalog)}.${internalSchema}`,
      applyEntries: applyAppends(catalog),
    })
    writers.push(writer)
    intakes.set(catalog, writer.intake)
  }
  const sql = await openSql({ ...options, authorize, database, tempFolder: folder.temp })
  const connection = await database.connect()
  const intakeOf = (catalog: string) => intakes.get(catalog)!
  return {
    routes: [
      ...sql.routes,
      appendRoute({ authorize, catalogs, connection, intakeOf }),
      ...uploadRoutes({ authorize, database, catalogs, tempFolder: folder.temp }),
    ],
    analytics: analytics.intake,
    intakes: writers.map(({ intake }) => intake),
    stop: () => sql.stop(),
    async close() {
      await sql.close()
      connection.closeSync()
      for (const writer of writers.toReversed()) await writer.close()
      await window.close()
    },
  }
}
