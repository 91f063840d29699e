import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Cluster } from './Cluster.js'
import { killArchiver } from './killArchiver.js'
import { startCluster } from './startCluster.js'

let cluster: Cluster
beforeAll(async () => {
  cluster = await startCluster({ standbys: 0 })
}, 60_000)
afterAll(() => cluster.close())

it.runIf(process.platform === 'linux')(
  'a kill of the process that archives, at any moment, leaves each event once in the answers of every store',
  { timeout: 300_000 },
  async () => {
    const { cutShort, asked } = await killArchiver(cluster, 6)
    expect(cutShort).toBeGreaterThan(0)
    expect(Math.min(...asked)).toBeGreaterThan(0)
  },
)
