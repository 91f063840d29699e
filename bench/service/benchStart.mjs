import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import { runnerImport } from 'vite'
import { openAnalytics } from '../../server/dist/analytics/openAnalytics.js'
import { findEvents, setIds } from '../../server/dist/privacy/personRows.js'
import { rewriteStore } from '../../server/dist/privacy/rewriteStore.js'
import { DataFolder } from '../../server/dist/store/DataFolder.js'
import { variedBody } from './eventBody.mjs'
import { fillShop } from './fillShop.mjs'
import { sendLoad } from './sendLoad.mjs'
import { query, startService } from './startProcess.mjs'

/** In millions; BENCH_EVENTS=10,30,100 asks for more. */
const sizes = (process.env.BENCH_EVENTS ?? '10').split(',').map(Number)
/** So many events are not archived, however many there are. */
const hotEvents = 1_000_000
const behindMs = 3000
const dayMs = 86_400_000
/** `fillShop` ends on this day. */
const endMs = 1_750_000_000_000 + 180 * dayMs

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`
const seconds = (sinceMs) => ((performance.now() - sinceMs) / 1000).toFixed(1)
const sizeOf = (folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false }))
    .reduce((sum, stat) => sum + (stat?.isFile() ? stat.size : 0), 0)
const until = async (isSo) => {
  while (!(await isSo())) await delay(200)
}

const withStore = async (folder, work) => {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: '2GiB',
    temp_directory: join(folder, 'temp'),
  })
  try {
    const connection = await instance.connect()
    await connection.run(`SET TimeZone = 'UTC'`)
    await connection.run(
      `ATTACH '${join(folder, 'analytics.duckdb')}' AS analytics (STORAGE_VERSION 'v1.5.0')`,
    )
    await work(connection)
  } finally {
    instance.closeSync()
  }
}

/** A shop with its persons, as if all of it had come by a log. */
const fill = (folder, events) =>
  withStore(folder, async (connection) => {
    await openAnalytics(connection)
    await fillShop(connection, events)
    await connection.run(`
INSERT INTO analytics.raw.persons BY NAME
WITH seen AS (
  SELECT anonymous_id AS id, min("timestamp") AS first_seen, max("timestamp") AS last_seen, count(*)::BIGINT AS events
  FROM analytics.raw.events GROUP BY ALL
)
SELECT coalesce(m.person_key, hash('production', s.id)) AS person_key, 'production' AS environment,
  coalesce(m.person_id, s.id) AS person_id, list_distinct([s.id, coalesce(m.person_id, s.id)]) AS distinct_ids,
  [] AS traits, first_seen, last_seen, events
FROM seen s LEFT JOIN analytics.raw.id_map m ON m.id_key = hash('production', s.id)`)
    const counted = await connection.runAndReadAll('SELECT max(seq)::INTEGER FROM analytics.raw.events')
    await connection.run(`INSERT INTO analytics.raw.position VALUES (${counted.getRows()[0][0]})`)
  })

/** Writes the store anew, as an erase does: here half a year is archived at once, which leaves more free blocks than ever. */
const compact = (folder) =>
  withStore(folder, async (connection) => {
    await setIds(connection, [])
    await findEvents(connection)
    await rewriteStore(connection, new DataFolder(folder), async () => undefined)
  })

const measure = async (cluster, millions) => {
  const root = mkdtempSync(join(tmpdir(), 'waymark-bench-start-'))
  const database = `start_${Math.round(1000 * millions)}`
  await cluster.primary.query(`CREATE DATABASE ${database}`)
  const log = `postgres://postgres@127.0.0.1:${cluster.primary.port}/${database}`
  const archive = join(root, 'archive')
  const hotDays = Math.ceil((180 * hotEvents) / (millions * 1_000_000))
  const after = Math.floor((Date.now() - endMs) / dayMs) + hotDays
  const flags = [
    '--log',
    log,
    '--log-durability',
    'local',
    '--archive',
    archive,
    '--archive-after',
    `${after}d`,
  ]
  const start = (name) => startService(flags, undefined, join(root, name))
  const one = join(root, 'one')
  try {
    mkdirSync(one)
    let beganMs = performance.now()
    await fill(one, millions * 1_000_000)
    console.log(`${millions} M events are filled in after ${seconds(beganMs)} s`)
    beganMs = performance.now()
    const archiver = await start('one')
    const inTable = `SELECT count(*) FROM analytics.raw.events`
    await until(async () => (await query(archiver.url, inTable))[0][0] < 1.3 * hotEvents)
    await delay(10_000)
    const [[hot]] = await query(archiver.url, inTable)
    console.log(`${hot} of them are left in the table after ${seconds(beganMs)} s`)
    await archiver.stop()
    await compact(one)
    const isState = (name) => /^state-\d+$/.test(name)
    for (const name of readdirSync(archive).filter(isState)) rmSync(join(archive, name), { recursive: true })
    beganMs = performance.now()
    const writer = await start('one')
    await until(() => readdirSync(archive).some(isState))
    const state = join(archive, readdirSync(archive).find(isState))
    console.log(`a state of ${megabytes(sizeOf(state))} is written ${seconds(beganMs)} s after the start`)
    const bodies = Array.from({ length: 200 }, variedBody)
    await sendLoad({
      url: `${writer.url}/track?apiKey=key`,
      connections: 8,
      bodies: (n) => bodies[n % bodies.length],
      forMs: behindMs,
    })
    const count = async (url) => (await query(url, 'SELECT count(*) FROM events'))[0][0]
    beganMs = performance.now()
    const fresh = await start('two')
    await query(fresh.url, 'SELECT count(*) FROM events')
    const firstMs = performance.now() - beganMs
    const behind = Number(
      (
        await cluster.primary.query(
          `SELECT (SELECT last FROM waymark.head) - min(applied) AS rows FROM waymark.readers WHERE name LIKE 'state %'`,
          [],
          database,
        )
      )[0].rows,
    )
    await until(async () => (await count(fresh.url)) === (await count(writer.url)))
    const caughtUp = seconds(beganMs)
    const disk = sizeOf(fresh.folder)
    const parquet = sizeOf(archive) - sizeOf(state)
    await fresh.stop()
    await writer.stop()
    return [
      `start: the first answer of a new process, ${millions} M events`,
      '≤ 60 s',
      `${(firstMs / 1000).toFixed(1)} s, and after ${caughtUp} s it has the ${behind} rows behind the state, too; its disk ${megabytes(disk)} (${hot} events in the table), the archive's files ${megabytes(parquet)}`,
      firstMs <= 60_000,
    ]
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** A new query process that starts from a state in the archive's folder, while the events grow and those in the table do not. */
export const benchStart = async () => {
  const { module } = await runnerImport('server/test/cluster/startCluster.ts')
  const cluster = await module.startCluster({ standbys: 0 })
  try {
    const results = []
    for (const millions of sizes) results.push(await measure(cluster, millions))
    return results
  } finally {
    await cluster.close()
  }
}
