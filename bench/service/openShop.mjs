import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { openAnalytics } from '../../server/dist/analytics/openAnalytics.js'
import { fillShop } from './fillShop.mjs'

/** How many million events the shops have that `answers` and `screens` ask. */
export const sizes = (process.env.BENCH_EVENTS ?? '1,10,20').split(',').map(Number)

const open = async (folder, threads = availableParallelism()) => {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: '4GiB',
    temp_directory: join(folder, 'temp'),
    threads: String(threads),
  })
  const connection = await instance.connect()
  await connection.run(`SET TimeZone = 'UTC'`)
  await connection.run(`ATTACH '${join(folder, 'analytics.duckdb')}' AS analytics (STORAGE_VERSION 'v1.5.0')`)
  await openAnalytics(connection)
  await connection.run(`SET search_path = 'memory.main,analytics.main'`)
  return { instance, connection }
}

/** Runs `work` with a connection to a store, in this process. */
export const withStore = async (folder, work, threads) => {
  const { instance, connection } = await open(folder, threads)
  try {
    return await work(connection)
  } finally {
    // An open connection would keep the lock on the file.
    connection.closeSync()
    instance.closeSync()
  }
}

const root = process.env.BENCH_STORES ?? mkdtempSync(join(tmpdir(), 'waymark-bench-shops-'))
if (process.env.BENCH_STORES === undefined)
  process.once('exit', () => rmSync(root, { recursive: true, force: true }))

/** The folder of a store with a shop in it. It is filled once, and stays for the next run in the folder `BENCH_STORES`. */
export const openShop = async (millions, sessionsAPerson = 3) => {
  const folder = join(root, `${millions}-million-${sessionsAPerson}`)
  if (existsSync(folder)) return folder
  const unfinished = `${folder}-unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true })
  await withStore(unfinished, (connection) => fillShop(connection, millions * 1_000_000, sessionsAPerson))
  renameSync(unfinished, folder)
  return folder
}
