import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { createClient } from '../fixtures/createClient.js'
import type { Cluster } from './Cluster.js'
import { startStores } from './startStores.js'
import { eventually } from '../fixtures/eventually.js'

/** So many parts are put into the log at once, and each becomes a file. */
const days = 30
const eventsADay = 5
/** So many of them may be archived between two kills. */
const mostMoved = 6

/**
 * Kills the process that archives, at so many drawn moments. Both stores are asked all the time, and after each kill the
 * other one must have each event once; the killed one after some more.
 */
export const killArchiver = async (cluster: Cluster, kills: number) => {
  const { database, filler, stores, count, haveAll, haveAllInFiles, findHolder, ...stage } =
    await startStores(cluster)
  /** How many times the events of a day have gone to a file. */
  const archived = () => count('add')
  /** What is known when archiving does not go on. */
  const describeStall = async (error: unknown) => {
    const [changes] = await database.query(
      `SELECT (SELECT json_agg(c) FROM (SELECT c.*, s.snapshot_time AS at FROM waymark.lake_changes c
           LEFT JOIN waymark.ducklake_snapshot s USING (snapshot_id) ORDER BY 1 DESC LIMIT 20) c) AS changes, now() AS now,
         (SELECT json_agg(r) FROM waymark.lake_readers r) AS adopted, (SELECT json_agg(r) FROM waymark.readers r) AS stored,
         (SELECT last FROM waymark.head) AS last`,
    )
    const left = `SELECT (SELECT snapshot FROM analytics.raw.archive)::VARCHAR, received_at::DATE::VARCHAR, count(*), min(seq), max(seq)
      FROM analytics.raw.events GROUP BY ALL ORDER BY ALL`
    const states = stores.map(async (store) => {
      const rows = await createClient(store.url)
        .rows(left)
        .catch((reason: unknown) => String(reason))
      return `${store.pid}: ${JSON.stringify(rows)}\n${store.log}`
    })
    const parts = [JSON.stringify(changes), ...(await Promise.all(states))]
    throw new Error(`archiving does not go on\n${parts.join('\n')}`, { cause: error })
  }
  /** Waits as long as snapshots are made: on a busy machine the merges of small files take a while. */
  const whenArchived = async (wanted: number) => {
    let seen = -1
    while ((await archived()) < wanted) {
      const newest = async () => {
        const made = (await archived()) + (await count('merge'))
        expect(made).toBeGreaterThan(seen)
        return made
      }
      seen = await eventually(newest, 2)
    }
  }
  try {
    let cutShort = 0
    let until = await archived()
    for (let kill = 0; kill < kills; kill++) {
      const made = await archived()
      if (made + mostMoved > until) {
        // Counted from before, as some of these days are archived while the others are put into the log.
        until = made + days
        for (let day = 0; day < days; day++) await filler.numbered(day, eventsADay)
      }
      const holder = await findHolder()
      const moved = (await archived()) + Math.floor(Math.random() * mostMoved)
      await whenArchived(Math.min(moved, until)).catch(describeStall)
      await delay(Math.random() * 80)
      await stage.whenUp()
      if ((await archived()) < until) cutShort++
      console.log(kill, 'kills', holder.pid)
      await stage.kill(holder)
      if (kill % 10 === 9) {
        await stage.whenUp()
        await haveAll()
      }
    }
    await stage.whenUp()
    await haveAllInFiles()
    return {
      cutShort,
      asked: await stage.stopAsking(),
      archived: await archived(),
      merged: await count('merge'),
    }
  } finally {
    await stage.stop()
  }
}
