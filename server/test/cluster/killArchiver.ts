import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import { createClient } from '../fixtures/createClient.js'
import { engineOf } from '../fixtures/engineOf.js'
import type { Cluster } from './Cluster.js'
import { createDatabase } from './createDatabase.js'
import { fillLog } from './fillLog.js'
import { holderOf } from './holderOf.js'
import { ServiceProcess } from './ServiceProcess.js'

const patience = { timeout: 60_000, interval: 20 }
/** So many parts are put into the log at once, and each becomes a file. */
const days = 30
const eventsADay = 5
/** So many of them may be archived between two kills. */
const mostMoved = 6
const counts = `SELECT count(*), count(DISTINCT event_id), sum((properties->>'n')::INTEGER)::INTEGER,
  (SELECT count(*) FROM analytics.raw.events) FROM events`

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

/**
 * Kills the process that archives, at so many drawn moments. Both stores are asked all the time, and after each kill the
 * other one must have each event once; the killed one after some more.
 */
export const killArchiver = async (cluster: Cluster, kills: number) => {
  const root = mkdtempSync(join(tmpdir(), 'waymark-lake-kills-'))
  const database = await createDatabase(cluster.primary)
  const filler = await fillLog(database.url)
  const flags = ['--log', database.url, '--log-durability', 'local', '--archive', join(root, 'archive')]
  const stores = ['one', 'two'].map(
    (name) => new ServiceProcess([...flags, '--memory-limit', '256MB', '--data', join(root, name)]),
  )
  const count = async (kind: string) => {
    const found = await database.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM waymark.lake_changes WHERE kind = $1',
      [kind],
    )
    return found.at(0)?.n ?? 0
  }
  /** How many times the events of a day have gone to a file. */
  const archived = () => count('add')
  /** What is known when archiving does not go on. */
  const describeStall = async (error: unknown) => {
    const [changes] = await database.query(
      `SELECT (SELECT json_agg(c) FROM (SELECT * FROM waymark.lake_changes ORDER BY 1 DESC LIMIT 4) c) AS changes,
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
  const haveAll = (some: readonly ServiceProcess[]) =>
    vi.waitFor(async () => {
      const wanted = filler.sent
      for (const store of some)
        expect((await ask(store)).slice(0, 3)).toEqual([wanted, wanted, (wanted * (wanted - 1)) / 2])
    }, patience)
  const findHolder = () =>
    vi.waitFor(async () => {
      const engines = stores.map(({ pid }) => engineOf(pid))
      const at = engines.indexOf(await holderOf(database, engines))
      expect(at).toBeGreaterThanOrEqual(0)
      return stores.at(at) as ServiceProcess
    }, patience)
  let starting: Promise<void> | undefined
  try {
    for (const store of stores) await store.start()
    const stop = stores.map(watch)
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
      await vi
        .waitFor(async () => expect(await archived()).toBeGreaterThanOrEqual(Math.min(moved, until)), {
          ...patience,
          interval: 2,
        })
        .catch(describeStall)
      await delay(Math.random() * 80)
      // The one that was killed before is up again, so that one of them can go on.
      await starting
      if ((await archived()) < until) cutShort++
      console.log(kill, 'kills', holder.pid)
      await holder.kill()
      await haveAll(stores.filter((store) => store !== holder))
      starting = holder.start()
      if (kill % 10 === 9) {
        await starting
        await haveAll(stores)
      }
    }
    await starting
    await haveAll(stores)
    // In the end all is in files, and nothing in the tables.
    await vi.waitFor(async () => {
      for (const store of stores) expect((await ask(store)).at(3)).toBe(0)
    }, patience)
    return {
      cutShort,
      asked: await Promise.all(stop.map((each) => each())),
      archived: await archived(),
      merged: await count('merge'),
    }
  } finally {
    await starting?.catch(() => undefined)
    for (const store of stores) await store.kill()
    await filler.stop()
    rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
}
