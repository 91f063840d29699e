import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { installNpm } from '../../scripts/test/installPackages.mjs'
import { pairsIn, tables } from './clickhouseQuestions.mjs'
import { openShop, sizes, withStore } from './openShop.mjs'
import { rounds } from './questions.mjs'

/** ClickHouse as a library of Node. */
const library = 'chdb@3.4.0'
const ranges = { month: ['2025-10-01', '2025-11-01'], all: undefined }
/** How many times ClickHouse's processor time an answer may take; others 1.5 times. */
const most = { funnel: 1, retention: 1, paths: 1 }

const openClickhouse = async () => {
  const folder = await installNpm('chdb', [library])
  try {
    if (folder !== undefined) return createRequire(join(folder, 'package.json'))('chdb')
  } catch (error) {
    console.log(error instanceof Error ? error.message : error)
  }
  console.log(
    `There is no ClickHouse to compare with: the package ${library} needs the npm registry the first time, and Linux with glibc or macOS. Nothing was measured.`,
  )
  return undefined
}

const numbered = (name) => `CREATE OR REPLACE TEMP TABLE ${name}s_numbered AS
  SELECT ${name}_id, row_number() OVER (ORDER BY ${name}_id)::UINTEGER AS number
  FROM (SELECT DISTINCT ${name}_id FROM events)`

/** Fills ClickHouse's tables, in the order of time as the store is, in a folder beside the shop's that stays as long. */
const loadClickhouse = async ({ Session }, shop) => {
  const folder = `${shop}-clickhouse`
  const loaded = join(folder, 'loaded')
  if (existsSync(loaded)) return new Session(folder)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const file = (name) => join(folder, `${name}.parquet`)
  await withStore(shop, async (connection) => {
    for (const name of ['person', 'session']) await connection.run(numbered(name))
    for (const [name, { rows }] of Object.entries(tables))
      await connection.run(`COPY (${rows}) TO '${file(name)}' (FORMAT parquet)`)
  })
  const session = new Session(folder)
  session.query('CREATE DATABASE shop')
  for (const [name, { columns }] of Object.entries(tables)) {
    session.query(`CREATE TABLE shop.${name} (${columns}) ENGINE = MergeTree ORDER BY us`)
    session.query(`INSERT INTO shop.${name} SELECT * FROM file('${file(name)}', 'Parquet')`)
    session.query(`OPTIMIZE TABLE shop.${name} FINAL`)
    rmSync(file(name))
  }
  writeFileSync(loaded, '')
  return session
}

/** A cell as both would write it: numbers to ten digits, because sums of fractions depend on their order. */
const written = (cell) => {
  if (cell === null || cell === '' || Number.isNaN(Number(cell))) return cell
  return Number(Number(cell).toPrecision(10))
}
const writtenRows = (rows) => rows.map((row) => JSON.stringify(row.map(written)))

/** The rows that only one of the two has. Their order is compared nowhere, because equals may come in any. */
const compare = async (
  { connection, session },
  { columns, isCompared = () => true, waymark, clickhouse },
) => {
  const reader = await connection.runAndReadAll(waymark)
  const ours = reader.getRowObjectsJson().filter(isCompared)
  const ourRows = writtenRows(ours.map((row) => columns.map((name) => row[name])))
  const theirRows = writtenRows(JSON.parse(session.query(clickhouse, 'JSONCompact')).data)
  const without = (rows, others) => {
    const known = new Set(others)
    return rows.filter((row) => !known.has(row))
  }
  return {
    rows: ourRows.length,
    ours: without(ourRows, theirRows),
    theirs: without(theirRows, ourRows),
  }
}

const timed = async (work) => {
  const began = performance.now()
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return { ms: performance.now() - began, cpuMs: (user + system) / 1000 }
}
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1]
const medians = (took) => ({
  ms: median(took.map(({ ms }) => ms)),
  cpuMs: median(took.map(({ cpuMs }) => cpuMs)),
})

/** Both in turns, so that other work on the machine slows both. ClickHouse does not write its rows. */
const measure = async ({ connection, session }, pairs, threads) => {
  await connection.run(`SET threads = ${threads}`)
  const took = { waymark: [], clickhouse: [] }
  for (let round = 0; round < rounds; round++) {
    const ours = await timed(async () => {
      for (const { waymark } of pairs) await connection.runAndReadAll(waymark)
    })
    const theirs = await timed(() => {
      for (const { clickhouse } of pairs)
        session.query(`${clickhouse} SETTINGS max_threads = ${threads}`, 'Null')
    })
    took.waymark.push(ours)
    took.clickhouse.push(theirs)
  }
  return { waymark: medians(took.waymark), clickhouse: medians(took.clickhouse) }
}

const cell = ({ cpuMs, ms }) => `${cpuMs.toFixed(0)} (${ms.toFixed(0)})`.padStart(16)

const benchSize = async (engines, millions) => {
  const found = []
  console.log(
    `${millions} M events: milliseconds of processor time (and by the clock), median of ${rounds}, at a load of ${loadavg()[0].toFixed(1)}`,
  )
  console.log(
    `${''.padEnd(30)}${['waymark', 'ClickHouse'].map((name) => name.padStart(16)).join('')}    ratio`,
  )
  for (const [range, days] of Object.entries(ranges)) {
    for (const [name, pairs] of Object.entries(pairsIn(days))) {
      for (const pair of pairs) {
        const { rows, ours, theirs } = await compare(engines, pair)
        if (ours.length + theirs.length === 0) continue
        console.log(
          `${name}, ${range}: of ${rows} rows ${ours.length} are waymark's alone and ${theirs.length} ClickHouse's:`,
          ...ours.slice(0, 3),
          ...theirs.slice(0, 3),
        )
        found.push([`clickhouse: ${name}, ${range}, the same rows`, 'all', `${ours.length} differ`, false])
      }
      const ratios = []
      for (const threads of [1, 2]) {
        const { waymark, clickhouse } = await measure(engines, pairs, threads)
        const ratio = waymark.cpuMs / clickhouse.cpuMs
        ratios.push(ratio)
        const title = `${name}, ${range}, ${threads === 1 ? '1 thread' : `${threads} threads`}`
        console.log(`${title.padEnd(30)}${cell(waymark)}${cell(clickhouse)}${ratio.toFixed(2).padStart(9)}`)
      }
      found.push([
        `clickhouse: processor time of ${name}, ${range} of ${millions} M events`,
        `≤ ${most[name] ?? 1.5} times ClickHouse's`,
        `${ratios.map((ratio) => ratio.toFixed(2)).join(' and ')} with one and two threads`,
        ratios.every((ratio) => ratio <= (most[name] ?? 1.5)),
      ])
    }
  }
  return found
}

/**
 * The same questions about the same events for waymark and ClickHouse, in one process and in turns. ClickHouse has it
 * easier: a person is a column that is known beforehand, there are neither environments nor bots to leave out, and its
 * funnel has no medians. `BENCH_EVENTS` and `BENCH_STORES` as in `answers`.
 */
export const benchClickhouse = async () => {
  const chdb = await openClickhouse()
  if (chdb === undefined) return []
  const found = []
  for (const size of sizes) {
    const shop = await openShop(size)
    const session = await loadClickhouse(chdb, shop)
    session.query('USE shop')
    found.push(...(await withStore(shop, (connection) => benchSize({ connection, session }, size))))
    session.close()
    await chdb.drainPending()
  }
  return found
}
