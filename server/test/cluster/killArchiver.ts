import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import { type Client, createClient } from '../fixtures/createClient.js'
import { engineOf } from '../fixtures/engineOf.js'
import type { Cluster } from './Cluster.js'
import { createDatabase } from './createDatabase.js'
import { fillLog } from './fillLog.js'
import { holderOf } from './holderOf.js'
import { ServiceProcess } from './ServiceProcess.js'

const patience = { timeout: 60_000, interval: 20 }
const days = 8
const eventsADay = 12
const counts = `SELECT count(*), count(DISTINCT event_id), sum((properties->>'n')::INTEGER)::INTEGER,
  (SELECT count(*) FROM analytics.raw.events) FROM events`

/** Asks a store again and again until it is stopped: no answer may have an event twice, or fewer than one before. */
const watch = (client: () => Client) => {
  let most = 0
  let asked = 0
  let isStopped = false
  const ask = async () => {
    while (!isStopped) {
      const [row] = (await client()
        .rows(counts)
        .catch(() => [])) as [number, number][]
      if (row === undefined) await delay(20)
      else {
        const [all, distinct] = row
        expect(distinct).toBe(all)
        expect(all).toBeGreaterThanOrEqual(most)
        most = all
        asked++
        await delay(50)
      }
    }
    return asked
  }
  const asking = ask()
  // The failure is that of the test, which waits for it at its end.
  asking.catch(() => undefined)
  return () => {
    isStopped = true
    return asking
  }
}

/**
 * Kills the process that archives, at so many drawn moments. Meanwhile two stores are asked, and after each kill both
 * must have each event once.
 */
export const killArchiver = async (cluster: Cluster, kills: number) => {
  const root = mkdtempSync(join(tmpdir(), 'waymark-lake-kills-'))
  const database = await createDatabase(cluster.primary)
  const filler = await fillLog(database.url)
  const flags = ['--log', database.url, '--log-durability', 'local', '--archive', join(root, 'archive')]
  const stores = ['one', 'two'].map(
    (name) => new ServiceProcess([...flags, '--memory-limit', '256MB', '--data', join(root, name)]),
  )
  try {
    for (const store of stores) await store.start()
    const clients = stores.map(({ url }) => createClient(url))
    const stop = clients.map((client) => watch(() => client))
    const snapshots = async () => {
      const [row = { newest: 0 }] = await database.query<{ newest: number }>(
        'SELECT coalesce(max(snapshot_id), 0)::int AS newest FROM waymark.ducklake_snapshot',
      )
      return row.newest
    }
    const allAre = (wanted: number) =>
      vi.waitFor(async () => {
        for (const client of clients) {
          const [row = []] = await client.rows(counts)
          expect(row.slice(0, 3)).toEqual([wanted, wanted, (wanted * (wanted - 1)) / 2])
        }
      }, patience)
    const kill = async (): Promise<void> => {
      const holder = await vi.waitFor(async () => {
        const found = await holderOf(
          database,
          stores.map(({ pid }) => engineOf(pid)),
        )
        expect(found).toBeDefined()
        return found!
      }, patience)
      try {
        process.kill(holder, 'SIGKILL')
      } catch {
        // It has just ended by itself.
      }
      await vi.waitFor(() => expect(existsSync(`/proc/${holder}`)).toBe(false), patience)
    }
    let cutShort = 0
    for (let round = 0; round < kills; round++) {
      const begun = await snapshots()
      for (let day = 0; day < days; day++) await filler.numbered(day, eventsADay)
      // They are archived a part at a time, and a moment in that is drawn.
      const moved = Math.floor(Math.random() * days)
      await vi.waitFor(async () => expect(await snapshots()).toBeGreaterThanOrEqual(begun + moved), {
        ...patience,
        interval: 2,
      })
      await delay(Math.random() * 80)
      const at = await snapshots()
      await kill()
      if (at < begun + days) cutShort++
      await allAre(filler.sent)
    }
    const asked = await Promise.all(stop.map((each) => each()))
    // In the end all is in files, and nothing in the tables.
    await vi.waitFor(async () => {
      const lefts = await Promise.all(clients.map(async (client) => (await client.rows(counts)).at(0)?.at(3)))
      expect(lefts).toEqual([0, 0])
    }, patience)
    const errors = stores.map(({ log }) => log)
    return { cutShort, asked, snapshots: await snapshots(), errors }
  } finally {
    for (const store of stores) await store.kill()
    await filler.stop()
    rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
}
