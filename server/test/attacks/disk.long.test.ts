import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Client, createClient } from '../fixtures/createClient.js'
import { createService } from '../fixtures/createService.js'
import { type Spawned, spawnService, urlIn } from '../fixtures/spawnService.js'
import { withMounts } from '../fixtures/withMounts.js'
import { makeTrouble, type Trouble } from './makeTrouble.js'
import { eventually } from '../fixtures/eventually.js'

let folder: string
let trouble: Trouble
let service: Spawned | undefined
let url: string
let client: Client
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-disk-'))
  trouble = await makeTrouble(folder)
})
afterEach(async () => {
  trouble.setDisk('works')
  service?.kill('SIGKILL')
  await service?.ended
  service = undefined
  rmSync(folder, { recursive: true, force: true })
})

const flags = ['--port', '0', '--api-keys', 'key', '--users', 'ada:lovelace', '--memory-limit', '512MB']
const start = async () => {
  service = spawnService([...flags, '--data', join(folder, 'data')], { direct: true, env: trouble.env })
  url = urlIn(await service.listening)
  client = createClient(url)
}
const stop = async () => {
  service!.kill('SIGTERM')
  return (await service!.ended).code
}
const health = async (withinMs: number) => {
  const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(withinMs) })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}
/** Sends numbered events until it is told to stop; gives the numbers of those that were acknowledged. */
const sendOn = () => {
  const acknowledged: number[] = []
  let isOver = false
  let n = 0
  const send = async () => {
    while (!isOver) {
      const number = n++
      const answer = await client.track(client.number(number)).catch(() => undefined)
      if (answer?.status === 200) acknowledged.push(number)
      else await delay(100)
    }
  }
  const senders = [send(), send(), send(), send()]
  return async () => {
    isOver = true
    await Promise.all(senders)
    return acknowledged
  }
}
const storedNumbers = async () =>
  (await client.rows("SELECT (properties->>'n')::INT AS n FROM events ORDER BY n")).map(([n]) => n)
/** The engine is started and its rows are stored while other tests use the processors. */
/** How long a disk of these tests takes nothing. It was once a minute and more: `STALL_MS=70000`. */
const stallMs = Number(process.env['STALL_MS'] ?? 20_000)

it('a disk that takes nothing for a while holds up what comes, and loses nothing', async () => {
  await start()
  const stopSending = sendOn()
  await eventually(async () => expect((await storedNumbers()).length).toBeGreaterThan(50))
  trouble.setDisk('stalls')
  const beganMs = performance.now()
  const late: unknown[] = []
  for (let ms = 0; ms < stallMs; ms = performance.now() - beganMs) {
    const check = await health(1000).catch((error: Error) => error.name)
    if (ms > 12_000) late.push(typeof check === 'string' ? check : check.status)
    await delay(500)
  }
  // Where the write that the disk takes nothing of holds up the process itself, nobody is answered.
  expect(late.length).toBeGreaterThan(3)
  expect(late.filter((each) => each !== 503 && each !== 'TimeoutError')).toEqual([])
  trouble.setDisk('works')
  await eventually(async () => expect((await health(1000)).status).toBe(200))
  await client.track(client.number(1_000_000), true)
  const acknowledged = await stopSending()
  await client.track(client.number(1_000_001), true)
  expect(await storedNumbers()).toEqual([...acknowledged.toSorted((a, b) => a - b), 1_000_000, 1_000_001])
  expect(await stop()).toBe(0)
})

it('a disk that becomes read-only is told, events are refused, and all goes on once it takes writes again', async () => {
  await start()
  const stopSending = sendOn()
  await eventually(async () => expect((await storedNumbers()).length).toBeGreaterThan(50))
  trouble.setDisk('is read-only')
  await eventually(async () => {
    const { status, body } = await health(1000)
    expect([status, body['status'], body['accepting']]).toEqual([503, 'degraded', false])
  })
  const refused = await client.track(client.number(1_000_000))
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)])
  trouble.setDisk('works')
  await eventually(async () => expect((await health(1000)).status).toBe(200))
  await eventually(async () => expect((await client.track(client.number(1_000_001), true)).status).toBe(200))
  const acknowledged = await stopSending()
  await client.track(client.number(1_000_002), true)
  const stored = await storedNumbers()
  expect(new Set(stored).size).toBe(stored.length)
  const lost = [...acknowledged, 1_000_001, 1_000_002].filter((n) => !stored.includes(n))
  expect(lost).toEqual([])
  expect(service!.log()).toMatch(/EROFS|read-only/i)
  expect(await stop()).toBe(0)
})

it('a folder on a disk that is read-only is refused in one sentence', async () => {
  const data = join(folder, 'data')
  const made = await createService({ dataFolder: data })
  await made.stop()
  const own = withMounts(`mount --bind '${data}' '${data}' && mount -o remount,ro,bind '${data}'`)
  service = spawnService([...flags, '--data', data], { direct: true, within: own })
  const { code, stdout, stderr } = await service.ended
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(stderr).toMatch(/read-only|EROFS/i)
})

it('a disk that fails in the middle of an answer is told in its last line, without a path', async () => {
  await start()
  await client.rows('CREATE TABLE large AS SELECT hash(range) AS a FROM range(6_000_000)')
  expect(await stop()).toBe(0)
  // What DuckDB has read once it keeps, and this one has read nothing.
  await start()
  const answer = await fetch(`${url}/query`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('ada:lovelace').toString('base64')}` },
    body: JSON.stringify({ statement: 'FROM large' }),
  })
  expect(answer.status).toBe(200)
  const reader = answer.body!.getReader()
  await reader.read()
  trouble.setDisk('gives nothing')
  let end = ''
  for (let part = await reader.read(); !part.done; part = await reader.read())
    end = (end + Buffer.from(part.value).toString()).slice(-4000)
  expect(JSON.parse(end.trimEnd().split('\n').at(-1)!)).toMatchObject({
    error: expect.stringMatching(/^The disk of the service fails/),
    error_code: 'disk-failing',
  })
})

it.each(['is broken', 'is read-only'] as const)(
  'a disk that %s is told with 503, without a path',
  async (state) => {
    await start()
    const authorization = `Basic ${Buffer.from('ada:lovelace').toString('base64')}`
    const ask = async (path: string, body: string) => {
      const answer = await fetch(url + path, { method: 'POST', headers: { authorization }, body })
      return { status: answer.status, text: await answer.text() }
    }
    const place = 'catalog=lakehouse&schema=main&table=t'
    expect((await ask(`/upload?${place}&mode=create&format=csv`, 'a\n1\n')).status).toBe(200)
    trouble.setDisk(state)
    const answers = [
      await ask('/query', JSON.stringify({ statement: 'FROM range(100_000)', format: 'parquet' })),
      await ask(`/upload?${place}&mode=append&format=csv`, 'a\n1\n'),
    ]
    for (const { status, text } of answers) {
      expect([status, text]).toEqual([503, expect.stringContaining('disk-failing')])
      expect(text).not.toContain(folder)
    }
  },
)
