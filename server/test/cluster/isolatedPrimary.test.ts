import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Client, createClient } from '../fixtures/createClient.js'
import type { Cluster } from './Cluster.js'
import type { PostgresNode } from './PostgresNode.js'
import { ServiceProcess } from './ServiceProcess.js'
import { startCluster } from './startCluster.js'
import { eventually } from '../fixtures/eventually.js'

let folder: string
let cluster: Cluster
let ingest: ServiceProcess
let query: ServiceProcess
let client: Client

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-isolated-'))
  cluster = await startCluster()
  ingest = new ServiceProcess(['--role', 'ingest', '--log', cluster.url])
  query = new ServiceProcess(['--role', 'engine', '--log', cluster.url, '--data', folder])
  await Promise.all([ingest.start(), query.start()])
  client = createClient(ingest.url)
})

afterAll(async () => {
  await Promise.all([ingest.kill(), query.kill()])
  await cluster.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
})

/** Sends an event until it is taken, and gives its task. */
const deliver = async (n: number): Promise<string> => {
  for (;;) {
    const { status, text } = await client.track(client.number(n))
    if (status === 200) return (JSON.parse(text) as { task_id: string }).task_id
    await delay(100)
  }
}

const completes = (task: string) =>
  eventually(async () => expect(await client.task(task)).toMatchObject({ status: 'completed' }))

it('a primary that was cut off from its standbys, and goes on answering, is left by everybody', async () => {
  await completes(await deliver(1))
  // An operator's tool that cannot reach it takes it for dead.
  const [next, other] = cluster.standbys as [PostgresNode, PostgresNode]
  await other.follow(next)
  await next.promote()
  await completes(await deliver(2))
  const counted = `SELECT properties->>'n' AS n, count(*) FROM events GROUP BY n ORDER BY n`
  expect(await createClient(query.url).rows(counted)).toEqual([
    ['1', 1],
    ['2', 1],
  ])
  // It still answers, and is still no standby.
  expect(await cluster.primary.one('SELECT pg_is_in_recovery() AS standby')).toEqual({ standby: false })
})
