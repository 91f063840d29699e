import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Client, createClient } from '../fixtures/createClient.js'
import { type Spawned, spawnService, urlIn } from '../fixtures/spawnService.js'
import { makeTrouble, type Trouble } from './makeTrouble.js'
import { event } from '../fixtures/events.js'
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

const start = async (...more: string[]) => {
  const flags = ['--port', '0', '--api-keys', 'key', '--users', 'ada:lovelace', '--memory-limit', '512MB']
  service = spawnService([...flags, ...more, '--data', join(folder, 'data')], {
    direct: true,
    env: trouble.env,
  })
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

it('a clock that was wrong for a moment deletes no event, logs nobody in for longer, and links no two days', async () => {
  const one = (name: string) => client.track(event(name), true)
  const names = () => client.rows('SELECT event FROM events WHERE NOT anonymous ORDER BY event')
  /** The id that a visitor without consent has now. */
  const visit = async () => {
    const path = '/anonymous?sync=true'
    const { status } = await client.post(path, event('Visit'), { authorization: 'Bearer key' })
    expect(status).toBe(200)
    const rows = await client.rows('SELECT arg_max(anonymous_id, event_id) FROM events WHERE anonymous')
    return rows.flat().join()
  }
  const logIn = async () => {
    const given = { user: 'ada', password: 'lovelace' }
    const answer = await client.post('/session', given, {
      'content-type': 'application/json',
      origin: url,
      authorization: '',
    })
    expect(answer.status).toBe(200)
    return answer.headers.get('set-cookie')!.replace(/;.*/, '')
  }
  const userOf = async (cookie: string) => {
    const headers = { cookie, 'sec-fetch-site': 'same-origin' }
    return ((await (await fetch(`${url}/session`, { headers })).json()) as { user: unknown }).user
  }
  const restart = async (seconds: number, ...flags: string[]) => {
    await stop()
    trouble.setClockAhead(seconds)
    await start('--retention', 'production=30d', ...flags)
  }

  await start()
  trouble.setClockAhead(-100 * day)
  await one('old')
  trouble.setClockAhead(0)
  await one('right')
  const cookie = await logIn()
  const ids = [await visit()]
  trouble.setClockAhead(-60 * day)
  await one('behind')
  ids.push(await visit())
  trouble.setClockAhead(400 * day)
  await one('ahead')
  ids.push(await visit())
  const early = await logIn()
  trouble.setClockAhead(0)
  expect(await userOf(cookie)).toBe('ada')
  expect(await userOf(early)).toBeNull()
  for (const later of [0, day, 2 * day]) {
    trouble.setClockAhead(later)
    ids.push(await visit())
  }
  // All have other ids; today has a second one, because its first salt is gone.
  expect(new Set(ids).size).toBe(ids.length)

  await restart(0, '--clock-checked', new Date().toISOString().slice(0, 10))
  await eventually(async () => expect(await names()).toEqual([['ahead'], ['behind'], ['right']]))
  await eventually(() => expect(service!.log() + service!.said()).toContain('may have been behind'))
  await restart(400 * day)
  await eventually(() => expect(service!.log() + service!.said()).toContain('--clock-checked'))
  expect(await names()).toEqual([['ahead'], ['behind'], ['right']])
  await restart(0)
  expect(await names()).toEqual([['ahead'], ['behind'], ['right']])
  await stop()
})
