import type { ArchiveFolder } from '../archive/ArchivedFile.js'
import type { CompleteOptions } from '../options/ServerOptions.js'
import { analyticsCatalog } from '../store/analyticsSchema.js'
import { Database } from '../store/Database.js'
import type { DataFolder } from '../store/DataFolder.js'
import { internalSchema, lakehouseSchema } from '../store/lakehouseSchema.js'
import { quoteIdentifier } from '../store/quote.js'
import { makeRejectedView } from '../store/rejectedSchema.js'
import { storingThreads } from '../store/storingThreads.js'
import { openAnalytics } from './openAnalytics.js'

/** Opens all catalogs, and makes their tables when they are missing. */
export const openDatabase = async (
  folder: DataFolder,
  { memoryLimit, threads, catalogs, minFreeDiskBytes }: CompleteOptions,
  archive: ArchiveFolder | undefined,
) => {
  const database = await Database.open({
    folder,
    memoryLimit,
    minFreeDiskBytes,
    threads: storingThreads(threads),
    catalogs: [analyticsCatalog, ...catalogs],
    more: archive === undefined ? [] : [archive.path],
  })
  const connection = await database.connect()
  await openAnalytics(connection, archive)
  await makeRejectedView(connection, analyticsCatalog, `${analyticsCatalog}.raw.rejected`)
  for (const catalog of catalogs) {
    await connection.run(lakehouseSchema(catalog))
    await makeRejectedView(connection, catalog, `${quoteIdentifier(catalog)}.${internalSchema}.rejected`)
  }
  connection.closeSync()
  return database
}
