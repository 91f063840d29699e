import type { DuckDBConnection } from '@duckdb/node-api'
import { archiveSchema } from '../store/archiveSchema.js'
import { analyticsSchema, storeVersion } from '../store/analyticsSchema.js'
import { builtInColumns, builtInsSql } from '../store/builtInColumns.js'
import { markUserAgents } from './markBots.js'
import { StoreError } from '../store/StoreError.js'
import { inTransaction } from '../store/transactions.js'

/** Events of earlier versions have no verdict. */
const firstWithBots = 3

/** Undefined in a new store. */
const readVersion = async (connection: DuckDBConnection): Promise<number | undefined> => {
  const tables = await connection.runAndReadAll(
    `SELECT table_name FROM duckdb_tables() WHERE database_name = 'analytics' AND schema_name = 'raw'`,
  )
  const names = tables.getRows().flat()
  if (names.includes('store')) {
    const reader = await connection.runAndReadAll('SELECT version FROM analytics.raw.store')
    return reader.getRows()[0]![0] as number
  }
  return names.includes('events') ? 1 : undefined
}

const utc = (column: string) => `${column} AT TIME ZONE 'UTC'`

/**
 * Times were in UTC without saying so, and built-in properties had no columns. The tables are written
 * anew, because DuckDB would keep both values of an updated row in memory. `persons` follows from the others.
 */
const fromFirst = [
  'ALTER TABLE analytics.raw.events RENAME TO old_events',
  'ALTER TABLE analytics.raw.traits RENAME TO old_traits',
  'DROP TABLE IF EXISTS analytics.raw.persons',
  'DROP TABLE IF EXISTS analytics.raw.derived',
  analyticsSchema,
  `INSERT INTO analytics.raw.events
   SELECT seq, ${utc('received_at')}, ${utc('"timestamp"')}, environment, event, distinct_id, anonymous_id,
     device_id, session_id, insert_id, properties, ${builtInColumns.map((_, at) => `x[${at + 1}]`).join(', ')}, NULL
   FROM (SELECT *, ${builtInsSql('properties')} AS x FROM analytics.raw.old_events)`,
  `INSERT INTO analytics.raw.traits
   SELECT seq, ${utc('"timestamp"')}, environment, distinct_id, name, value FROM analytics.raw.old_traits`,
  'DROP TABLE analytics.raw.old_events',
  'DROP TABLE analytics.raw.old_traits',
]

const fromSecond = ['ALTER TABLE analytics.raw.events ADD COLUMN bot VARCHAR', archiveSchema]

const fromThird = [archiveSchema]

const stepsFrom = (version: number | undefined): readonly string[] => {
  switch (version) {
    case 1:
      return fromFirst
    case 2:
      return fromSecond
    case 3:
      return fromThird
    default:
      return [analyticsSchema]
  }
}

/** Makes the tables of analytics, and brings those of an older version up to date, all or none. */
export const upgradeStore = async (connection: DuckDBConnection): Promise<void> => {
  const version = await readVersion(connection)
  if (version === storeVersion) return
  if (version !== undefined && version > storeVersion) {
    throw new StoreError(
      `The store was written by a later version of waymark-server (${version}, this one knows ${storeVersion}); start that version.`,
    )
  }
  await inTransaction(connection, async () => {
    for (const sql of stepsFrom(version)) await connection.run(sql)
    if (version !== undefined && version < firstWithBots) await markUserAgents(connection, 'true')
    await connection.run('DELETE FROM analytics.raw.store')
    await connection.run(`INSERT INTO analytics.raw.store VALUES (${storeVersion})`)
  })
}
