import { drawBars } from './drawBars.mjs'
import { renderBehind, sayBehind } from './renderBehind.mjs'
import { renderTable } from './renderTable.mjs'
import { summariseCost } from './summarise.mjs'

const ms = (/** @type {number} */ value) => `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`
const us = (/** @type {number} */ value) => `${value.toFixed(0)} µs`

/** @type {{ id: string, title: string, about: string, read: (one: Record<string, number>) => number, over?: boolean, format: (value: number) => string }[]} */
const firstMetrics = [
  {
    id: 'first-start',
    title: 'First load of the script tag, slowed down',
    about: 'Evaluation and init(), synchronous, over the empty script.',
    read: (one) => one.evaluateMs + one.initMs,
    over: true,
    format: ms,
  },
  {
    id: 'first-main',
    title: 'The same, with all that follows',
    about: 'Processor time of the main thread within 1.5 s, over the empty script.',
    read: (one) => one.mainMs,
    over: true,
    format: ms,
  },
]

/** @type {typeof firstMetrics} */
const burstMetrics = [
  {
    id: 'burst-p99',
    title: 'track(), 10,000 in a task: one call in a hundred',
    about: 'What the dearest hundredth of the calls takes at least (p99); the timer has steps of 5 µs.',
    read: (one) => one.p99Us,
    format: us,
  },
  {
    id: 'burst-main',
    title: 'Main thread, 1,000 events in tasks',
    about: 'Processor time until all is sent, over the same page without a library.',
    read: (one) => one.mainMs,
    over: true,
    format: ms,
  },
]

const parts = [
  { title: 'evaluation', read: (/** @type {any} */ one) => one.evaluateMs, over: true, format: ms },
  { title: 'init()', read: (/** @type {any} */ one) => one.initMs, over: true, format: ms },
]

/** The first load on a slow machine, and calls one by one. @param {{ first: any, burst: any[] }} results */
export function renderFirst({ first, burst }) {
  const loads = first.loads.map((/** @type {object} */ peers) => ({ peers }))
  const all = [
    ...firstMetrics.map((metric) => ({ ...metric, ...summariseCost(loads, metric) })),
    ...burstMetrics.map((metric) => ({ ...metric, ...summariseCost(burst, metric) })),
  ]
  const tables = [...parts.map((part) => ({ ...part, ...summariseCost(loads, part) })), ...all.slice(0, 2)]
  const rows = (all[0]?.figures ?? []).map(({ peer, title }) => ({
    title,
    ours: peer === 'waymark',
    cells: tables.map(({ figures, format }) => {
      const one = figures.find((figure) => figure.peer === peer)
      return one
        ? `${format(one.median)}<br><small>${format(one.least)}–${format(one.most)}</small>`
        : 'not measured'
    }),
  }))
  const [ours, , bare] = all[3]?.figures ?? []
  const share = (((ours?.median ?? NaN) / (bare?.median ?? NaN)) * 100).toFixed(0)
  const averages = burst.map(({ loadAverage }) => loadAverage).join(', ')
  const behind = all.flatMap(({ title, figures, format }) => sayBehind(title, figures, format))
  return `<h3 id="first">A slow machine, and calls one by one</h3>
${renderBehind(behind)}
<p>The first load: ${loads.length} interleaved rounds in a Chromium whose processor is slowed down ${first.slowdown} times, a visitor of its own each time, nothing from a cache (load average of the machine ${first.loadAverage}). The calls: ${burst.length} interleaved rounds on the whole processor (load average ${averages}), beside a bare queue that stores and sends the same and does nothing else; waymark’s processor time is ${share} % of its. The machine had other work, so the least is nearer to the truth than the median.</p>
<div class="charts">${all.map((metric) => drawBars(metric)).join('')}</div>
${renderTable({ id: 'first-table', caption: 'First load of the script tag, over the empty script: the median, and the least and the most.', heads: tables.map(({ title }) => title), rows })}`
}
