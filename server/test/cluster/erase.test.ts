import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { ServerOptions } from '../../src/index.js'
import { createClient } from '../fixtures/createClient.js'
import { createService, type Service } from '../fixtures/createService.js'
import { engineOf } from '../fixtures/engineOf.js'
import { event } from '../fixtures/events.js'
import { bring, zipOf } from '../history/bring.js'
import { findInFiles } from '../fixtures/findInFiles.js'
import { runWaymark } from '../fixtures/runWaymark.js'
import { setAside, settingAside } from '../fixtures/setAside.js'
import type { Cluster } from './Cluster.js'
import { createDatabase, type LogDatabase } from './createDatabase.js'
import { findInServer } from './findInServer.js'
import { ServiceProcess } from './ServiceProcess.js'
import { startCluster } from './startCluster.js'
import { eventually } from '../fixtures/eventually.js'

let cluster: Cluster
let database: LogDatabase
let root: string
let log: ServerOptions
let closing: (() => Promise<void>)[] = []

beforeAll(async () => {
  cluster = await startCluster({ standbys: 1 })
})
afterAll(() => cluster.close())
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'waymark-erase-log-'))
  database = await createDatabase(cluster.primary)
  log = { log: database.url }
})
afterEach(async () => {
  for (const close of closing) await close()
  closing = []
  rmSync(root, { recursive: true, force: true })
})

const start = async (name: string): Promise<Service> => {
  const service = await createService({ dataFolder: join(root, name), ...settingAside, ...log })
  closing.push(() => service.stop())
  return service
}

const environment = 'production'
const erase = (service: Service, id: string) => service.ask('/persons/erase', { environment, id })

/** Ids and words that occur only in what belongs to Ada. */
const [user, anonymous, old] = ['u_ada_9f3e', 'anon_ada_71c2', 'old_ada_55d0'] as const
const texts = [
  user,
  anonymous,
  old,
  'ada@secret.example',
  'ordered-by-ada',
  'path-of-ada',
  'set-aside-of-ada',
]

/** What comes before a backup, of Ada and of Bob, who once used her browser. */
const before = async (service: Service) => {
  await service.ingest('/track', [
    event('Opened', { anonymous_id: anonymous, properties: { $url: 'https://a.example/path-of-ada' } }),
    event('Opened', { anonymous_id: 'anon_bob', properties: { n: 1 } }),
  ])
  await service.ingest(
    '/track?sync=true',
    event('Old', { distinct_id: old, properties: { insert_id: 'i-old' } }),
  )
}

/** What comes after it: who is who is only said here. */
const after = async (service: Service) => {
  const identify = { environment, distinct_id: user, anonymous_id: anonymous }
  await service.ingest('/identify', { ...identify, traits: { email: 'ada@secret.example' } })
  await service.ingest('/alias', { environment, distinct_id: old, new_user_id: user })
  await service.ingest('/identify', { environment, distinct_id: 'u_bob', anonymous_id: anonymous })
  await service.ingest('/track', [
    event('Ordered', { distinct_id: user, properties: { note: 'ordered-by-ada', insert_id: 'i-ada' } }),
    event('Ordered', { distinct_id: 'u_bob', anonymous_id: anonymous, properties: { insert_id: 'i-bob' } }),
    event('Ordered', { distinct_id: 'u_bob', properties: { n: 2.5 } }),
  ])
  await setAside(service, user, { a: 'set-aside-of-ada' })
  const search = `env=production&where=event%7C${user}%7C`
  await service.ask('/saved', { kind: 'view', name: 'Hers', value: { path: '/app/', search } })
  await service.ask('/saved', { kind: 'goal', name: 'All', value: { event: 'Ordered' } })
}

const findAll = async () => {
  await cluster.primary.query('CHECKPOINT')
  return Object.fromEntries(
    texts.map((text) => [
      text,
      [...findInFiles(root, text), ...cluster.nodes.flatMap((node) => findInServer(node, text))],
    ]),
  )
}
const nowhere = Object.fromEntries(texts.map((text) => [text, []]))

/** All that a store has of events and persons; `event_id` shows that each has them in one order. */
const stored = async (service: Service) => {
  const rows = async (statement: string) => {
    const { rows: found, error } = await service.query(statement)
    expect(error).toBeUndefined()
    return found
  }
  return {
    events: await rows(
      'SELECT event_id, event, distinct_id, anonymous_id, person_id, properties FROM events ORDER BY 1',
    ),
    persons: await rows('SELECT person_id, distinct_ids, traits, events FROM persons ORDER BY 1'),
    rejected: await rows('SELECT kind, record FROM analytics.rejected'),
    saved: await rows('SELECT kind, name FROM saved ORDER BY 2'),
  }
}

