import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import type { ArchivedFile } from '../../src/archive/ArchivedFile.js'
import { chooseSmallFiles } from '../../src/cluster/lake/mergeSmallFiles.js'
import { createClient } from '../fixtures/createClient.js'
import { event } from '../fixtures/events.js'
import { findInFiles } from '../fixtures/findInFiles.js'
import type { Cluster } from './Cluster.js'
import { firstDay } from './fillLog.js'
import type { ServiceProcess } from './ServiceProcess.js'
import { startStores } from './startStores.js'
import { eventually } from '../fixtures/eventually.js'

/** So many parts get so many small files each, of so many events. */
const days = 12
const batches = 4
const eventsADay = 5
/** A merge takes about as long, from its file's first byte until its snapshot, and from there until it is taken over. */
const writeMs = 150
const adoptMs = 60
/** An erase takes about as long, from its snapshot until the old files are removed. */
const eraseMs = 2000

/**
 * Kills the process that archives while it merges, at so many drawn moments, and in the end while it removes files that
 * ended. Both stores are asked all the time. After each kill the other one must have each event once, and no file may be
 * left in the end that does not count.
 */
export const killMerges = async (cluster: Cluster, kills: number) => {
  const { root, database, filler, stores, count, files, findHolder, ...stage } = await startStores(cluster)
  const persons: string[] = []
  const isMerged = async () => {
    const listed = await database.query<{ file: string; events: number }>(
      'SELECT path AS file, record_count::int AS events FROM waymark.ducklake_data_file WHERE end_snapshot IS NULL',
    )
    return chooseSmallFiles(listed as unknown as ArchivedFile[]) === undefined
  }
  const fill = async () => {
    const id = `person-${persons.length}`
    persons.push(id)
    await filler.put(firstDay, [event('Seen', { distinct_id: id, timestamp: firstDay })])
    for (let batch = 0; batch < batches; batch++) {
      for (let day = 0; day < days; day++) await filler.numbered(day, eventsADay)
      await stage.haveAllInFiles()
    }
  }
  let known = new Set<string>()
  const findNew = () => files().filter((name) => !known.has(name))
  const hasNew = () =>
    eventually(() => expect(findNew()).not.toEqual([]), 2).then(
      () => true,
      () => false,
    )
  /** Resolves when the next merge begins to write its file. */
  const whenMerging = async () => {
    for (;;) {
      known = new Set(files())
      if (await isMerged()) await fill()
      else if (await hasNew()) return
    }
  }
  const paths = async (condition: string) => {
    const rows = await database.query<{ path: string }>(
      `SELECT path FROM waymark.ducklake_data_file WHERE ${condition} ORDER BY path COLLATE "C"`,
    )
    return rows.map(({ path }) => path)
  }
  const erase = (store: { url: string }, id: string) =>
    createClient(store.url).post('/persons/erase', { environment: 'production', id })
  try {
    await fill()
    let cutShort = 0
    for (let kill = 0; kill < kills; kill++) {
      // The one that was killed before may still be starting: it is waited for after the kill.
      const holder = await findHolder()
      await whenMerging()
      const made = await count('merge')
      // The first kill comes when a file is begun, so that one finds a merge cut short. Every other one waits for the
      // snapshot, which the killed process may have taken over or not.
      if (kill % 2 === 0) await delay(kill === 0 ? 0 : Math.random() * writeMs)
      else {
        await eventually(async () => expect(await count('merge')).toBeGreaterThan(made), 1)
        await delay(Math.random() * adoptMs)
      }
      await stage.kill(holder, async () => {
        const listed = await paths('true')
        if (findNew().some((name) => !listed.includes(name))) cutShort++
      })
    }
    await stage.whenUp()
    await eventually(async () => expect(await isMerged()).toBe(true))
    await stage.haveAllInFiles()
    // A store that was killed between a snapshot and its own transaction has come to the same list.
    for (const store of stores)
      await eventually(async () => {
        const own = await createClient(store.url).rows(
          'SELECT file FROM analytics.raw.archived_files ORDER BY file',
        )
        expect(own.flat()).toEqual(await paths('end_snapshot IS NULL'))
      })
    for (const [at, id] of persons.entries()) {
      expect(findInFiles(root, id)).not.toEqual([])
      const answer = erase(stores.at(0) as ServiceProcess, id).catch(() => undefined)
      await eventually(async () => {
        expect(await database.query('SELECT FROM waymark.lake_erased')).toHaveLength(at + 1)
      })
      await delay(Math.random() * eraseMs)
      await stage.kill(await findHolder())
      await stage.whenUp()
      await answer
      for (const store of stores)
        await eventually(async () => expect(await erase(store, id)).toMatchObject({ status: 404 }))
      // Not even what a killed process has begun; only what a merge after the erase has replaced stays for queries.
      await eventually(async () => {
        const kept = await paths(
          'end_snapshot IS NULL OR end_snapshot > (SELECT max(snapshot_id) FROM waymark.lake_erased)',
        )
        expect(files()).toEqual(kept)
      })
      expect(findInFiles(root, id)).toEqual([])
    }
    await stage.haveAllInFiles()
    return { cutShort, asked: await stage.stopAsking(), merged: await count('merge'), erased: persons.length }
  } finally {
    await stage.stop()
  }
}
