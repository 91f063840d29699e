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

const events = 20_000

let folder: string
let cluster: Cluster
let ingests: ServiceProcess[]
let query: ServiceProcess

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-power-'))
  cluster = await startCluster({ keepSynced: true })
  const log = ['--log', cluster.url]
  ingests = [0, 1].map(() => new ServiceProcess(['--role', 'ingest', ...log]))
  query = new ServiceProcess(['--role', 'engine', ...log, '--data', folder])
  await Promise.all(ingests.map((each) => each.start()))
})

afterAll(async () => {
  await Promise.all([...ingests, query].map((each) => each.kill()))
  await cluster.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
})

it('what was acknowledged outlives a power cut of a standby, of the primary, and of all servers at once', async () => {
  const sender = new Sender({ events, urls: () => ingests.map(({ url }) => url) })
  const sending = sender.run()

  await sender.reaches(0.2 * events)
  const [behind, further] = cluster.standbys as [PostgresNode, PostgresNode]
  await behind.cutPower()
  await sender.goesOn(0.1 * events)

  // What was acknowledged meanwhile is on the other standby and nowhere else. Nothing is from here on.
  further.pause()
  await sender.tries(8)
  await Promise.all([cluster.primary.cutPower(), further.cutPower()])
  await Promise.all([behind.start(), further.start()])
  await cluster.failOver()
  expect(cluster.primary).toBe(further)
  await sender.goesOn(0.2 * events)

  const nodes = cluster.nodes.slice(1)
  await Promise.all(nodes.map((node) => node.cutPower()))
  await Promise.all(nodes.map((node) => node.start()))
  await sender.reaches(events)
  await sending

  await query.start()
  const client = createClient(query.url)
  const counted = `SELECT count(*), count(DISTINCT properties->>'n') FROM events`
  await eventually(async () => expect(await client.rows(counted)).toEqual([[events, events]]))
})