it('an erase leaves nothing of the person in any store, nor in PostgreSQL, and an older backup meets it in the log', async () => {
  const [one, two] = [await start('one'), await start('two')]
  await before(one)
  const file = join(root, 'backup.tar')
  expect(await runWaymark('backup', file, '--data', one.folder)).toMatchObject({ code: 0, problems: '' })
  await after(two)
  for (const [text, files] of Object.entries(await findAll())) {
    expect(files.length, text).toBeGreaterThan(0)
    expect(
      files.some((path) => path.startsWith(cluster.primary.folder)),
      text,
    ).toBe(true)
  }

  const { status, body } = await erase(one, old)
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      ok: true,
      person: expect.stringMatching(/^[0-9a-f]{32}$/),
      erased: { events: 3, traits: 1, identities: 3, rejected: 1, unlinked: 1 },
    },
  })
  // A backup is not reached: it is moved out of the search, and back.
  const kept = readFileSync(file)
  rmSync(file)
  expect(await findAll()).toEqual(nowhere)
  // The log still has its rows for the backup.
  expect(await database.query('SELECT last::int FROM waymark.log WHERE last = 9')).toEqual([{ last: 9 }])
  // A second copy of an event that was erased is known by its insert id.
  const copy = event('Ordered', { distinct_id: 'u_bob', properties: { insert_id: 'i-ada' } })
  await one.ingest('/track?sync=true', [copy, event('Later', { distinct_id: 'u_bob' })])
  const there = await stored(one)
  expect(
    there.events.map(([id, name, distinct, anon, person]) => [id, name, distinct, anon, person]),
  ).toEqual([
    [2, 'Opened', null, 'anon_bob', 'anon_bob'],
    [8, 'Ordered', 'u_bob', null, 'u_bob'],
    [9, 'Ordered', 'u_bob', null, 'u_bob'],
    [15, 'Later', 'u_bob', null, 'u_bob'],
  ])
  expect(there.saved).toEqual([['goal', 'All']])
  expect(await stored(two)).toEqual(there)
  for (const service of [one, two]) {
    const { rows } = await service.query('SELECT duty, asked_by, events FROM privacy_log')
    expect(rows).toEqual([['erase', 'ada', 3]])
  }

  writeFileSync(file, kept)
  const restored = join(root, 'three')
  expect(await runWaymark('restore', file, '--data', restored)).toMatchObject({ code: 0, problems: '' })
  rmSync(file)
  const three = await start('three')
  await eventually(async () => expect(await stored(three)).toEqual(there))
  await three.ingest(
    '/track?sync=true',
    event('Old', { distinct_id: 'u_bob', properties: { insert_id: 'i-old' } }),
  )
  expect(await stored(three)).toEqual(there)
  await eventually(async () => expect(await findAll()).toEqual(nowhere))
  await three.stop()
})

it('imported sums that name the person are in no store, not in one that reads the cleaned log either', async () => {
  const her = 'u_in_sums_2b7d'
  const one = await start('one')
  await one.ingest('/track?sync=true', event('Seen', { distinct_id: her }))
  const file = join(root, 'backup.tar')
  expect(await runWaymark('backup', file, '--data', one.folder)).toMatchObject({ code: 0, problems: '' })
  const pages = `date,page,visitors\n2024-01-01,/,2\n2024-01-01,/of/${her},1\n`
  await bring(one, 'plausible', zipOf({ 'imported_pages_1.csv': pages }))
  const sums = async (service: Service) =>
    (await service.query('SELECT value, visitors, imported IS NULL FROM analytics.daily_sums')).rows
  expect(await sums(one)).toHaveLength(2)
  expect(await erase(one, her)).toMatchObject({ status: 200 })
  expect(await sums(one)).toEqual([['/', 2, false]])
  expect(await runWaymark('restore', file, '--data', join(root, 'two'))).toMatchObject({ code: 0 })
  rmSync(file)
  const two = await start('two')
  await eventually(async () => expect(await sums(two)).toEqual([['/', 2, false]]))
  await cluster.primary.query('CHECKPOINT')
  await eventually(() => {
    expect([...findInFiles(root, her), ...cluster.nodes.flatMap((node) => findInServer(node, her))]).toEqual(
      [],
    )
  })
  await two.stop()
})

