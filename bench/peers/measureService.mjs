import { eventBody, perBatch } from '../service/eventBody.mjs'
import { sendLoad } from '../service/sendLoad.mjs'
import { startBare, startService } from '../service/startProcess.mjs'

const connections = 16
const warmUpMs = 1000
const forMs = 2500

/** Requests a second of one service, from a fresh start. */
async function measureOne(
  /** @type {() => Promise<{ url: string, stop(): Promise<void> }>} */ start,
  /** @type {string} */ path,
) {
  const service = await start()
  const to = { url: service.url + path, connections }
  await sendLoad({ ...to, bodies: (/** @type {number} */ n) => eventBody(10_000_000 + n), forMs: warmUpMs })
  const { perSecond, p50, p99, refused } = await sendLoad({ ...to, bodies: eventBody, forMs })
  await service.stop()
  return { perSecond, p50Ms: p50, p99Ms: p99, refused: Object.keys(refused).length }
}

/** One interleaved round: a handler that parses and keeps nothing, then the service, which writes to disk first. */
export const measureService = async () => ({
  perRequest: perBatch,
  connections,
  bare: await measureOne(startBare, '/track'),
  waymark: await measureOne(() => startService(), '/track?apiKey=key'),
})
