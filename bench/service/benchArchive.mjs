import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import { openAnalytics } from '../../server/dist/analytics/openAnalytics.js'
import { archiveEvents } from '../../server/dist/archive/archiveEvents.js'
import { createMutex } from '../../server/dist/duckdb/transactions.js'
import { fillShop } from './fillShop.mjs'

const events = Number(process.env.BENCH_EVENTS ?? 1) * 1_000_000
const rounds = 5
const month = `'2025-10-01', '2025-11-01'`
const questions = {
  funnel: `FROM funnel(['$pageview', 'Map Viewed', 'Added to Basket', 'Order Placed'], INTERVAL 7 DAY, ${month})`,
  retention: `FROM retention('$pageview', '$pageview', 'day', ${month})`,
  sessions: `SELECT entry, utm_source, count(*), avg(duration_seconds) FROM sessions(${month}) GROUP BY ALL`,
  daily: `FROM daily(${month}, time_zone := 'Europe/Berlin')`,
  breakdown: `FROM breakdown('Map Viewed', 'sku', ${month})`,
  paths: `FROM paths('/', 3, ${month})`,
  'first touch': `SELECT utm_source, count(*) FROM first_touch(${month}) GROUP BY ALL`,
}

const megabytes = (bytes) => (bytes / 1e6).toFixed(0)
const cpuSeconds = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
const sizeOf = (folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0)

/** A store of its own with a shop in it. */
const withShop = async (work) => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-bench-archive-'))
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: '2GiB',
    temp_directory: join(folder, 'temp'),
    threads: String(Math.max(1, availableParallelism() - 1)),
  })
  const archive = { path: join(folder, 'archive'), temp: join(folder, 'temp'), isShared: false }
  try {
    const connection = await instance.connect()
    await connection.run(`SET TimeZone = 'UTC'`)
    // As the service's own.
    await connection.run('SET GLOBAL parquet_metadata_cache = true')
    await connection.run(
      `ATTACH '${join(folder, 'analytics.duckdb')}' AS analytics (STORAGE_VERSION 'v1.5.0')`,
    )
    await openAnalytics(connection, archive)
    await fillShop(connection, events)
    await connection.run(`SET search_path = 'memory.main,analytics.main'`)
    return await work({ folder, instance, connection, archive })
  } finally {
    instance.closeSync()
    rmSync(folder, { recursive: true, force: true })
  }
}

const moveAll = (connection, archive, oneAtATime) =>
  archiveEvents({ archive, afterDays: 1, oneAtATime, logger: { info() {} } }).run(connection, () => false)

/** The processor time of each question, best of some rounds. */
const ask = async (connection) => {
  const times = {}
  for (const [name, sql] of Object.entries(questions)) {
    times[name] = Infinity
    for (let round = 0; round < rounds; round++) {
      const began = cpuSeconds()
      await connection.runAndReadAll(sql)
      times[name] = Math.min(times[name], cpuSeconds() - began)
    }
  }
  return times
}

const compareAnswers = () =>
  withShop(async ({ folder, connection, archive }) => {
    const inStore = statSync(join(folder, 'analytics.duckdb')).size
    const table = await ask(connection)
    await moveAll(connection, archive, createMutex())
    const files = await ask(connection)
    const names = Object.keys(questions)
    for (const name of names)
      console.log(
        `${name.padEnd(12)} ${(1000 * table[name]).toFixed(0)} ms of the table, ${(1000 * files[name]).toFixed(0)} ms of files: ${(files[name] / table[name]).toFixed(2)}`,
      )
    const left = await connection.runAndReadAll('SELECT count(*) FROM analytics.raw.events')
    console.log(
      `${events} events: ${megabytes(inStore)} MB in the store, ${megabytes(sizeOf(archive.path))} MB in files; ${left.getRows()[0][0]} left in the table`,
    )
    const sum = (times) => names.reduce((total, name) => total + times[name], 0)
    return sum(files) / sum(table)
  })

/** How long an applier of small batches waits for its turn, in milliseconds. */
const watchTurns = (connection, oneAtATime) => {
  const waits = []
  let isStopped = false
  const done = (async () => {
    while (!isStopped) {
      const began = performance.now()
      await oneAtATime(() =>
        connection.run(
          `INSERT INTO analytics.raw.events BY NAME SELECT 1e9::BIGINT + range AS seq, now() AS received_at, now() AS "timestamp", 'production' AS environment FROM range(1000)`,
        ),
      )
      waits.push(performance.now() - began)
      await delay(20)
    }
  })()
  return async () => {
    isStopped = true
    await done
    waits.sort((a, b) => a - b)
    return `median ${waits[waits.length >> 1].toFixed(0)} ms, worst ${waits.at(-1).toFixed(0)} ms of ${waits.length}`
  }
}

const moveOneDay = () =>
  withShop(async ({ instance, connection, archive }) => {
    await connection.run(`CREATE TABLE analytics.raw.moved AS SELECT * REPLACE (
      TIMESTAMPTZ '2026-01-05 00:00:00+00' + to_microseconds((seq * 86e9 / ${events})::BIGINT) AS received_at,
      TIMESTAMPTZ '2026-01-05 00:00:00+00' + to_microseconds((seq * 86e9 / ${events})::BIGINT) AS "timestamp")
      FROM analytics.raw.events ORDER BY seq`)
    await connection.run('DROP TABLE analytics.raw.events CASCADE')
    await connection.run('ALTER TABLE analytics.raw.moved RENAME TO events')
    await connection.run('CHECKPOINT analytics')
    const oneAtATime = createMutex()
    const applier = await instance.connect()
    const alone = watchTurns(applier, oneAtATime)
    await delay(5000)
    console.log(`a batch of 1000 rows alone: ${await alone()}`)
    const beside = watchTurns(applier, oneAtATime)
    const [began, cpu] = [performance.now(), cpuSeconds()]
    await moveAll(connection, archive, oneAtATime)
    console.log(
      `one day of ${events} events is archived in ${((performance.now() - began) / 1000).toFixed(1)} s, ${(cpuSeconds() - cpu).toFixed(1)} s of processor time, ${readdirSync(archive.path, { recursive: true }).filter((name) => name.endsWith('.parquet')).length} files`,
    )
    console.log(`a batch of 1000 rows beside it: ${await beside()}`)
  })

/** What the archive costs: size, answers of a month from files against the table, and moving a day. */
export const benchArchive = async () => {
  const ratio = await compareAnswers()
  await moveOneDay()
  return [['answers of a month from files against the table', '≤ 2 ×', `${ratio.toFixed(2)} ×`, ratio <= 2]]
}
