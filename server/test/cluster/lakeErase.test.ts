import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import * as archiving from '../../src/cluster/lake/mergeSmallFiles.js'
import { lockKeys } from '../../src/cluster/logSchema.js'
import { parquetIn } from '../archive/oldStore.js'
import { createClient } from '../fixtures/createClient.js'
import type { Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { findInFiles } from '../fixtures/findInFiles.js'
import { findInServer } from './findInServer.js'
import { firstDay } from './fillLog.js'
import { ServiceProcess } from './ServiceProcess.js'
import { rowsOf, useLake, whenArchived } from './useLake.js'
import { eventually } from '../fixtures/eventually.js'

const stage = useLake()
const environment = 'production'
const dayMs = 86_400_000
const leftSql = 'SELECT count(*) FROM analytics.raw.events'
const countSql = 'SELECT count(*), count(DISTINCT event_id) FROM events'
const erase = (service: Service, id: string) => service.ask('/persons/erase', { environment, id })

/** What occurs only in what belongs to Ada. */
const texts = ['u_ada_9f3e', 'anon_ada_71c2', 'ordered-by-ada', 's-ada-52']

/** Events of Ada, of Bob in her browser and of others, on two closed days, and some of today. */
const fill = async (service: Service) => {
  const identify = { environment, distinct_id: 'u_ada_9f3e', anonymous_id: 'anon_ada_71c2' }
  await service.ingest('/identify?sync=true', identify)
  for (const day of [0, 1]) {
    const timestamp = firstDay + day * dayMs
    await stage.filler.numbered(day, 20)
    await stage.filler.put(timestamp, [
      event('Opened', { anonymous_id: 'anon_ada_71c2', session_id: 's-ada-52', timestamp }),
      event('Ordered', { distinct_id: 'u_ada_9f3e', timestamp, properties: { note: 'ordered-by-ada' } }),
      event('Ordered', { distinct_id: 'u_bob', anonymous_id: 'anon_ada_71c2', timestamp }),
    ])
  }
  await service.ingest('/track', event('Now', { distinct_id: 'u_ada_9f3e' }))
  await service.ingest('/track?sync=true', event('Now', { distinct_id: 'u_bob' }))
}

const findAll = async () => {
  await stage.cluster.primary.query('CHECKPOINT')
  return texts.flatMap((text) => [
    ...findInFiles(stage.root, text),
    ...findInServer(stage.cluster.primary, text),
  ])
}

const stored = (service: Service) =>
  Promise.all(
    [
      'FROM events ORDER BY event_id',
      'FROM persons ORDER BY person_id',
      'FROM all_sessions ORDER BY session_id',
    ].map((statement) => rowsOf(service, statement)),
  )

const state = (service: Service) => rowsOf(service, 'SELECT snapshot::INTEGER FROM analytics.raw.archive')

it('an erase leaves nothing of the person in the shared files, in any store or in PostgreSQL', async () => {
  const [one, two] = [await stage.start('one'), await stage.start('two')]
  await fill(one)
  await whenArchived(one, two)
  expect((await findAll()).length).toBeGreaterThan(0)
  const before = parquetIn(stage.archive)
  expect(await erase(two, 'u_ada_9f3e')).toMatchObject({
    status: 200,
    body: { ok: true, erased: { events: 5, identities: 2, unlinked: 2 } },
  })
  expect(await findAll()).toEqual([])
  const after = parquetIn(stage.archive)
  expect(after).toHaveLength(before.length)
  expect(after.filter((name) => before.includes(name))).toEqual([])
  const there = await stored(one)
  expect(there[0]).toHaveLength(43)
  expect(await stored(two)).toEqual(there)
  expect(await state(one)).toEqual(await state(two))
  for (const service of [one, two])
    expect(await rowsOf(service, 'SELECT duty, events FROM privacy_log')).toEqual([['erase', 5]])
  expect(await erase(one, 'u_ada_9f3e')).toMatchObject({ status: 404 })
})

/** Counts the rounds of the chore that archives, as they end, in the services that are started from now on. */
const countRounds = () => {
  const { archiveToLake } = archiving
  let rounds = 0
  const spy = vi.spyOn(archiving, 'archiveToLake').mockImplementation((options) => {
    const chore = archiveToLake(options)
    return { ...chore, run: (...given) => chore.run(...given).finally(() => rounds++) }
  })
  onTestFinished(() => spy.mockRestore())
  return () => rounds
}

it('a process that has not come to the erase of a person yet puts no event of theirs into a file', async () => {
  const one = await stage.start('one', { archiveAfterDays: 10_000 })
  await eventually(async () => {
    expect(await stage.database.query('SELECT FROM waymark.ducklake_snapshot')).not.toEqual([])
  })
  const roundsOfTwo = countRounds()
  const two = await stage.start('two')
  await fill(one)
  const all = await stored(one)
  await eventually(async () => expect(await stored(two)).toEqual(all))
  const [reader] = await stage.database.query(`SELECT name FROM waymark.readers WHERE place LIKE '%two'`)
  await stage.database.query(`
    CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not now'; END $$;
    CREATE TRIGGER stall BEFORE INSERT ON waymark.erased
    FOR EACH ROW WHEN (NEW.reader = '${String(reader?.['name'])}') EXECUTE FUNCTION stall()`)
  const answer = erase(two, 'u_ada_9f3e')
  // No file has the person yet. The one that archives says so, and ends: the other one archives from then on.
  await eventually(async () => {
    expect(await stage.database.query('SELECT FROM waymark.lake_erased')).toHaveLength(1)
  })
  await one.stop()
  await eventually(async () => {
    const held = `SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
      WHERE locktype = 'advisory' AND objid = $1::bigint::oid AND granted AND datname = current_database()`
    expect(await stage.database.query(held, [lockKeys.archive])).toHaveLength(1)
  })
  // The first of them may have begun before it held the lock.
  const before = roundsOfTwo()
  await eventually(() => expect(roundsOfTwo()).toBeGreaterThan(before + 1))
  const files = findInFiles(stage.archive, 'u_ada_9f3e').filter((file) => file.endsWith('.parquet'))
  expect(files).toEqual([])
  await stage.database.query('DROP TRIGGER stall ON waymark.erased')
  await one.restart()
  expect(await answer).toMatchObject({ status: 200, body: { erased: { events: 5, unlinked: 2 } } })
  expect(await findAll()).toEqual([])
  expect(await stored(one)).toEqual(await stored(two))
  const newest = 'SELECT max(snapshot_id)::int AS snapshot FROM waymark.lake_changes'
  const [{ snapshot } = {}] = await stage.database.query(newest)
  for (const service of [one, two]) expect(await state(service)).toEqual([[snapshot]])
})

it('a process that was away finds the old files gone, and comes to the same answers', async () => {
  const [one, two] = [await stage.start('one'), await stage.start('two')]
  await fill(one)
  await whenArchived(one, two)
  await two.stop()
  // It is not waited for once it has not been heard of for a while.
  await stage.database.query(
    `UPDATE waymark.readers SET seen = now() - interval '1 minute' WHERE place LIKE '%two'`,
  )
  // The second erase removes the files that the first one has made.
  for (const id of ['u_ada_9f3e', 'u_bob']) {
    expect(await erase(one, id)).toMatchObject({ status: 202, body: { awaited: [{}] } })
    expect(findInFiles(stage.archive, id)).toEqual([])
    await stage.filler.numbered(3, 5)
  }
  await two.restart()
  await eventually(async () => {
    expect((await stored(two))[0]).toHaveLength(50)
    expect(await findAll()).toEqual([])
  })
  await eventually(async () => expect(await stored(one)).toEqual(await stored(two)))
  await eventually(async () => expect(await erase(one, 'u_ada_9f3e')).toMatchObject({ status: 404 }))
})

it.runIf(process.platform === 'linux')(
  'a kill of a process at any moment of an erase leaves nothing of the person in any file, and all events of others',
  async () => {
    const flags = ['--log', stage.database.url, '--log-durability', 'local', '--archive', stage.archive]
    const stores = ['one', 'two'].map(
      (name) => new ServiceProcess([...flags, '--memory-limit', '256MB', '--data', join(stage.root, name)]),
    )
    try {
      for (const store of stores) await store.start()
      for (let round = 0; round < 4; round++) {
        const id = `person-of-round-${round}`
        const at = firstDay + round * dayMs
        await stage.filler.numbered(round, 30)
        await stage.filler.put(at, [
          event('Seen', { distinct_id: id, timestamp: at, session_id: `of-${id}` }),
        ])
        const inFiles = () => Promise.all(stores.map(({ url }) => createClient(url).rows(leftSql)))
        await eventually(async () => {
          expect(findInFiles(stage.archive, id)).not.toEqual([])
          expect(await inFiles()).toEqual([[[0]], [[0]]])
        })
        const [asked, other] = stores as [ServiceProcess, ServiceProcess]
        const answer = createClient(asked.url)
          .post('/persons/erase', { environment, id })
          .catch(() => undefined)
        await delay(Math.random() * 3000)
        const store = round % 2 === 0 ? other : asked
        await store.kill()
        await store.start()
        await answer
        await eventually(async () => {
          const again = await createClient(asked.url).post('/persons/erase', { environment, id })
          expect(again.status).toBe(404)
        })
        expect(findInFiles(stage.root, id)).toEqual([])
        for (const { url } of stores) {
          const client = createClient(url)
          const wanted = stage.filler.sent
          await eventually(async () => {
            expect(await client.rows(countSql)).toEqual([[wanted, wanted]])
          })
          expect(await client.rows('SELECT count(*) FROM all_sessions')).toEqual([[10 * (round + 1)]])
        }
      }
    } finally {
      for (const store of stores) await store.kill()
    }
  },
)
