import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { changeStore } from '../fixtures/changeStore.js'
import { createClient, type Client } from '../fixtures/createClient.js'
import { engineOf } from '../fixtures/engineOf.js'
import { event } from '../fixtures/events.js'
import { spawnService, urlIn, type Spawned } from '../fixtures/spawnService.js'
import { eventually } from '../fixtures/eventually.js'

const days = 40
const eventsADay = 25
const all = days * eventsADay
/** So many days are moved before the kill, and so much time passes after that. */
const moment = fc.record({
  days: fc.integer({ min: 0, max: 6 }),
  afterMs: fc.integer({ min: 0, max: 60 }),
})

let root: string
let service: Spawned
let client: Client
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'waymark-archive-kills-'))
})
afterEach(async () => {
  service.kill('SIGKILL')
  await service.ended
  rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
})

const launch = async (...more: string[]) => {
  const flags = ['--port', '0', '--data', join(root, 'data'), '--api-keys', 'key', '--users', 'ada:lovelace']
  service = spawnService([...flags, '--memory-limit', '256MB', '--quiet', ...more], { direct: true })
  client = createClient(urlIn(await service.listening))
}

const kill = (pid: number | undefined) => {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL')
  } catch {
    // It has just ended by itself.
  }
}

/** Counts all events and those in the table. */
const count = async () => {
  const [row] = await client.rows(
    `SELECT count(*), count(DISTINCT event_id), sum((properties->>'n')::INTEGER)::INTEGER,
       (SELECT count(*) FROM analytics.raw.events) FROM events`,
  )
  return row as number[]
}

it.runIf(process.platform === 'linux')(
  'a kill at any moment of the move to the archive leaves every event in the table or in a file that counts, once',
  async () => {
    await launch()
    await client.track(
      Array.from({ length: all }, (_, n) =>
        event('numbered', {
          timestamp: Date.UTC(2026, 0, 1) + (n * 86_400_000) / eventsADay,
          properties: { n },
        }),
      ),
      true,
    )
    service.kill('SIGTERM')
    await service.ended
    await changeStore(join(root, 'data'), 'UPDATE analytics.raw.events SET received_at = "timestamp"')

    const archive = join(root, 'archive')
    await launch('--archive', archive)
    const sum = (all * (all - 1)) / 2
    const cutShort: number[] = []
    await fc.assert(
      fc.asyncProperty(moment, async ({ days: moved, afterMs }) => {
        const [rows, distinct, total, left = 0] = await eventually(count)
        expect([rows, distinct, total]).toEqual([all, all, sum])
        if (left > 0 && left < all) cutShort.push(left)
        const most = Math.max(0, left - moved * eventsADay)
        await eventually(async () => expect((await count())[3]).toBeLessThanOrEqual(most))
        await delay(afterMs)
        kill(engineOf(service.pid))
      }),
      // The first kill comes when the move has begun, so that the second start finds it cut short.
      { numRuns: 6, endOnFailure: true, examples: [[{ days: 1, afterMs: 0 }]] },
    )
    await eventually(async () => expect(await count()).toEqual([all, all, sum, 0]))
    expect(cutShort.length).toBeGreaterThan(0)
    const counted = await client.rows('SELECT file FROM analytics.raw.archived_files ORDER BY file')
    service.kill('SIGTERM')
    await service.ended
    await launch('--archive', archive)
    await eventually(count)
    const there = readdirSync(archive, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /parquet/.test(name),
    )
    expect(there.toSorted()).toEqual(counted.flat())
  },
)
