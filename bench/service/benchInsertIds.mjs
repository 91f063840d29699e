import { randomFillSync } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import { applyAnalytics } from '../../server/dist/analytics/applyAnalytics.js'
import { InsertIdWindow } from '../../server/dist/analytics/InsertIdWindow.js'
import { openAnalytics } from '../../server/dist/analytics/openAnalytics.js'

const dayMs = 86_400_000
const batchRows = 100_000
/** Rows of one transaction, at most. */
const storedAtOnce = 200_000
const million = 1_000_000

const event = JSON.stringify({
  environment: 'production',
  event: 'Product Viewed',
  distinct_id: 'user-7777777',
  anonymous_id: 'anonymous-7777777',
  device_id: 'device-abcdefghijklmnopqrstu',
  session_id: 'session-abcdefghijklmnopqrst',
  timestamp: '2026-11-21T03:04:05.123Z',
  properties: {
    insert_id: 'id-8888888-abcdefghijkl',
    $url: 'https://shop.example/',
    price: 12.5,
    colour: 'red',
  },
})

const entries = (first, offset, atMs) =>
  Array.from({ length: batchRows / 20 }, (_, entry) => ({
    kind: 'track',
    first: first + 20 * entry,
    count: 20,
    receivedAtMs: atMs,
    body: Buffer.from(
      `[${Array.from({ length: 20 }, (__, at) => {
        const n = offset + 20 * entry + at
        return event.replaceAll('7777777', String(n % 5000)).replaceAll('8888888', String(n))
      }).join(',')}]`,
    ),
  }))

const openStore = async (folder, name) => {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: '4GiB',
    wal_autocheckpoint: '64MB',
  })
  const connection = await instance.connect()
  await connection.run(`ATTACH '${join(folder, name)}.duckdb' AS analytics (STORAGE_VERSION 'v1.5.0')`)
  await openAnalytics(connection)
  const window = new InsertIdWindow({ folder: join(folder, `${name}-ids`), windowMs: 15 * dayMs })
  window.open(0)
  return {
    connection,
    window,
    apply: applyAnalytics({ window }),
    close: () => instance.closeSync(),
  }
}

/** Microseconds a row from the log's bytes to the commit. */
const store = async ({ connection, apply }, batch) => {
  const began = performance.now()
  await connection.run('BEGIN')
  const finish = await apply(connection, batch)
  await connection.run('COMMIT')
  await finish()
  return (1000 * (performance.now() - began)) / batchRows
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

/** Ids of two weeks: what remembering them costs the applier, and whether any is stored twice. */
export const benchInsertIds = async (ids = Number(process.env.BENCH_IDS ?? 100_000_000)) => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-bench-ids-'))
  const [full, empty] = [await openStore(folder, 'full'), await openStore(folder, 'empty')]
  const start = Date.now() - 14 * dayMs
  let seq = 0
  const repeated = entries(seq + 1, 0, start)
  await store(full, repeated)
  seq += batchRows
  const began = performance.now()
  const before = process.memoryUsage().rss
  for (let added = 0; added < ids; added += storedAtOnce) {
    seq += storedAtOnce
    const random = randomFillSync(new BigUint64Array(storedAtOnce)).sort()
    await full.window.add({ ids: random, through: seq, atMs: start + (14 * dayMs * added) / ids })
  }
  const fillS = (performance.now() - began) / 1000
  // Files that are still being merged would count twice, and take time from what is measured.
  const names = () => readdirSync(join(folder, 'full-ids')).join()
  for (let known; known !== names(); await delay(5000)) known = names()
  const bytes = readdirSync(join(folder, 'full-ids')).reduce(
    (sum, name) => sum + statSync(join(folder, 'full-ids', name)).size,
    0,
  )
  const files = readdirSync(join(folder, 'full-ids')).length
  const took = { full: [], empty: [] }
  for (let round = 0; round < 10; round++) {
    const batch = entries(seq + 1, batchRows * (round + 1), Date.now())
    seq += batchRows
    for (const name of round % 2 === 0 ? ['full', 'empty'] : ['empty', 'full']) {
      took[name].push(await store(name === 'full' ? full : empty, batch))
    }
  }
  const [withAll, without] = [median(took.full), median(took.empty)]
  const rowsBefore = await count(full)
  // The first batch once more, 13 days after it came.
  await store(full, entries(seq + 1, 0, start + 13 * dayMs))
  const twice = (await count(full)) - rowsBefore
  const memory = Math.round((process.memoryUsage().rss - before) / 2 ** 20)
  await full.window.close()
  full.close()
  empty.close()
  rmSync(folder, { recursive: true, force: true })
  return [
    [
      `insert ids: applying a row with ${ids / million} M ids remembered, against none`,
      '≤ 10 % more time',
      `${((withAll / without - 1) * 100).toFixed(0)} % (${withAll.toFixed(1)} and ${without.toFixed(1)} µs, medians of ${took.full.length} interleaved batches of ${batchRows})
         ${files} files, made in ${fillS.toFixed(0)} s (${((1e6 * fillS) / ids).toFixed(2)} µs an id), ${memory} MiB more memory`,
      withAll <= 1.1 * without,
    ],
    ['insert ids: on disk', '≤ 20 bytes an id', (bytes / ids).toFixed(1), bytes <= 20 * ids],
    [`insert ids: ${batchRows} repeats after 13 days`, '0 stored twice', String(twice), twice === 0],
  ]
}

const count = async ({ connection }) =>
  Number((await connection.runAndReadAll('SELECT count(*) FROM analytics.raw.events')).getRows()[0][0])
