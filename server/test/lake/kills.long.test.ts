import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Cluster } from '../cluster/Cluster.js'
import { killArchiver } from '../cluster/killArchiver.js'
import { startCluster } from '../cluster/startCluster.js'

const kills = 200
let cluster: Cluster
beforeAll(async () => {
  cluster = await startCluster({ standbys: 0 })
}, 60_000)
afterAll(() => cluster.close())

it.runIf(process.platform === 'linux')(
  `${kills} kills of the process that archives, at any moment, leave each event once in the answers of every store`,
  { timeout: 3_600_000 },
  async () => {
    const { cutShort } = await killArchiver(cluster, kills)
    expect(cutShort).toBeGreaterThan(kills / 2)
  },
)
