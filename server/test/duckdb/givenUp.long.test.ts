import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createClient } from '../fixtures/createClient.js'
import { basic } from '../fixtures/createService.js'
import { giveRoom } from '../fixtures/giveRoom.js'
import { type Spawned, spawnService, urlIn } from '../fixtures/spawnService.js'
import { eventually } from '../fixtures/eventually.js'

let folder: string
let spawned: Spawned | undefined
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'waymark-given-up-'))))
afterEach(async () => {
  spawned?.kill('SIGKILL')
  await spawned?.ended
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
})

/** The service on a disk whose files may not grow beyond so much. */
const startOn = async (maxFileKiB: number) => {
  const flags = ['--port', '0', '--data', folder, '--api-keys', 'key', '--users', 'ada:lovelace']
  spawned = spawnService([...flags, '--memory-limit', '512MiB'], { direct: true, maxFileKiB })
  const service = spawned
  const url = urlIn(await service.listening)
  const client = createClient(url)
  const health = async () => (await (await fetch(`${url}/healthz`)).json()) as Record<string, unknown>
  const metric = async (name: string) => {
    const text = await (await fetch(`${url}/metrics`, { headers: { authorization: basic } })).text()
    return Number(new RegExp(`^waymark_${name} (.+)$`, 'm').exec(text)?.[1])
  }
  return { service, client, health, metric }
}

it('a catalog that DuckDB has given up for a checkpoint without room comes back by itself', async () => {
  const { service, client, metric } = await startOn(66 * 1024)
  const text = (parts: number) =>
    Array.from({ length: parts }, (_, n) => `md5((random() + ${n})::VARCHAR)`).join(' || ')
  // Its file is nearly as large as it may be, and DuckDB’s log is about to be moved into it.
  await client.rows(`CREATE TABLE filler AS SELECT ${text(4)} AS t FROM range(850000)`)
  await client.rows(`CREATE TABLE t AS SELECT '' AS t`)
  const insert = (rows: number) =>
    client.post('/query', { statement: `INSERT INTO t SELECT ${text(16)} FROM range(${rows})` })
  let failure = ''
  for (let n = 0; n < 30 && failure === ''; n++) {
    const answer = await insert(n < 6 ? 20_000 : 2000)
    if (answer.status !== 200) failure = answer.text
  }
  expect(failure).toContain('has been invalidated')
  giveRoom(service.pid)

  await eventually(() => client.rows('SELECT count(*) FROM t'))
  expect((await client.track(client.number(1), true)).status).toBe(200)
  expect(await client.rows('SELECT count(*) FROM events')).toEqual([[1]])
  expect(await metric('engine_restarts_total')).toBeGreaterThan(0)
  expect(service.log()).toContain('The engine ended and is started again.')
})

it('health and metrics say at once that rows are not being stored, why, and since when', async () => {
  const { service, client, health, metric } = await startOn(3000)
  expect(await health()).not.toHaveProperty('storing')
  const filler = 'x'.repeat(50_000)
  let sent = 0
  const send = async () => {
    const { status } = await client.track({ ...client.number(sent), properties: { n: sent, filler } })
    if (status === 200) sent++
  }
  await eventually(async () => {
    await send()
    expect(await health()).toHaveProperty('storing')
  })
  const told = await health()
  const reason = 'The disk of the data folder is full, or takes no writes.'
  expect(told).toMatchObject({ status: 'degraded', reason, storing: { reason } })
  const { failing_since: since } = told['storing'] as { failing_since: string }
  expect(Date.parse(since)).toBeLessThanOrEqual(Date.now())
  expect(await metric('storing_failing')).toBe(1)
  expect(await metric('storing_failing_seconds')).toBeGreaterThan(0)

  giveRoom(service.pid)
  await eventually(async () => expect(await health()).not.toHaveProperty('storing'))
  expect(await metric('storing_failing')).toBe(0)
  await eventually(async () => expect(await health()).toMatchObject({ backlog_rows: 0 }))
  expect(await client.rows('SELECT count(*), count(DISTINCT properties->>$$n$$) FROM events')).toEqual([
    [sent, sent],
  ])
})
