import { createHash } from 'node:crypto'
import { version as duckdbVersion, type DuckDBConnection } from '@duckdb/node-api'
import { makeAllEvents } from '../archive/allEvents.js'
import { type ArchiveFolder, hashSample } from '../archive/ArchivedFile.js'
import { bindArchive } from '../archive/bindArchive.js'
import { dutiesSchema } from '../schema/duties.js'
import { alertsSchema } from '../alerts/alertsSchema.js'
import { importsSchema } from '../schema/imports.js'
import { savedSchema } from '../saved/savedSchema.js'
import {
  storeVersion,
  analyticsSchema,
  allEvents,
  makeRejectedView,
  lakehouseSchema,
} from '../schema/analyticsSchema.js'
import { analyticsCatalog, internalSchema, quoteIdentifier } from '../duckdb/quote.js'
import { analyticsViews } from '../answers/analyticsViews.js'
import { registerHistories } from '../duckdb/histories.js'
import { keyChanges } from '../schema/derivedColumns.js'
import { inTransaction } from '../duckdb/transactions.js'
import { version } from '../version.js'
import { buildSessions } from '../schema/applySessions.js'
import { allSessions } from '../schema/sessionTable.js'
import { applyExclusions, suspectsSchema } from '../schema/suspects.js'
import { OperatorError } from '../OperatorError.js'
import type { CompleteOptions } from '../options/flags.js'
import { Database } from '../duckdb/Database.js'
import type { DataFolder } from '../disk/DataFolder.js'
import { storingThreads } from '../duckdb/runPrepared.js'

