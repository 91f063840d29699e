import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Client, createClient } from '../fixtures/createClient.js'
import { type Spawned, spawnService, urlIn } from '../fixtures/spawnService.js'
import { makeTrouble, type Trouble } from './makeTrouble.js'
import { eventually } from '../fixtures/eventually.js'

let folder: string
let trouble: Trouble
let service: Spawned | undefined
let url: string
let client: Client
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-clock-'))
  trouble = await makeTrouble(folder)
})
afterEach(async () => {
  service?.kill('SIGKILL')
  await service?.ended
  rmSync(folder, { recursive: true, force: true })
})

const start = async () => {
  const flags = ['--port', '0', '--api-keys', 'key', '--users', 'ada:lovelace', '--memory-limit', '512MB']
  service = spawnService([...flags, '--data', join(folder, 'data')], { direct: true, env: trouble.env })
  url = urlIn(await service.listening)
  client = createClient(url)
}
const stop = async () => {
  service!.kill('SIGTERM')
  expect((await service!.ended).code).toBe(0)
}

/** Sends events, most of them once more, and waits until each is stored once. */
const holds = async (events: object[]) => {
  expect((await client.track(events, true)).status).toBe(200)
  await eventually(async () =>
    expect(await client.rows('SELECT count(*)::INT FROM events')).toEqual([[events.length]]),
  )
}

const hour = 3600
const day = 24 * hour

it('whatever the clock does, events are stored once, and questions are answered', async () => {
  await start()
  const jumps = [0, hour, -hour, 400 * day, 0, -9 * 365 * day, 0]
  for (const [step, seconds] of jumps.entries()) {
    trouble.setClockAhead(seconds)
    const copies = Array.from({ length: step + 1 }, (_, n) => client.number(n))
    await holds(copies)
    const health: unknown = await (await fetch(`${url}/healthz`)).json()
    expect(health).toMatchObject({ status: 'ok', lag_seconds: 0 })
  }
  const all = Array.from({ length: jumps.length + 1 }, (_, n) => client.number(n))
  // A start fills the window of insert ids from the events that a kill has left.
  const restart = async (seconds: number) => {
    service!.kill('SIGKILL')
    await service!.ended
    trouble.setClockAhead(seconds)
    await start()
  }
  await restart(0)
  await holds(all.slice(0, -1))
  await restart(400 * day)
  await client.track(all.at(-1), true)
  await restart(0)
  await holds(all)
  await stop()
})
