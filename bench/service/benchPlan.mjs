import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { eventBody, perBatch } from './eventBody.mjs'
import { sendLoad } from './sendLoad.mjs'
import { cpuOf, query, startService } from './startProcess.mjs'

const rounds = Number(process.env.BENCH_ROUNDS ?? 8)
const forMs = Number(process.env.BENCH_MS ?? 4000)
/** A row may cost this much more where there is a plan. */
const most = 0.05

const events = {
  'Product Viewed': {
    type: 'object',
    properties: { price: { type: 'number' }, colour: { enum: ['red', 'blue'] } },
    required: ['price'],
  },
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]
const allOf = ({ mainMs, othersMs }) => mainMs + othersMs

/** Gives functions that send for a while until all is stored, and say what a row has cost, in microseconds. */
const start = async (flags) => {
  const service = await startService(flags)
  let [sent, accepted] = [0, 0]
  return {
    service,
    async segment() {
      const before = allOf(cpuOf(service.pid))
      const to = { url: `${service.url}/track?apiKey=key`, connections: 16, forMs }
      const load = await sendLoad({ ...to, bodies: () => eventBody(sent++) })
      accepted += load.accepted * perBatch
      const stored = () => query(service.url, 'SELECT applied FROM analytics.raw.position')
      while ((await stored())[0][0] < accepted) await delay(200)
      return (1000 * (allOf(cpuOf(service.pid)) - before)) / (load.accepted * perBatch)
    },
  }
}

/** What taking and storing a row costs in both processes, with a plan and without one, in turns. */
export const benchPlan = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-plan-'))
  const file = join(folder, 'plan.json')
  writeFileSync(file, JSON.stringify({ events }))
  const contestants = [await start([]), await start(['--plan', file])]
  for (const each of contestants) await each.segment()
  const all = []
  for (let at = 0; at < rounds; at++) {
    const round = []
    // Each begins in turn, so that what the one leaves behind does not always weigh on the other.
    for (const which of at % 2 ? [1, 0] : [0, 1]) round[which] = await contestants[which].segment()
    all.push(round)
  }
  const [[judged]] = await query(
    contestants[1].service.url,
    `SELECT count(*) FILTER (plan_verdict = 'valid') = count(*) FROM events`,
  )
  for (const { service } of contestants) await service.stop()
  rmSync(folder, { recursive: true })
  const [without, withPlan] = [0, 1].map((at) => median(all.map((round) => round[at])))
  const more = withPlan / without - 1
  return [
    [
      'plan: processor time of a row, taken and stored, with --plan',
      `≤ ${100 * most} % more`,
      `${(100 * more).toFixed(1)} % more, medians of ${rounds} segments in turns: ${withPlan.toFixed(1)} µs, without ${without.toFixed(1)}`,
      judged && more <= most,
    ],
  ]
}
