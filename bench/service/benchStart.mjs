import { readdirSync, rmSync, statSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { runnerImport } from 'vite'
import { variedBody } from './eventBody.mjs'
import { days } from './fillShop.mjs'
import { GrowingShop } from './growingShop.mjs'
import { medianOf, questionsIn } from './questions.mjs'
import { sendLoad } from './sendLoad.mjs'
import { cpuOf, query, startService } from './startProcess.mjs'

/** In millions; the shop grows from each to the next one, at the same number of events a day. */
const sizes = (process.env.BENCH_EVENTS ?? '10').split(',').map(Number)
const largest = sizes.at(-1)
/** So many events are not archived, however many there are. */
const hotDays = Math.max(1, Math.ceil(days / largest))
/** As many days are not archived unless the operator says otherwise. */
const usualDays = 30
/** So many rows are behind a state; in the last stage as many as there may be before it is written anew. */
const behindOf = ({ millions, hot }) => (millions / largest > 0.5 && hot === hotDays ? 1_000_000 : 100_000)
const dayMs = 86_400_000

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`
const secondsSince = (sinceMs) => Number(((performance.now() - sinceMs) / 1000).toFixed(1))
const say = (text) =>
  console.log(`${text} (load ${loadavg()[0].toFixed(1)} on ${availableParallelism()} processors)`)
const sizeOf = (folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false }))
    .reduce((sum, stat) => sum + (stat?.isFile() ? stat.size : 0), 0)
const until = async (isSo) => {
  while (!(await isSo())) await delay(200)
}
const isState = (name) => /^state-\d+$/.test(name)
const positionOf = (state) => Number(state.slice('state-'.length))
/** What comes by the log, and is of no person of the shop. */
const body = () => variedBody().replaceAll('user-', 'visitor-')

/** Asks until the engine is there. */
const ask = async (url, statement) => {
  for (;;) {
    try {
      return await query(url, statement, { cache: false })
    } catch (error) {
      if (!error.message.includes('engine-')) throw error
      await delay(100)
    }
  }
}
const count = async (url) => (await ask(url, 'SELECT count(*) FROM events'))[0][0]

const starter = (shop, log) => {
  const flagsFor = (millions, hot) => {
    const after = Math.floor((Date.now() - shop.endMs(millions)) / dayMs) + hot
    return [
      ...['--log', log, '--log-durability', 'local', '--archive', shop.archive],
      ...['--archive-after', `${after}d`],
    ]
  }
  return {
    start: (name, { millions, hot }) =>
      startService(flagsFor(millions, hot), undefined, join(shop.root, name)),
    firstHot: ({ millions, hot }) =>
      new Date(
        Math.floor(Date.now() / dayMs - Number(flagsFor(millions, hot).at(-1).slice(0, -1))) * dayMs,
      ).toISOString(),
  }
}

const archiveDays = async (shop, { start, firstHot }, stage) => {
  const beganMs = performance.now()
  const archiver = await start('one', stage)
  const old = `SELECT count(*) FROM analytics.raw.events WHERE received_at < TIMESTAMPTZ '${firstHot(stage)}'`
  const [[events]] = await ask(archiver.url, old)
  await until(async () => (await ask(archiver.url, old))[0][0] === 0)
  const { mainMs, othersMs } = cpuOf(archiver.pid)
  const cpu = ((mainMs + othersMs) / 1000).toFixed(0)
  await archiver.stop()
  say(`${events} events are archived after ${secondsSince(beganMs)} s, ${cpu} s of processor time`)
  await shop.compact()
}

/** Sends events until so many rows are behind the state. */
const fallBehind = async (writer, last, { state, least }) => {
  let rows
  do {
    await sendLoad({ url: `${writer.url}/track?apiKey=key`, connections: 8, bodies: body, forMs: 1000 })
    rows = (await last()) - positionOf(state)
  } while (rows < least)
  return rows
}

/** Whole days before the newest event. */
const daysBefore = (endMs, from, to) => {
  const day = (back) => `TIMESTAMPTZ '${new Date(Math.floor(endMs / dayMs - back) * dayMs).toISOString()}'`
  return `${day(from)}, ${day(to)}`
}

const measureAnswers = async (url, endMs) => {
  const months = {
    hot: daysBefore(endMs, usualDays - 1, -1),
    cold: daysBefore(endMs, 2 * usualDays, usualDays),
  }
  for (const [name, range] of Object.entries(months)) {
    const took = []
    for (const [question, sql] of Object.entries(questionsIn(range))) {
      const { ms } = await medianOf(() => ask(url, sql))
      took.push(`${question} ${ms.toFixed(0)}`)
    }
    say(`answers over a ${name} month, ms: ${took.join(', ')}`)
  }
}

const measure = async (shop, starts, last, stage) => {
  const { millions, hot } = stage
  const tables = await shop.tables()
  say(`${millions} M events, ${hot} days in the table: ${tables}`)
  let beganMs = performance.now()
  const writer = await starts.start('one', stage)
  await until(() => readdirSync(shop.archive).some(isState))
  const state = readdirSync(shop.archive)
    .filter(isState)
    .toSorted((a, b) => positionOf(b) - positionOf(a))[0]
  const stateBytes = sizeOf(join(shop.archive, state))
  say(`a state of ${megabytes(stateBytes)} is there ${secondsSince(beganMs)} s after the start`)
  const rows = await fallBehind(writer, last, { state, least: behindOf(stage) })
  const expected = async () =>
    (await ask(writer.url, 'SELECT max(applied) FROM analytics.raw.position'))[0][0]
  const end = await last()
  await until(async () => (await expected()) >= end)
  const all = await count(writer.url)
  beganMs = performance.now()
  const fresh = await starts.start('two', stage)
  const copied = secondsSince(beganMs)
  await count(fresh.url)
  const first = secondsSince(beganMs)
  const { funnel } = questionsIn(`'2025-06-20', '2025-06-27'`)
  await ask(fresh.url, funnel)
  const second = secondsSince(beganMs)
  await until(async () => (await count(fresh.url)) === all)
  const caughtUp = secondsSince(beganMs)
  const disk = sizeOf(fresh.folder)
  const files = readdirSync(shop.archive, { recursive: true }).filter((name) => name.endsWith('.parquet'))
  const parquet = files.reduce((sum, name) => sum + statSync(join(shop.archive, name)).size, 0)
  if (hot === usualDays) await measureAnswers(fresh.url, shop.endMs(millions))
  await fresh.stop()
  await writer.stop()
  rmSync(fresh.folder, { recursive: true })
  return [
    `start: the first answer of a new process, ${millions} M events, ${hot} days of them in the table`,
    '≤ 60 s',
    `${first} s (the state is copied after ${copied} s), a funnel over a week in the archive ${second} s, after ${caughtUp} s it has the ${rows} rows behind the state, too; the state ${megabytes(stateBytes)}, disk of the process ${megabytes(disk)}, ${files.length} files of the archive ${megabytes(parquet)} (load ${loadavg()[0].toFixed(1)})`,
    first <= 60,
  ]
}

const removeStates = ({ archive }) => {
  for (const name of readdirSync(archive).filter(isState)) rmSync(join(archive, name), { recursive: true })
}

/**
 * A new query process that starts from a state in the archive's folder, while events grow and those in the table do not.
 * With `BENCH_STORES` the largest one stays, and the next run measures it alone.
 */
export const benchStart = async () => {
  const { module } = await runnerImport('server/test/cluster/startCluster.ts')
  const { module: found } = await runnerImport('server/test/cluster/findPostgres.ts')
  const programs = found.findPostgres()
  const cluster = await module.startCluster({ standbys: 0 })
  const shop = new GrowingShop(largest)
  try {
    await cluster.primary.query('CREATE DATABASE start')
    const log = `postgres://postgres@127.0.0.1:${cluster.primary.port}/start`
    const starts = starter(shop, log)
    const last = async () =>
      Number((await cluster.primary.query('SELECT last FROM waymark.head', [], 'start'))[0].last)
    const kept = await shop.restore(programs, log)
    if (kept !== undefined) return [await measure(shop, starts, last, kept)]
    const results = []
    for (const [at, millions] of sizes.entries()) {
      const beganMs = performance.now()
      await shop.grow(sizes[at - 1] ?? 0, millions)
      say(`${millions} M events are filled in after ${secondsSince(beganMs)} s`)
      // Answers are compared where a cold month is beside the hot one.
      const hasMonths = hotDays < usualDays && millions / largest >= (2 * usualDays) / days
      for (const hot of hasMonths ? [usualDays, hotDays] : [hotDays]) {
        const stage = { millions, hot }
        await archiveDays(shop, starts, stage)
        removeStates(shop)
        results.push(await measure(shop, starts, last, stage))
        console.log(results.at(-1)[2])
      }
      if (shop.isKept) await shop.keep(programs, log, { millions, hot: hotDays })
    }
    return results
  } finally {
    await cluster.close()
    if (!shop.isKept) shop.remove()
  }
}
