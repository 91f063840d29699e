import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { eventBody, perBatch } from './eventBody.mjs'
import { ids, mixedRequest } from './mixedRequest.mjs'
import { sendLoad } from './sendLoad.mjs'
import { basic, query, startService } from './startProcess.mjs'

/** Asked of the process that takes requests: a query would take from the engine what is measured. */
const isStored = async (url, taskId) => {
  const answer = await fetch(`${url}/tasks/${taskId}?apiKey=key`)
  return (await answer.json()).status === 'completed'
}

/** One request of so many is followed to its row. */
const followed = 10

const post = (url, agent, body) =>
  new Promise((resolve, reject) => {
    const call = request(
      url,
      { method: 'POST', agent, headers: { 'content-type': 'application/json' } },
      (answer) => {
        let text = ''
        answer.on('data', (chunk) => (text += chunk))
        answer.on('end', () => resolve(JSON.parse(text)))
      },
    )
    call.on('error', reject)
    call.end(body)
  })

const appliedRows = async (service) =>
  (await query(service.url, 'SELECT applied FROM analytics.raw.position'))[0][0]

const steadyMs = Number(process.env.BENCH_MS ?? 30_000)
/** Rows a second, each measured apart. */
const rates = (process.env.BENCH_ROWS ?? '15000').split(',').map(Number)
/** So many joins without end run meanwhile. */
const joins = Number(process.env.BENCH_JOINS ?? 0)
const join = 'SELECT sum(hash(a.range * b.range)) FROM range(2000000) a, range(2000000) b'

/** Sends at a fixed rate, and notes when rows of an answered request are there to be queried. */
const steady = async (rowsPerSecond) => {
  const service = await startService()
  const asking = new AbortController()
  for (let at = 0; at < joins; at++) {
    const body = JSON.stringify({ statement: `${join} WHERE a.range <> ${at}` })
    const asked = { method: 'POST', headers: { authorization: basic }, body, signal: asking.signal }
    fetch(`${service.url}/query`, asked).catch(() => undefined)
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  const waiting = []
  const lags = []
  let isSending = true
  const watch = async () => {
    while (isSending || waiting.length > 0) {
      if (waiting.length > 0 && (await isStored(service.url, waiting[0].taskId)))
        lags.push(performance.now() - waiting.shift().atMs)
      else await delay(20)
    }
  }
  const watching = watch()
  const began = performance.now()
  let sent = 0
  let refused = 0
  const open = new Set()
  while (performance.now() - began < steadyMs) {
    const due = ((performance.now() - began) / 1000) * (rowsPerSecond / perBatch)
    for (; sent < due; sent++) {
      const [path, body] = mixedRequest(sent)
      const isFollowed = sent % followed === 0
      const call = post(`${service.url}${path}?apiKey=key`, agent, body).then((answer) => {
        if (!answer.ok) refused++
        else if (isFollowed) waiting.push({ taskId: answer.task_id, atMs: performance.now() })
        open.delete(call)
      })
      open.add(call)
    }
    await delay(10)
  }
  await Promise.all(open)
  const rate = (sent * perBatch) / ((performance.now() - began) / 1000)
  isSending = false
  await watching
  agent.destroy()
  asking.abort()
  await service.stop()
  lags.sort((a, b) => a - b)
  const at = (share) => (lags[Math.floor(lags.length * share)] / 1000).toFixed(2)
  return [
    `fresh: from the answer to the row, at a steady ${rowsPerSecond} rows/s, 12 % of them identities of ${ids} ids${joins > 0 ? `, beside ${joins} joins without end` : ''}`,
    'p99 ≤ 3 s',
    `p50 ${at(0.5)} s, p99 ${at(0.99)} s, worst ${(lags.at(-1) / 1000).toFixed(2)} s; sent ${Math.round(rate)} rows/s for ${steadyMs / 1000} s, ${refused} of ${sent} requests refused`,
    Number(at(0.99)) <= 3 && rate > 0.9 * rowsPerSecond && refused === 0,
  ]
}

/** A burst from 64 connections, of some ten batches, and what is left of it afterwards. */
const burst = async ({ forMs = 20_000 } = {}) => {
  const service = await startService()
  const to = { url: `${service.url}/track?apiKey=key`, connections: 64 }
  const load = await sendLoad({ ...to, bodies: eventBody, forMs })
  const beside = await appliedRows(service)
  const all = load.accepted * perBatch
  const began = performance.now()
  const agent = new Agent()
  // Rows are stored in order, so the newest of all says when those before it are there.
  const { task_id: newest } = await post(`${service.url}/identify?apiKey=key`, agent, mixedRequest(0)[1])
  while (!(await isStored(service.url, newest))) await delay(20)
  const alone = (all - beside) / ((performance.now() - began) / 1000)
  await service.stop()
  const k = (rows) => `${(rows / 1000).toFixed(0)} k`
  return [
    [
      'fresh: applied beside a full burst of 64 connections',
      '≥ 40 k rows/s',
      `${k(beside / load.seconds)} rows/s of ${k(all / load.seconds)} accepted`,
      beside / load.seconds >= 40_000,
    ],
    [
      'fresh: applied alone, after the burst',
      '≥ 100 k rows/s',
      `${k(alone)} rows/s, ${k(all - beside)} rows`,
      alone >= 100_000,
    ],
  ]
}

export const benchFresh = async () => {
  const lines = []
  for (const rate of rates) lines.push(await steady(rate))
  return [...lines, ...(await burst())]
}
