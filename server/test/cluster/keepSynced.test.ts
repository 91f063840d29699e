import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Cluster } from './Cluster.js'
import { startCluster } from './startCluster.js'

let cluster: Cluster
beforeAll(async () => {
  cluster = await startCluster({ standbys: 0, keepSynced: true })
})
afterAll(() => cluster.close())

it('a power cut loses what a server has written and not synced, and nothing else', async () => {
  const { primary } = cluster
  const rows = async () => (await primary.query<{ n: number }>('SELECT n FROM kept')).map(({ n }) => n)
  await primary.query('CREATE TABLE kept (n int)')
  await primary.query('INSERT INTO kept VALUES (1)')
  await primary.cutPower()
  await primary.start()
  expect(await rows()).toEqual([1])

  await primary.configure({ fsync: 'off' })
  await primary.query('INSERT INTO kept VALUES (2)')
  await primary.kill()
  await primary.start()
  // The operating system still knows it.
  expect(await rows()).toEqual([1, 2])
  await primary.cutPower()
  // What is left of a server that syncs nothing may be no store at all.
  const left = await primary.start().then(rows, () => [])
  expect(left).not.toContain(2)
})
