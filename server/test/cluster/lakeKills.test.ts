import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Cluster } from './Cluster.js'
import { killArchiver } from './killArchiver.js'
import { killMerges } from './killMerges.js'
import { startCluster } from './startCluster.js'

/** A kill takes some five seconds: WAYMARK_ROUNDS=200 draws more of them. */
const kills = Number(process.env['WAYMARK_ROUNDS'] ?? 10)
let cluster: Cluster
beforeAll(async () => {
  cluster = await startCluster({ standbys: 0 })
})
afterAll(() => cluster.close())

it.runIf(process.platform === 'linux')(
  `${kills} kills of the process that archives, at any moment, leave each event once in the answers of every store`,
  { timeout: 60_000 * kills },
  async () => {
    const { cutShort, asked, archived, merged } = await killArchiver(cluster, kills)
    console.log(
      `${kills} kills, ${cutShort} with days still to archive; ${archived} files, ${merged} merges; answers ${asked.join(' and ')}`,
    )
    expect(cutShort).toBeGreaterThan(kills / 3)
    expect(Math.min(...asked)).toBeGreaterThan(0)
  },
)

const mergeKills = Number(process.env['WAYMARK_ROUNDS'] ?? 6)

it.runIf(process.platform === 'linux')(
  `${mergeKills} kills of the process that merges, at any moment, leave each event once, and no file that does not count`,
  { timeout: 120_000 + 60_000 * mergeKills },
  async () => {
    const { cutShort, asked, merged, erased } = await killMerges(cluster, mergeKills)
    console.log(
      `${mergeKills} kills, ${cutShort} with a file that no list had; ${merged} merges, ${erased} erases; answers ${asked.join(' and ')}`,
    )
    expect(cutShort).toBeGreaterThan(0)
    expect(Math.min(...asked)).toBeGreaterThan(0)
  },
)