it('a process that is away is named, and erases the person when it comes back', async () => {
  const [one, two] = [await start('one'), await start('two')]
  await one.ingest('/track?sync=true', event('Seen', { distinct_id: user }))
  await two.stop()
  const answer = await erase(one, user)
  expect(answer).toMatchObject({
    status: 202,
    body: {
      ok: true,
      erased: { events: 1 },
      awaited: [{ store: expect.stringContaining(two.folder), last_seen: expect.any(String) }],
      message: expect.stringContaining('once it runs again'),
    },
  })
  expect((await one.query('SELECT count(*) FROM events')).rows).toEqual([[0]])
  expect(findInFiles(two.folder, user)).not.toEqual([])
  // Nobody knows the person here any more, but it is not over yet.
  expect(await erase(one, user)).toMatchObject({ status: 202, body: { awaited: [{}] } })
  await two.restart()
  await eventually(() => expect(findInFiles(two.folder, user)).toEqual([]))
  await eventually(async () => expect(await erase(one, user)).toMatchObject({ status: 404 }))
  expect(findInFiles(one.folder, user)).toEqual([])
})

it('a second erase of a person is not over before the first is', async () => {
  const [one, two] = [await start('one'), await start('two')]
  await one.ingest('/track?sync=true', event('Seen', { distinct_id: user }))
  // Both stores erase the person and start again, and can then not go on to clean the log.
  await database.query(`
    CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not now'; END $$;
    CREATE TRIGGER stall BEFORE INSERT OR UPDATE ON waymark.erasures
    FOR EACH ROW WHEN (NEW.keys IS NOT NULL) EXECUTE FUNCTION stall()`)
  const first = erase(one, user)
  await eventually(async () => {
    for (const each of [one, two])
      expect((await each.query('SELECT count(*) FROM events')).rows).toEqual([[0]])
  })
  const second = erase(two, user)
  // Nobody knows the person by now.
  await eventually(async () => {
    const rows = await database.query("SELECT FROM waymark.erased WHERE outcome->>'state' = 'unknown'")
    expect(rows).toHaveLength(2)
  })
  const early = await Promise.race([second, delay(1000)])
  await database.query('DROP TRIGGER stall ON waymark.erasures')
  expect(early).toBeUndefined()
  for (const answer of [first, second]) {
    expect(await answer).toMatchObject({ status: 200, body: { erased: { events: 1 } } })
    expect(findInFiles(root, user)).toEqual([])
  }
  expect(await erase(two, user)).toMatchObject({ status: 404 })
})

const killNow = (pid: number | undefined) => {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL')
  } catch {
    // It has just ended by itself.
  }
}

it.runIf(process.platform === 'linux')(
  'a kill of a process at any moment of an erase loses nothing of others, and leaves nothing of the person',
  async () => {
    const flags = ['--log', database.url, '--memory-limit', '256MB']
    const ingest = new ServiceProcess([...flags, '--role', 'ingest'])
    const storeIn = (folder: string) => ({
      folder,
      process: new ServiceProcess([...flags, '--role', 'engine', '--data', folder]),
    })
    const [one, two] = [storeIn(join(root, 'one')), storeIn(join(root, 'two'))]
    for (const each of [ingest, one.process, two.process]) {
      closing.push(() => each.kill())
      await each.start()
    }
    const sender = createClient(ingest.url)
    const ask = ({ process }: typeof one) => createClient(process.url)
    let sent = 0
    for (let round = 0; round < 8; round++) {
      const id = `person-of-round-${round}`
      await sender.track([1, 2, 3].map((n) => event('Seen', { distinct_id: id, properties: { n } })))
      for (let n = 0; n < 5; n++) expect((await sender.track(sender.number(sent++))).status).toBe(200)
      const asked = ask(one)
        .post('/persons/erase', { environment, id })
        .catch(() => undefined)
      for (let n = 0; n < 5; n++) expect((await sender.track(sender.number(sent++))).status).toBe(200)
      await delay(Math.random() * 1500)
      const store = round % 2 === 0 ? one : two
      if (round % 4 < 2) killNow(engineOf(store.process.pid))
      else {
        await store.process.kill()
        await store.process.start()
      }
      await asked
      await eventually(async () => {
        const { status } = await ask(one).post('/persons/erase', { environment, id })
        expect(status).toBe(404)
      })
      const wanted = Array.from({ length: sent }, (_, n) => [n])
      for (const each of [one, two]) {
        await eventually(async () => {
          const rows = await ask(each).rows(
            `SELECT (properties->>'n')::INT FROM events WHERE event = 'numbered' ORDER BY event_id`,
          )
          expect(rows).toEqual(wanted)
        })
        expect(await ask(each).rows(`SELECT event FROM events WHERE event <> 'numbered'`)).toEqual([])
        expect(findInFiles(each.folder, id)).toEqual([])
      }
      const held = await database.query(
        `SELECT last FROM waymark.log WHERE position('${id}'::bytea IN body) > 0`,
      )
      expect(held).toEqual([])
    }
  },
)
