import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DuckDBInstance } from '@duckdb/node-api'
import { openAnalytics } from '../../server/dist/analytics/openAnalytics.js'
import { drawGrowth } from './drawGrowth.mjs'
import { fillShop } from './fillShop.mjs'

const million = 1_000_000
const rounds = 5
/** As the service runs a query, unless told otherwise. */
const threads = Number(process.env.BENCH_THREADS ?? availableParallelism())
const month = `'2025-10-01', '2025-11-01'`
const steps = `['$pageview', 'Map Viewed', 'Added to Basket', 'Order Placed']`

/** Of one month, as a screen asks, and of all the half year. */
const questions = {
  'funnel of four steps, a month': `FROM funnel(${steps}, INTERVAL 7 DAY, ${month})`,
  'retention by day, a month': `FROM retention('$pageview', '$pageview', 'day', ${month})`,
  'sessions of a month': `SELECT entry, utm_source, count(*), avg(duration_seconds) FROM sessions(${month}) GROUP BY ALL`,
  'daily, a month': `FROM daily(${month}, time_zone := 'Europe/Berlin')`,
  'breakdown, a month': `FROM breakdown('Map Viewed', 'sku', ${month})`,
  'paths, a month': `FROM paths('/', 3, ${month})`,
  'first touch, a month': `SELECT utm_source, count(*) FROM first_touch(${month}) GROUP BY ALL`,
  'funnel of four steps, all': `FROM funnel(${steps}, INTERVAL 7 DAY)`,
  'retention by week, all': `FROM retention('$pageview', '$pageview', 'week')`,
  'sessions, all': 'SELECT entry, utm_source, count(*), avg(duration_seconds) FROM sessions GROUP BY ALL',
  'daily, all': `FROM daily(time_zone := 'Europe/Berlin')`,
  'breakdown, all': `FROM breakdown('$pageview', '$utm_source')`,
  'paths, all': `FROM paths('/', 3)`,
  'first touch, all': `SELECT utm_source, count(*) FROM first_touch() GROUP BY ALL`,
}

/** With `BENCH_DRAW` the figures are drawn here. */
const chart = fileURLToPath(new URL('../../docs/growth.svg', import.meta.url))

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1]

const measure = async (events) => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-bench-answers-'))
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: '4GiB',
    temp_directory: join(folder, 'temp'),
  })
  const connection = await instance.connect()
  await connection.run(`SET TimeZone = 'UTC'`)
  await connection.run(`ATTACH '${join(folder, 'analytics.duckdb')}' AS analytics (STORAGE_VERSION 'v1.5.0')`)
  await openAnalytics(connection)
  await fillShop(connection, events)
  await connection.run(`SET threads = ${threads}`)
  await connection.run(`SET search_path = 'memory.main,analytics.main'`)
  const medians = {}
  for (const [name, sql] of Object.entries(questions)) {
    const took = []
    for (let round = 0; round < rounds; round++) {
      const began = performance.now()
      const before = process.cpuUsage()
      await connection.runAndReadAll(sql)
      const { user, system } = process.cpuUsage(before)
      took.push({ ms: performance.now() - began, cpuMs: (user + system) / 1000 })
    }
    medians[name] = { ms: median(took.map(({ ms }) => ms)), cpuMs: median(took.map(({ cpuMs }) => cpuMs)) }
  }
  instance.closeSync()
  rmSync(folder, { recursive: true, force: true })
  return medians
}

/**
 * How long each answer takes, and how it grows with the store: the same half year, with more people in it.
 * Processor time divided by the threads is the least that it takes; on a busy machine the clock says how
 * busy that is. `BENCH_EVENTS=1,10,20,100` names the sizes in millions of events.
 */
export const benchAnswers = async () => {
  const sizes = (process.env.BENCH_EVENTS ?? '1,10,20').split(',').map(Number)
  const bySize = new Map()
  for (const size of sizes) bySize.set(size, await measure(size * million))
  const cell = ({ ms, cpuMs }) => `${cpuMs.toFixed(0)} (${ms.toFixed(0)})`.padStart(18)
  console.log(`${'processor ms (clock)'.padEnd(32)}${sizes.map((size) => `${size} M`.padStart(18)).join('')}`)
  for (const name of Object.keys(questions)) {
    console.log(`${name.padEnd(32)}${sizes.map((size) => cell(bySize.get(size)[name])).join('')}`)
  }
  if (process.env.BENCH_DRAW !== undefined) writeFileSync(chart, drawGrowth(bySize))
  const at = bySize.get(20)
  if (at === undefined) return []
  return Object.entries(at).map(([name, { ms }]) => {
    const mostMs = name.endsWith('month') ? 300 : 1500
    return [
      `answers: ${name} (20 M events)`,
      `≤ ${mostMs} ms`,
      `${ms.toFixed(0)} ms with ${threads} threads, median of ${rounds}`,
      ms <= mostMs,
    ]
  })
}
