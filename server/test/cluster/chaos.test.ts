import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createClient } from '../fixtures/createClient.js'
import type { Cluster } from './Cluster.js'
import { Sender } from './Sender.js'
import { ServiceProcess } from './ServiceProcess.js'
import { startCluster } from './startCluster.js'

const events = 200_000

let folder: string
let cluster: Cluster
let ingests: ServiceProcess[]
let queries: ServiceProcess[]

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-chaos-'))
  cluster = await startCluster()
  const log = ['--log', cluster.url]
  const reading = ['--users', 'ada:lovelace', '--memory-limit', '512MB']
  ingests = [0, 1].map(() => new ServiceProcess(['--role', 'ingest', ...log]))
  queries = [0, 1].map(
    (at) => new ServiceProcess(['--role', 'engine', ...log, ...reading, '--data', join(folder, String(at))]),
  )
  for (const each of [...ingests, ...queries]) await each.start()
}, 120_000)

afterAll(async () => {
  await Promise.all([...ingests, ...queries].map((each) => each.kill()))
  await cluster.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
})

const aMoment = events / 100

it(
  'every acknowledged event is in every query process once, whatever is killed meanwhile; nothing is acknowledged without the quorum',
  { timeout: 300_000 },
  async () => {
    const sender = new Sender({ events, urls: () => ingests.map(({ url }) => url) })
    const sending = sender.run()

    await sender.reaches(0.1 * events)
    const [standby] = cluster.standbys
    await standby!.kill()
    await sender.goesOn(aMoment)
    await standby!.start()

    await sender.reaches(0.25 * events)
    await ingests[0]!.kill()
    await sender.goesOn(aMoment)
    await ingests[0]!.start()

    await sender.reaches(0.4 * events)
    await queries[0]!.kill()
    await sender.goesOn(aMoment)
    await queries[0]!.start()

    await sender.reaches(0.55 * events)
    await cluster.whenStreaming(2)
    const [first] = [cluster.primary]
    await first.kill()
    await cluster.failOver()
    await sender.goesOn(aMoment)

    // The primary of before is gone, so this is the last one that follows.
    await sender.reaches(0.75 * events)
    const last = cluster.standbys.find((node) => node !== first)!
    await last.kill()
    const goneMs = performance.now()
    const since = () => sender.attempts.filter(({ sentMs }) => sentMs > goneMs)
    await vi.waitFor(() => expect(since().length).toBeGreaterThan(16), { timeout: 60_000 })
    const alone = since()
    expect(
      alone.filter(({ status, retryAfter }) => status !== 503 || !/^\d+$/.test(retryAfter ?? '')),
    ).toEqual([])
    await last.start()

    await sending
    expect(sender.acknowledged).toBe(events)

    const client = createClient(ingests[1]!.url)
    const { text } = await client.track(client.number(events))
    const { task_id: task } = JSON.parse(text) as { task_id: string }
    await vi.waitFor(async () => expect(await client.task(task)).toMatchObject({ status: 'completed' }), {
      timeout: 60_000,
      interval: 200,
    })
    const counted = `
      SELECT count(*), count(DISTINCT n), min(n), max(n), md5(string_agg(n, ',' ORDER BY event_id))
      FROM (SELECT (properties->>'n')::INT AS n, event_id FROM events)`
    const answers = await Promise.all(queries.map(({ url }) => createClient(url).rows(counted)))
    expect(answers[0]![0]!.slice(0, 4)).toEqual([events + 1, events + 1, 0, events])
    expect(answers[1]).toEqual(answers[0])
  },
)
