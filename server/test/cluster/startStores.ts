import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import type { ChangeKind } from '../../src/cluster/lake/lakeList.js'
import { createClient } from '../fixtures/createClient.js'
import { engineOf } from '../fixtures/engineOf.js'
import type { Cluster } from './Cluster.js'
import { createDatabase } from './createDatabase.js'
import { fillLog } from './fillLog.js'
import { holderOf } from './holderOf.js'
import { ServiceProcess } from './ServiceProcess.js'
import { eventually } from '../fixtures/eventually.js'

const counts = `SELECT count(*), count(DISTINCT event_id), sum((properties->>'n')::INTEGER)::INTEGER,
  (SELECT count(*) FROM analytics.raw.events) FROM events WHERE event = 'numbered'`

const ask = async (store: ServiceProcess): Promise<number[]> =>
  ((await createClient(store.url).rows(counts)) as number[][]).flat()

/** Asks a store again and again until it is stopped: no answer may have an event twice, or fewer than one before. */
const watch = (store: ServiceProcess) => {
  let most = 0
  let asked = 0
  let isStopped = false
  const askAgain = async () => {
    for (; !isStopped; await delay(50)) {
      const [all, distinct] = await ask(store).catch(() => [])
      if (all === undefined) continue
      expect(distinct).toBe(all)
      expect(all).toBeGreaterThanOrEqual(most)
      most = all
      asked++
    }
    return asked
  }
  const asking = askAgain()
  // The failure is that of the test, which waits for it at its end.
  asking.catch(() => undefined)
  return () => {
    isStopped = true
    return asking
  }
}

/** Two stores in processes of their own, which share an archive, are asked all the time, and can be killed. */
export const startStores = async (cluster: Cluster) => {
  const root = mkdtempSync(join(tmpdir(), 'waymark-lake-kills-'))
  const archive = join(root, 'archive')
  const database = await createDatabase(cluster.primary)
  const filler = await fillLog(database.url)
  const flags = ['--log', database.url, '--log-durability', 'local', '--archive', archive]
  const stores = ['one', 'two'].map(
    (name) => new ServiceProcess([...flags, '--memory-limit', '256MB', '--data', join(root, name)]),
  )
  let starting: Promise<void> | undefined
  const stop = async () => {
    await starting?.catch(() => undefined)
    for (const store of stores) await store.kill()
    await filler.stop()
    rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
  const countChanges = async (condition: string) => {
    const found = await database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM waymark.lake_changes WHERE ${condition}`,
    )
    return found.at(0)?.n ?? 0
  }
  const haveAll = (some: readonly ServiceProcess[], left: readonly number[] = []) =>
    eventually(async () => {
      const sent = filler.sent
      const wanted = [sent, sent, (sent * (sent - 1)) / 2, ...left]
      for (const store of some) expect((await ask(store)).slice(0, wanted.length)).toEqual(wanted)
    })
  try {
    for (const store of stores) await store.start()
  } catch (error) {
    await stop()
    throw error
  }
  const watched = stores.map(watch)
  return {
    root,
    database,
    filler,
    stores,
    stop,
    /** How many snapshots were made for a reason. */
    count: (kind: ChangeKind) => countChanges(`kind = '${kind}'`),
    /** The files that are in the archive's folder, also those that are not whole. */
    files: () =>
      readdirSync(archive, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.includes('.parquet'))
        .toSorted(),
    /** Resolves once these stores, or all, have each event once. */
    haveAll: (some: readonly ServiceProcess[] = stores) => haveAll(some),
    /** Resolves once all stores have each event once, in files, and none in their tables. Waits as long as snapshots are made. */
    async haveAllInFiles() {
      for (;;) {
        const made = await countChanges('true')
        try {
          return await haveAll(stores, [0])
        } catch (error) {
          if ((await countChanges('true')) === made) throw error
        }
      }
    },
    findHolder: () =>
      eventually(async () => {
        const engines = stores.map(({ pid }) => engineOf(pid))
        const at = engines.indexOf(await holderOf(database, engines))
        expect(at).toBeGreaterThanOrEqual(0)
        return stores.at(at) as ServiceProcess
      }),
    /** Kills a store, looks at what it has left, waits for the other one to have all, and starts the killed one again. */
    async kill(store: ServiceProcess, look: () => Promise<void> = async () => {}) {
      await store.kill()
      await look()
      await haveAll(stores.filter((other) => other !== store))
      starting = store.start()
      starting.catch(() => undefined)
    },
    /** Resolves once the one that was killed last is up again, so that one of them can go on. */
    whenUp: () => starting,
    /** Gives how many answers each store has given. */
    stopAsking: () => Promise.all(watched.map((each) => each())),
  }
}
