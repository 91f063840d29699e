import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { eventBody } from './eventBody.mjs'
import { startService } from './startProcess.mjs'

const forMs = 6000
const everyMs = 20
const megabyte = 1_048_576
/** The main.js of another build, to be measured in the same run. */
const otherBuild = process.env.BENCH_AGAINST

const event = JSON.stringify({
  environment: 'production',
  event: 'Imported',
  distinct_id: 'user-1',
  properties: { $url: 'https://shop.example/products/1', price: 12.5, colour: 'red', text: 'x'.repeat(200) },
})
/** A list of as many as have room. */
const listOf = (item, bytes) => `[${`${item},`.repeat(Math.floor(bytes / (item.length + 1)) - 1)}${item}]`

const floods = [
  { name: 'brackets without end, 5 MB/s', body: '['.repeat(15 * megabyte), bytesPerSecond: 5e6, atOnce: 4 },
  { name: 'a million {}, 5 MB/s', body: listOf('{}', 3 * megabyte), bytesPerSecond: 5e6, atOnce: 4 },
  {
    name: 'an event of a million names, 5 MB/s',
    body: `[{"environment":"production","event":"x","properties":{${Array.from({ length: 1e6 }, (_, n) => `"p${n}":0`).join(',')}}}]`,
    bytesPerSecond: 5e6,
    atOnce: 4,
  },
  {
    name: '15 MB of events from 20 connections, 60 MB/s',
    body: listOf(event, 15 * megabyte),
    bytesPerSecond: 6e7,
    atOnce: 20,
    // These are written to the disk and stored, as they should be.
    most: { p50: 250, p99: 5000 },
  },
]

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]

/** An honest client sends a batch every 20 ms, whether the one before was answered or not. */
const sendSteadily = async (url, ms) => {
  const took = []
  const refused = {}
  const sending = []
  const began = performance.now()
  for (let n = 0; performance.now() - began < ms; n++) {
    await delay(began + n * everyMs - performance.now())
    const sent = performance.now()
    sending.push(
      fetch(`${url}/track?apiKey=key`, { method: 'POST', body: eventBody(n) }).then(async (answer) => {
        await answer.arrayBuffer()
        if (answer.ok) took.push(performance.now() - sent)
        else refused[answer.status] = (refused[answer.status] ?? 0) + 1
      }),
    )
  }
  await Promise.all(sending)
  took.sort((a, b) => a - b)
  return { p50: percentile(took, 0.5), p99: percentile(took, 0.99), refused }
}

/** Sends one body again and again, no faster than that. Answers count by their status. */
const flood = async (url, { body, bytesPerSecond, atOnce }) => {
  const bytes = Buffer.from(body)
  const answers = {}
  const began = performance.now()
  let sent = 0
  const worker = async () => {
    for (;;) {
      const waitMs = (sent / bytesPerSecond) * 1000 - (performance.now() - began)
      if (performance.now() - began + waitMs > forMs) return
      sent += bytes.length
      await delay(waitMs)
      const outcome = await fetch(`${url}/track?apiKey=key`, { method: 'POST', body: bytes }).then(
        async (answer) => {
          await answer.arrayBuffer()
          return answer.status
        },
        () => 'hung up on',
      )
      answers[outcome] = (answers[outcome] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return answers
}

/** In a thread of its own: sending so much would hold up the honest client's own clock. */
const floodAside = async (url, attack) => {
  const worker = new Worker(new URL(import.meta.url), { workerData: { url, attack } })
  const [answers] = await once(worker, 'message')
  return answers
}

/** What an honest client waits for while the attack runs. */
const measure = async (attack, main) => {
  const service = await startService(['--memory-limit', '256MiB'], main)
  try {
    await sendSteadily(service.url, 1000)
    const [{ p50, p99, refused }, answers] = await Promise.all([
      sendSteadily(service.url, forMs),
      floodAside(service.url, attack),
    ])
    return { p50, p99, refused, answers }
  } finally {
    await service.stop()
  }
}

const tell = ({ p50, p99, refused, answers }) =>
  `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(0)} ms, refused ${JSON.stringify(refused)}; the attack ${JSON.stringify(answers)}`

/** What clients with a public key can do to others by large bodies. */
export const floodAttacks = async () => {
  const lines = []
  for (const attack of floods) {
    const most = attack.most ?? { p50: 30, p99: 500 }
    const now = await measure(attack)
    const before =
      otherBuild === undefined ? '' : `; the other build: ${tell(await measure(attack, otherBuild))}`
    lines.push([
      `attack: ${attack.name}, what /track takes meanwhile`,
      `p50 ≤ ${most.p50} ms, p99 ≤ ${most.p99} ms, nothing refused`,
      tell(now) + before,
      now.p50 <= most.p50 && now.p99 <= most.p99 && Object.keys(now.refused).length === 0,
    ])
  }
  return lines
}

if (!isMainThread && workerData?.attack !== undefined)
  parentPort.postMessage(await flood(workerData.url, workerData.attack))
