import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { whyNotNow } from '../peers/quietMachine.mjs'
import { readQuestions, reload } from './benchCache.mjs'
import { drawGrowth } from './drawGrowth.mjs'
import { openShop, sizes, withStore } from './openShop.mjs'
import { medianOf, questionsIn, rounds } from './questions.mjs'
import { basic, startService } from './startProcess.mjs'

/** As the service runs a query, unless told otherwise. */
const threads = Number(process.env.BENCH_THREADS ?? availableParallelism())
const aMonth = `'2025-10-01', '2025-11-01'`
/** The newest event of the shop is a day after the end of these. */
const lastDays = (days) => `TIMESTAMPTZ '2025-12-11' - INTERVAL ${days} DAY, '2025-12-11'`

const overviews = {
  month: '/app/?range=custom&from=2025-10-01&until=2025-10-31',
  all: '/app/?range=custom&from=2025-06-15&until=2025-12-12',
  'month with a goal': '/app/?range=custom&from=2025-10-01&until=2025-10-31&goal=Order',
  'month with two filters':
    '/app/?range=custom&from=2025-10-01&until=2025-10-31&filter=browser%7Cis%7CChrome&filter=path%7Cis%7C%2Fmaps',
}

/** With `BENCH_DRAW=1`, or where nothing else runs, the figures are drawn here. */
const chart = fileURLToPath(new URL('../../docs/growth.svg', import.meta.url))

const measureIn = async (connection, range) => {
  const medians = {}
  for (const [name, sql] of Object.entries(questionsIn(range)))
    medians[name] = await medianOf(() => connection.runAndReadAll(sql))
  return medians
}

const saveGoal = async (url) => {
  const goal = { kind: 'goal', name: 'Order', value: { event: 'Order Placed' } }
  const response = await fetch(`${url}/saved`, {
    method: 'POST',
    headers: { authorization: basic, 'content-type': 'application/json' },
    body: JSON.stringify(goal),
  })
  if (!response.ok) throw new Error(await response.text())
}

/** How long a reload of the overview waits for its last answer, with no answer in the cache. */
const measureOverviews = async (folder) => {
  const service = await startService([], undefined, folder)
  await saveGoal(service.url)
  const medians = {}
  for (const [name, address] of Object.entries(overviews)) {
    const questions = await readQuestions(service.url, address)
    medians[name] = await medianOf(() => reload(service.url, questions, { cache: false }))
  }
  await service.stop()
  return medians
}

const measureSize = async (millions) => {
  const folder = await openShop(millions)
  const answers = await withStore(
    folder,
    async (connection) => ({
      month: await measureIn(connection, aMonth),
      all: await measureIn(connection, undefined),
    }),
    threads,
  )
  const overview = await measureOverviews(folder)
  return {
    month: { ...answers.month, overview: overview.month },
    all: { ...answers.all, overview: overview.all },
    pages: overview,
  }
}

/** Medians of a month, by how many thousand people are in the same number of events. */
const measurePeople = async (millions) => {
  const byPeople = new Map()
  for (const sessionsAPerson of [30, 3, 1]) {
    const folder = await openShop(millions, sessionsAPerson)
    const people = Math.round((millions * 1000) / 8 / sessionsAPerson)
    byPeople.set(people, await withStore(folder, (connection) => measureIn(connection, aMonth), threads))
  }
  return byPeople
}

const measureRanges = async (folder) =>
  withStore(
    folder,
    async (connection) => {
      const byDays = new Map()
      for (const days of [1, 7, 30, 90, 179]) byDays.set(days, await measureIn(connection, lastDays(days)))
      return byDays
    },
    threads,
  )

const print = (title, columns) => {
  const cell = ({ ms, cpuMs }) => `${cpuMs.toFixed(0)} (${ms.toFixed(0)})`.padStart(18)
  const heads = [...columns.keys()].map((name) => String(name).padStart(18)).join('')
  console.log(`${title.padEnd(32)}${heads}`)
  for (const name of Object.keys([...columns.values()][0]))
    console.log(`${name.padEnd(32)}${[...columns.values()].map((medians) => cell(medians[name])).join('')}`)
}

const valuesOf = (map, of) => new Map([...map].map(([key, value]) => [key, of(value)]))

/**
 * How long each answer and the overview take, and how that grows with events, people and the range. Processor time
 * divided by the threads is the least that an answer takes; on a busy machine the clock says how busy that is. The
 * processor time of the overview is not that of the service. `BENCH_EVENTS=1,10,20,100` names the sizes in millions of
 * events, and `BENCH_STORES` a folder in which the stores stay for the next run.
 */
export const benchAnswers = async () => {
  const busy = process.env.BENCH_DRAW === undefined ? await whyNotNow('docs/growth.svg') : ''
  const bySize = new Map()
  for (const size of sizes) bySize.set(size, await measureSize(size))
  const largest = sizes.at(-1)
  const byPeople = await measurePeople(sizes.at(-2) ?? largest)
  const byDays = await measureRanges(await openShop(largest))
  const panels = [
    { title: 'Milliseconds of a month, by million events', columns: valuesOf(bySize, ({ month }) => month) },
    { title: 'Milliseconds of half a year, by million events', columns: valuesOf(bySize, ({ all }) => all) },
    { title: 'Milliseconds of a month, by thousand people', columns: byPeople },
    { title: 'Milliseconds by days of the range', columns: byDays },
  ]
  for (const { title, columns } of panels) print(title, columns)
  print(
    'Overview',
    valuesOf(bySize, ({ pages }) => pages),
  )
  if (busy === '') writeFileSync(chart, drawGrowth(panels))
  else console.log(busy)
  const at = bySize.get(20)
  if (at === undefined) return []
  return ['month', 'all'].flatMap((range) =>
    Object.entries(at[range]).map(([name, { ms }]) => {
      const mostMs = { month: { overview: 1000, answer: 300 }, all: { overview: 3000, answer: 1500 } }[range][
        name === 'overview' ? name : 'answer'
      ]
      return [
        `answers: ${name}, ${range} of 20 M events`,
        `≤ ${mostMs} ms`,
        `${ms.toFixed(0)} ms with ${threads} threads, median of ${rounds}`,
        ms <= mostMs,
      ]
    }),
  )
}