/** Opens all catalogs, and makes their tables when they are missing. */
export const openDatabase = async (
  folder: DataFolder,
  {
    memoryLimit,
    threads,
    catalogs,
    minFreeDiskBytes,
  }: Pick<CompleteOptions, 'memoryLimit' | 'threads' | 'catalogs' | 'minFreeDiskBytes'>,
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

/** Statements that bring a store from the version in the key to the next one. */
type Upgrades = Readonly<Record<number, readonly string[]>>

/** The list is empty because no version before this one was released. */
const released: Upgrades = {}

/** The version of a store: undefined for a new store, 0 for a store from before versions were written. */
const readVersion = async (connection: DuckDBConnection): Promise<number | undefined> => {
  const tables = await connection.runAndReadAll(
    `SELECT table_name FROM duckdb_tables() WHERE database_name = 'analytics' AND schema_name = 'raw'`,
  )
  const names = tables.getRows().flat()
  if (!names.includes('store')) return names.includes('events') ? 0 : undefined
  const reader = await connection.runAndReadAll('SELECT version FROM analytics.raw.store')
  return reader.getRows()[0]![0] as number
}

/** Makes the tables of a new store, or upgrades those of an older one, in one transaction. */
export const bringToVersion = async (
  connection: DuckDBConnection,
  wanted = storeVersion,
  upgrades = released,
): Promise<void> => {
  const found = await readVersion(connection)
  if (found === wanted) return
  const statements: string[] = found === undefined ? [analyticsSchema] : []
  for (let from = found ?? wanted; from !== wanted; from++) {
    const next = upgrades[from]
    if (next === undefined) {
      throw new OperatorError(
        `The store is of version ${found}, and this waymark-server reads version ${wanted}: start the waymark-server that wrote it, or name another folder by --data.`,
      )
    }
    statements.push(...next)
  }
  await inTransaction(connection, async () => {
    for (const sql of statements) await connection.run(sql)
    await connection.run('DELETE FROM analytics.raw.store')
    await connection.run(`INSERT INTO analytics.raw.store VALUES (${wanted})`)
  })
}

/** The persons of this many events fit into memory at once; with more events, persons are made slice by slice. */
const eventsPerSlice = 4_000_000

/** Makes persons from the raw rows. It runs only when the keys were made by a DuckDB that hashes differently. */
const buildSql = (slice: number, slices: number) => `
INSERT INTO analytics.raw.persons
WITH map AS (
  SELECT * FROM analytics.raw.id_map
), seen AS (
  SELECT environment, coalesce(distinct_id, anonymous_id) AS id, min("timestamp") AS first_seen,
    max("timestamp") AS last_seen, count(*) AS events
  FROM ${allEvents} WHERE coalesce(distinct_id, anonymous_id) IS NOT NULL GROUP BY ALL
  UNION ALL SELECT environment, distinct_id, NULL, NULL, 0 FROM map
  UNION ALL
  SELECT environment, distinct_id, min("timestamp"), max("timestamp"), 0
  FROM analytics.raw.traits GROUP BY ALL
), owned AS (
  SELECT s.*, coalesce(m.person_id, s.id) AS person_id,
    hash(s.environment, coalesce(m.person_id, s.id)) AS person_key
  FROM seen s LEFT JOIN map m ON m.id_key = hash(s.environment, s.id)
), person AS (
  SELECT person_key, any_value(environment) AS environment, any_value(person_id) AS person_id,
    list_sort(list(DISTINCT id)) AS distinct_ids, min(first_seen) AS first_seen,
    max(last_seen) AS last_seen, sum(events)::BIGINT AS events
  FROM owned WHERE person_key % ${slices} = ${slice} GROUP BY person_key
), trait AS (
  SELECT coalesce(m.person_key, hash(t.environment, t.distinct_id)) AS person_key, t.name,
    arg_max({'name': t.name, 'value': t.value, 'timestamp': t."timestamp", 'seq': t.seq},
      (t."timestamp", t.seq)) AS t
  FROM analytics.raw.traits t LEFT JOIN map m ON m.id_key = hash(t.environment, t.distinct_id)
  WHERE t.name IS NOT NULL AND coalesce(m.person_key, hash(t.environment, t.distinct_id)) % ${slices} = ${slice}
  GROUP BY ALL
), bundle AS (
  SELECT person_key, list_sort(list(t)) AS traits FROM trait GROUP BY person_key
)
SELECT p.person_key, p.environment, p.person_id, p.distinct_ids, coalesce(b.traits, []), p.first_seen,
  p.last_seen, p.events
FROM person p LEFT JOIN bundle b ON b.person_key = p.person_key`

const tables = [savedSchema, alertsSchema, importsSchema, allSessions, suspectsSchema]
/** They read the marked views, which read those tables. */
const views = [analyticsViews, dutiesSchema]
/** Another version of the service, of the store or of DuckDB may understand a view otherwise. */
const fingerprint = createHash('sha256')
  .update(JSON.stringify([tables, views, storeVersion, version, duckdbVersion()]))
  .digest('hex')

/** Makes the views and macros unless the catalog has these very ones: a quarter of the time of a start. */
const makeViews = async (connection: DuckDBConnection): Promise<void> => {
  const reader = await connection.runAndReadAll(
    `SELECT comment FROM duckdb_views() WHERE database_name = 'analytics' AND schema_name = 'raw' AND view_name = 'made'`,
  )
  if (reader.getRows()[0]?.[0] === fingerprint) return
  // There are hundreds of statements, each of which would wait for the disk by itself.
  await inTransaction(connection, async () => {
    for (const sql of tables) await connection.run(sql)
    await applyExclusions(connection, Date.now())
    for (const sql of views) await connection.run(sql)
    // A view is where the others are: a store that is written anew has its tables copied, and none of them.
    await connection.run('CREATE OR REPLACE VIEW analytics.raw.made AS SELECT true AS made')
    await connection.run(`COMMENT ON VIEW analytics.raw.made IS '${fingerprint}'`)
  })
}

/** Makes the tables of analytics when they are missing, and makes their keys anew when DuckDB hashes differently now. */
export const openAnalytics = async (connection: DuckDBConnection, archive?: ArchiveFolder): Promise<void> => {
  registerHistories(connection)
  await bringToVersion(connection)
  await bindArchive(connection, archive)
  await makeAllEvents(connection, archive)
  const reader = await connection.runAndReadAll(
    `SELECT (${hashSample}) = (SELECT any_value(hash) FROM analytics.raw.derived) AS fits`,
  )
  if (reader.getRows()[0]?.[0] !== true) {
    await inTransaction(connection, async () => {
      await connection.run(
        `UPDATE analytics.raw.id_map SET id_key = hash(environment, distinct_id),
           person_key = hash(environment, person_id)`,
      )
      await connection.run(`UPDATE analytics.raw.events SET ${keyChanges}`)
      await buildSessions(connection)
      await connection.run('DELETE FROM analytics.raw.persons')
      const counted = await connection.runAndReadAll(`SELECT count(*) FROM ${allEvents}`)
      const slices = Math.ceil((Number(counted.getRows()[0]![0]) + 1) / eventsPerSlice)
      for (let slice = 0; slice < slices; slice++) await connection.run(buildSql(slice, slices))
      await connection.run('DELETE FROM analytics.raw.derived')
      await connection.run(`INSERT INTO analytics.raw.derived ${hashSample}`)
    })
  }
  await makeViews(connection)
}
