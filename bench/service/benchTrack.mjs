import { setTimeout as delay } from 'node:timers/promises'
import { sendLoad } from './sendLoad.mjs'
import { memoryOf, query, startBare, startService } from './startProcess.mjs'

const perBatch = 20
const event = (n) => ({
  environment: 'production',
  event: 'Product Viewed',
  distinct_id: `user-${n % 5000}`,
  anonymous_id: `anonymous-${n % 5000}`,
  device_id: 'device-abcdefghijklmnopqrstu',
  session_id: 'session-abcdefghijklmnopqrst',
  timestamp: '2026-11-21T03:04:05.123Z',
  properties: {
    insert_id: `id-${n}-abcdefghijkl`,
    $url: `https://shop.example/products/${n}`,
    $referer: 'https://shop.example/',
    $lib: 'waymark',
    $viewport: '1280x720',
    price: 12.5,
    colour: 'red',
  },
})
// Made as they are needed, from one template, so that making them costs the generator little.
const template = JSON.stringify(event(7_777_777))
const body = (n) => {
  const rows = Array.from({ length: perBatch }, (_, at) =>
    template.replaceAll('7777777', String(n * perBatch + at)),
  )
  return `[${rows.join(',')}]`
}

const round = async (connections, forMs) => {
  const bare = await startBare()
  const control = await sendLoad({ url: `${bare.url}/track`, bodies: body, connections, forMs })
  await bare.stop()

  const service = await startService()
  await sendLoad({
    url: `${service.url}/track?apiKey=key`,
    bodies: (n) => body(10_000_000 + n),
    connections,
    forMs: 1500,
  })
  const ours = await sendLoad({ url: `${service.url}/track?apiKey=key`, bodies: body, connections, forMs })
  const ended = performance.now()
  const expected = ours.accepted * perBatch
  let stored = 0
  while (stored < expected && performance.now() - ended < 60_000) {
    const [[count]] = await query(
      service.url,
      `SELECT count(*) FROM events WHERE insert_id NOT LIKE 'id-2________-%'`,
    )
    stored = count
    if (stored < expected) await delay(50)
  }
  const drainedMs = performance.now() - ended
  const memory = memoryOf(service.pid)
  await service.stop()
  return { control, ours, drainedMs, stored, expected, memory }
}

export const benchTrack = async ({ rounds = 3, connections = 16, forMs = 6000 } = {}) => {
  const rows = []
  for (let at = 0; at < rounds; at++) rows.push(await round(connections, forMs))
  rows.sort((a, b) => a.ours.perSecond / a.control.perSecond - b.ours.perSecond / b.control.perSecond)
  const { control, ours, drainedMs, stored, expected, memory } = rows[rows.length >> 1]
  return [
    [
      'track: requests a second of the bare handler',
      '≥ 60 %',
      `${((100 * ours.perSecond) / control.perSecond).toFixed(0)} % (${ours.perSecond.toFixed(0)} of ${control.perSecond.toFixed(0)}, ${(ours.perSecond * perBatch).toFixed(0)} events/s)`,
      ours.perSecond >= 0.6 * control.perSecond,
    ],
    [
      'track: p99 of the acknowledgement',
      '≤ 10 × p50',
      `${(ours.p99 / ours.p50).toFixed(1)} × (p50 ${ours.p50.toFixed(1)} ms, p99 ${ours.p99.toFixed(1)} ms)`,
      ours.p99 <= 10 * ours.p50,
    ],
    [
      'track: drain ends after the load',
      'keeps up or sheds',
      `${(drainedMs / 1000).toFixed(1)} s later, ${stored} of ${expected} stored, refused ${JSON.stringify(ours.refused)}, RSS peak ${memory.peakMiB} MiB`,
      stored === expected,
    ],
  ]
}
