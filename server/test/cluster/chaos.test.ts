import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../fixtures/createClient.js'
import type { Cluster } from './Cluster.js'
import type { PostgresNode } from './PostgresNode.js'
import { Sender } from './Sender.js'
import { ServiceProcess } from './ServiceProcess.js'
import { startCluster } from './startCluster.js'
import { eventually } from '../fixtures/eventually.js'

const events = 200_000

let folder: string
let cluster: Cluster
type Pair = [ServiceProcess, ServiceProcess]
let ingests: Pair
let queries: Pair

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-chaos-'))
  cluster = await startCluster()
  const log = ['--log', cluster.url]
  const reading = ['--memory-limit', '512MB']
  const launchIngest = () => new ServiceProcess(['--role', 'ingest', ...log])
  const launchQuery = (name: string) =>
    new ServiceProcess(['--role', 'engine', ...log, ...reading, '--data', join(folder, name)])
  ingests = [launchIngest(), launchIngest()]
  queries = [launchQuery('one'), launchQuery('other')]
  await Promise.all([...ingests, ...queries].map((each) => each.start()))
})

afterAll(async () => {
  await Promise.all([...ingests, ...queries].map((each) => each.kill()))
  await cluster.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
})

const aMoment = events / 100

it('every acknowledged event is in every query process once, whatever is killed meanwhile; nothing is acknowledged without the quorum', async () => {
  const sender = new Sender({ events, urls: () => ingests.map(({ url }) => url) })
  const sending = sender.run()

  await sender.reaches(0.1 * events)
  const [further, behind] = cluster.standbys as [PostgresNode, PostgresNode]
  await behind.kill()
  await sender.goesOn(aMoment)
  await behind.start()

  await sender.reaches(0.25 * events)
  await ingests[0].kill()
  await sender.goesOn(aMoment)
  await ingests[0].start()

  await sender.reaches(0.4 * events)
  await queries[0].kill()
  await sender.goesOn(aMoment)
  await queries[0].start()

  // What is acknowledged from here on is on the primary and on one standby.
  await sender.reaches(0.55 * events)
  await behind.kill()
  await sender.goesOn(aMoment)
  await cluster.primary.kill()
  await behind.start()
  await cluster.failOver()
  expect(cluster.primary).toBe(further)
  await sender.goesOn(aMoment)

  // The first primary is gone, so this standby is the last one. While it stands still it seems to follow.
  await sender.reaches(0.75 * events)
  behind.pause()
  const attempts = await sender.tries(8)
  await behind.kill()
  attempts.push(...(await sender.tries(8)))
  const asRefused = { status: 503, retryAfter: expect.stringMatching(/^\d+$/) }
  for (const attempt of attempts) expect(attempt).toMatchObject(asRefused)
  await behind.start()

  await sender.reaches(events)
  await sending
  expect(sender.acknowledged).toBe(events)

  const client = createClient(ingests[1].url)
  const { text } = await client.track(client.number(events))
  const { task_id: task } = JSON.parse(text) as { task_id: string }
  await eventually(async () => expect(await client.task(task)).toMatchObject({ status: 'completed' }))
  const counted = `
      SELECT count(*), count(DISTINCT n), min(n), max(n), md5(string_agg(n, ',' ORDER BY event_id))
      FROM (SELECT (properties->>'n')::INT AS n, event_id FROM events)`
  const ask = ({ url }: ServiceProcess) =>
    eventually(async () => {
      const [answer] = await createClient(url).rows(counted)
      expect(answer).toEqual([events + 1, events + 1, 0, events, expect.any(String)])
      return answer
    })
  const [one, other] = await Promise.all(queries.map(ask))
  expect(other).toEqual(one)
})
