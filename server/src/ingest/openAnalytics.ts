import { analyticsCatalog, analyticsSchema } from '../store/analyticsSchema.js'
import { createAnalyticsApply } from './createAnalyticsApply.js'
import { openLedger, type OpenLedger, type OpenLedgerOptions } from './openLedger.js'

export interface AnalyticsOptions extends Omit<OpenLedgerOptions, 'catalog' | 'schema' | 'applyEntries'> {
  environments: readonly string[]
  insertIdWindow: number
}

/** The analytics catalog: its tables and views, its accept log and its writer. */
export const openAnalytics = async (options: AnalyticsOptions): Promise<OpenLedger> => {
  const connection = await options.database.connect()
  await connection.run(analyticsSchema)
  connection.closeSync()
  return openLedger({
    ...options,
    catalog: analyticsCatalog,
    schema: 'analytics.raw',
    applyEntries: createAnalyticsApply(options),
  })
}
