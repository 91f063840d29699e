import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { Cleanups } from '../Cleanups.js'
import { readPosition } from '../care/checkCatalogs.js'
import { OperatorError } from '../OperatorError.js'
import { analyticsCatalog, internalSchema, quoteIdentifier, quoteText, makeWay } from '../duckdb/quote.js'
import { type DataFolder, lockFolder } from '../disk/DataFolder.js'
import { LogStore } from '../wal/LogStore.js'
import { type Command, dataFlag, dataFolderOf, findStore, readWords } from './Command.js'

const help = `waymark-server retry-rejected [--data FOLDER] [--reason TEXT]

Lists why accepted rows were set aside, in the views rejected. With a text, the rows whose reason contains it
go into the write-ahead log again, and the service stores them at its next start, or sets them aside again.
Stop the service first. If this is killed, some rows may come twice unless they have an insert_id.

  --data FOLDER   the data folder       WAYMARK_DATA   ./waymark-data
  --reason TEXT   a part of the reason                 none: the reasons are listed
`

const flags = { ...dataFlag, reason: { type: 'string' } } as const

const tableOf = (catalog: string) =>
  `${quoteIdentifier(catalog)}.${catalog === analyticsCatalog ? 'raw' : internalSchema}.rejected`

/** What has no task was set aside for what it says, such as an id that is not signed: it stays. */
const mayComeBack = 'task_id IS NOT NULL'

const open = async (folder: DataFolder, cleanups: Cleanups): Promise<DuckDBConnection> => {
  const instance = await DuckDBInstance.create(':memory:')
  cleanups.add(() => instance.closeSync())
  const connection = await instance.connect()
  cleanups.add(() => connection.closeSync())
  for (const catalog of folder.catalogs) {
    await makeWay(connection, catalog)
    await connection.run(`ATTACH ${quoteText(folder.catalogFile(catalog))} AS ${quoteIdentifier(catalog)}`)
  }
  await connection.run("SET GLOBAL TimeZone = 'UTC'")
  return connection
}

type Row = [seq: bigint, atMs: number, kind: string, body: string, target: string | null]

/** Moves rows from a catalog's table to the end of its log. Gives how many they were. */
const takeBack = async (
  connection: DuckDBConnection,
  folder: DataFolder,
  catalog: string,
  reason: string,
) => {
  const where = `${mayComeBack} AND contains(reason, ${quoteText(reason)})`
  const reader = await connection.runAndReadAll(
    `SELECT seq, epoch_ms(received_at)::DOUBLE, kind, body, target FROM ${tableOf(catalog)} WHERE ${where} ORDER BY seq`,
  )
  const rows = reader.getRows() as Row[]
  if (rows.length === 0) return 0
  const isAnalytics = catalog === analyticsCatalog
  if (isAnalytics && LogStore.followsIn(folder.acceptLog)) {
    const message = `The store follows a log in PostgreSQL, which other processes store too: ${rows.length} rows of ${catalog} stay.`
    throw new OperatorError(message)
  }
  const log = await LogStore.open(isAnalytics ? folder.acceptLog : folder.appendLog).writer(catalog)
  try {
    log.skipTo(await readPosition(connection, catalog))
    for (const [, receivedAtMs, kind, body, target] of rows) {
      const record = { kind, count: 1, receivedAtMs, body: Buffer.from(`[${body}]`) }
      await log.append(target === null ? record : { ...record, target })
    }
  } finally {
    await log.close()
  }
  await connection.run(`DELETE FROM ${tableOf(catalog)} WHERE ${where}`)
  return rows.length
}

export const retryRejected: Command = {
  name: 'retry-rejected',
  help,
  async run({ argv, env, print }) {
    const { values } = readWords(argv, flags)
    const folder = findStore(dataFolderOf(values, env), 'write')
    const cleanups = new Cleanups()
    try {
      cleanups.add(await lockFolder(folder))
      folder.check()
      const connection = await open(folder, cleanups)
      for (const catalog of folder.catalogs) {
        if (values.reason !== undefined) {
          const rows = await takeBack(connection, folder, catalog, values.reason)
          print(`${catalog}: ${rows} rows will be stored at the next start.`)
          continue
        }
        const reader = await connection.runAndReadAll(
          `SELECT count(*)::DOUBLE, reason FROM ${tableOf(catalog)} WHERE ${mayComeBack} GROUP BY reason ORDER BY 1 DESC, 2`,
        )
        for (const [rows, reason] of reader.getRows() as [number, string][])
          print(`${catalog}: ${rows} rows: ${reason}`)
      }
      return 0
    } finally {
      await cleanups.run()
    }
  },
}
