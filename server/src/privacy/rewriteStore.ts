import { existsSync, rmSync, statSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import { openAnalytics } from '../analytics/openAnalytics.js'
import { applyExclusions } from '../schema/suspects.js'
import { buildSessions, copySessions, foldEvents } from '../schema/applySessions.js'
import { analyticsCatalog, quoteIdentifier } from '../duckdb/quote.js'
import { attach } from '../duckdb/Database.js'
import type { DataFolder } from '../disk/DataFolder.js'
import { lookAtDisk } from '../disk/DiskRoom.js'
import { sessionTables } from '../schema/sessionTable.js'
import { inTransaction } from '../duckdb/transactions.js'
import { rowsOf, theirSessions, withoutAnonymousId } from '../schema/personRows.js'
import { putInPlace, syncFolder } from '../disk/writeWhole.js'

/** A new store fills these tables itself, and the sessions apart. */
const ownTables = new Set<string>(['store', 'derived', 'left_out', ...sessionTables])
/** How much of the disk must stay free for the logs. */
const reserveBytes = 64 * 1_048_576

const filesOf = (folder: DataFolder) => {
  const file = folder.catalogFile(analyticsCatalog)
  return { file, wal: `${file}.wal`, fresh: `${file}.new`, freshWal: `${file}.new.wal` }
}

/** Removes the files of a rewrite that was cut off. The store itself is whole. */
export const removeUnfinished = (folder: DataFolder): void => {
  const { fresh, freshWal } = filesOf(folder)
  for (const each of [fresh, freshWal]) rmSync(each, { force: true })
}

/** Says why the store cannot be rewritten; undefined when it can. */
export const findObstacle = async (folder: DataFolder): Promise<string | undefined> => {
  const { file, wal } = filesOf(folder)
  const needed = [file, wal].reduce((sum, each) => sum + (existsSync(each) ? statSync(each).size : 0), 0)
  if ((await lookAtDisk(folder.path)).free > needed + reserveBytes) return undefined
  const megabytes = Math.ceil((needed + reserveBytes) / 1_000_000)
  return `An erasure rewrites the store, which needs ${megabytes} MB of free disk.`
}

const countOf = async (connection: DuckDBConnection, sql: string): Promise<number> =>
  Number((await connection.runAndReadAll(`SELECT count(*) FROM ${sql}`)).getRows()[0]![0])

/** Copies a table without the rows of the persons in `idTable`, and makes sure that no other row is missing. */
const copyTable = async (connection: DuckDBConnection, name: string) => {
  const table = quoteIdentifier(name)
  const [old, fresh] = [`old.raw.${table}`, `analytics.raw.${table}`]
  const gone = name in rowsOf ? rowsOf[name as keyof typeof rowsOf] : 'false'
  const unlinked = name === 'events' ? withoutAnonymousId : ''
  const copy = `SELECT * ${unlinked} FROM ${old} t WHERE (${gone}) IS NOT TRUE`
  await connection.run(`CREATE TABLE IF NOT EXISTS ${fresh} AS FROM ${old} LIMIT 0`)
  await connection.run(`INSERT INTO ${fresh} BY NAME ${copy}`)
  const kept = (await countOf(connection, old)) - (await countOf(connection, `${old} t WHERE ${gone}`))
  const copied = await countOf(connection, fresh)
  if (copied !== kept) throw new Error(`Only ${copied} of ${kept} rows of the table ${name} were copied.`)
}

interface RewriteOptions {
  /** Writes what must change together with the file. */
  finish(): Promise<void>
  /** All sessions are made anew: it is no longer known which ones had events of the persons. */
  areSessionsBuilt: boolean
}

const write = async (
  connection: DuckDBConnection,
  folder: DataFolder,
  { finish, areSessionsBuilt }: RewriteOptions,
) => {
  const { file, wal, fresh } = filesOf(folder)
  const catalog = quoteIdentifier(analyticsCatalog)
  await inTransaction(connection, () => foldEvents(connection))
  await connection.run(`CHECKPOINT ${catalog}`)
  await connection.run(`DETACH ${catalog}`)
  await attach(connection, 'old', file)
  await attach(connection, analyticsCatalog, fresh)
  await openAnalytics(connection)
  const tables = await connection.runAndReadAll(
    `SELECT table_name FROM duckdb_tables() WHERE database_name = 'old' AND schema_name = 'raw'`,
  )
  for (const [name] of tables.getRows()) {
    if (!ownTables.has(name as string)) await copyTable(connection, name as string)
  }
  await finish()
  if (areSessionsBuilt) await buildSessions(connection)
  else await copySessions(connection, 'old', theirSessions)
  await applyExclusions(connection, Date.now())
  await connection.run(`CHECKPOINT ${catalog}`)
  await connection.run(`DETACH ${catalog}`)
  await connection.run('DETACH old')
  // DuckDB's old log is already in the old file, and must not be applied to the new one.
  rmSync(wal, { force: true })
  await syncFolder(folder.path)
  await putInPlace(fresh, file)
}

/**
 * Writes a new file of analytics without the rows of the persons in `idTable`, and replaces the old file by it.
 * Deleting the rows would leave their bytes on the disk: DuckDB keeps deleted rows in their blocks, and freed blocks
 * in the file.
 *
 * The connection has the store attached as `analytics` before, and no file after. Until the rename the whole old
 * file is the store, and after it the whole new one.
 */
export const rewriteStore = async (
  connection: DuckDBConnection,
  folder: DataFolder,
  options: RewriteOptions,
): Promise<void> => {
  try {
    await write(connection, folder, options)
  } catch (error) {
    removeUnfinished(folder)
    throw error
  }
}
