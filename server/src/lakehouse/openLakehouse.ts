import type { IncomingMessage } from 'node:http'
import type { Route } from '../http/Route.js'
import type { Ledger } from '../ingest/createLedger.js'
import { openLedger, type OpenLedger, type OpenLedgerOptions } from '../ingest/openLedger.js'
import { internalSchema } from '../store/lakehouseSchema.js'
import { quoteIdentifier } from '../store/quoteIdentifier.js'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createAdmission } from '../query/createAdmission.js'
import { createUploadRoutes } from '../upload/createUploadRoutes.js'
import { createApplyAppends } from './applyAppends.js'
import { createAppendRoute } from './createAppendRoute.js'

export interface LakehouseOptions extends Omit<OpenLedgerOptions, 'catalog' | 'schema' | 'applyEntries'> {
  authorize(request: IncomingMessage): string
  catalogs: readonly string[]
  folder: string
}

export interface Lakehouse {
  routes: Route[]
  ledgers: Ledger[]
  close(): Promise<void>
}

const appendBytes = 64 * 1_048_576
/** Each needs much of the engine's memory, so few files are read at once. */
const maxUploads = 1
const maxWaitingUploads = 20

/** The writing part of the lakehouse group: each catalog with its accept log and writer. */
export const openLakehouse = async (options: LakehouseOptions): Promise<Lakehouse> => {
  const { authorize, catalogs, database, folder } = options
  const open = new Map<string, OpenLedger>()
  for (const catalog of catalogs) {
    const schema = `${quoteIdentifier(catalog)}.${internalSchema}`
    open.set(
      catalog,
      await openLedger({ ...options, catalog, schema, applyEntries: createApplyAppends(catalog) }),
    )
  }
  const connection = await database.connect()
  // Without an ending in its name no file in it is a table to SQL, and functions that read files are refused.
  const spoolFolder = join(folder, 'temp', 'spool')
  rmSync(spoolFolder, { recursive: true, force: true })
  return {
    routes: [
      createAppendRoute({
        authorize,
        catalogs,
        connection,
        maxBodyBytes: appendBytes,
        ledgerOf: (catalog) => open.get(catalog)!.ledger,
      }),
      ...createUploadRoutes({
        authorize,
        database,
        catalogs,
        spoolFolder,
        admission: createAdmission(maxUploads, maxWaitingUploads),
      }),
    ],
    ledgers: [...open.values()].map(({ ledger }) => ledger),
    async close() {
      for (const each of open.values()) await each.close()
      connection.closeSync()
    },
  }
}
