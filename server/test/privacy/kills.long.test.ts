import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createClient, type Client } from '../fixtures/createClient.js'
import { engineOf } from '../fixtures/engineOf.js'
import { event } from '../fixtures/events.js'
import { findInFiles } from '../fixtures/findInFiles.js'
import { spawnService, urlIn, type Spawned } from '../fixtures/spawnService.js'
import { eventually } from '../fixtures/eventually.js'

let folder: string
let service: Spawned
let client: Client
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-erase-'))
})
afterEach(async () => {
  service.kill('SIGKILL')
  await service.ended
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
})

const launch = async () => {
  const flags = ['--port', '0', '--data', folder, '--api-keys', 'key', '--users', 'ada:lovelace']
  service = spawnService([...flags, '--memory-limit', '256MB', '--quiet'], { direct: true })
  client = createClient(urlIn(await service.listening))
}

const kill = (pid: number | undefined) => {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL')
  } catch {
    // It has just ended by itself.
  }
}

/** Sends events of others until it is stopped. */
const sendOthers = (from: number) => {
  const accepted: number[] = []
  let isStopped = false
  const work = (async () => {
    for (let n = from; !isStopped; n++) {
      const answer = await client.track(client.number(n)).catch(() => undefined)
      if (answer?.status === 200) accepted.push(n)
      else await delay(20)
    }
  })()
  return {
    accepted,
    async stop() {
      isStopped = true
      await work
    },
  }
}

/** Asks until it is known that the person is erased: now, or by what was written down before a kill. */
const eraseAtLast = (id: string) =>
  eventually(async () => {
    const { status, text } = await client.post('/persons/erase', { environment: 'production', id })
    if (status !== 200 && status !== 404) throw new Error(`It answered ${status}: ${text}`)
    return status
  })

const moment = fc.record({
  of: fc.constantFrom('engine', 'service'),
  afterMs: fc.integer({ min: 0, max: 900 }),
})

it.runIf(process.platform === 'linux')(
  'a kill at any moment of an erase leaves a whole store, nothing of the person, and all of the others',
  async () => {
    await launch()
    let round = 0
    const accepted: number[] = []
    const erased: string[] = []
    const check = async (kills: { of: string; afterMs: number }[]) => {
      const id = `person-of-round-${round}`
      await client.track([1, 2, 3].map((n) => event('Seen', { distinct_id: id, properties: { n } })))
      const others = sendOthers(1_000_000 * round++)
      const asked = client.post('/persons/erase', { environment: 'production', id }).catch(() => undefined)
      for (const { of, afterMs } of kills) {
        await delay(afterMs)
        kill(of === 'engine' ? engineOf(service.pid) : service.pid)
        if (of !== 'service') continue
        await service.ended
        await launch()
      }
      const answer = await asked
      const status = await eraseAtLast(id)
      if (kills.length === 0) expect(answer?.status).toBe(200)
      // What was said to be done is done.
      if (answer?.status === 200) expect(status).toBe(404)
      await eventually(() => expect(others.accepted.length).toBeGreaterThan(10))
      await others.stop()
      accepted.push(...others.accepted)
      erased.push(id)
      await eventually(async () => expect((await client.track(client.number(-round), true)).status).toBe(200))

      for (const each of erased) expect(findInFiles(folder, `"${each}"`), each).toEqual([])
      const stored = await eventually(() =>
        client.rows(`SELECT (properties->>'n')::INT FROM events WHERE event = 'numbered'`),
      )
      const numbers = stored.flat().map(Number)
      expect(new Set(numbers).size).toBe(numbers.length)
      const there = new Set(numbers)
      expect(accepted.filter((n) => !there.has(n))).toEqual([])
      expect(await client.rows(`SELECT event FROM events WHERE event <> 'numbered'`)).toEqual([])
      // An erase that a kill cut off and the one asked for after it may be done as one, and are logged as two.
      const logged = await client.rows('SELECT DISTINCT person, events FROM privacy_log')
      expect(logged.map(([, events]) => events)).toEqual(erased.map(() => 3))
    }
    await check([])
    await fc.assert(fc.asyncProperty(fc.array(moment, { minLength: 1, maxLength: 2 }), check), {
      numRuns: 2,
      endOnFailure: true,
    })
  },
)
