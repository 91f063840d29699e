import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ServerOptions } from '../../src/index.js'
import { type RunningIngest, startIngest } from '../../src/startIngest.js'
import { version } from '../../src/version.js'
import { type Client, createClient } from '../fixtures/createClient.js'
import { basic, createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { runWaymark } from '../fixtures/runWaymark.js'
import type { Cluster } from './Cluster.js'
import { createDatabase, type LogDatabase } from './createDatabase.js'
import { ServiceProcess } from './ServiceProcess.js'
import { startCluster } from './startCluster.js'
import { eventually } from '../fixtures/eventually.js'

let cluster: Cluster
let database: LogDatabase
let root: string
let folder: string
let folders = 0
let log: ServerOptions
let closing: (() => Promise<void>)[] = []

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'waymark-shared-'))
  cluster = await startCluster({ standbys: 0 })
})
afterAll(async () => {
  await cluster.close()
  rmSync(root, { recursive: true, force: true })
})
afterEach(async () => {
  for (const close of closing) await close()
  closing = []
})

/** A log and a folder for stores that no other test has. */
const prepare = async () => {
  database = await createDatabase(cluster.primary)
  folder = join(root, `${folders++}`)
  log = { log: database.url, logDurability: 'local' }
}

/** A service on a folder with this name. */
const start = async (name: string, options: ServerOptions = log): Promise<Service> => {
  const service = await createService({ dataFolder: join(folder, name), ...options })
  closing.push(() => service.stop())
  return service
}

/** One that only takes events. */
const startAlone = async (options: ServerOptions, role: 'ingest' | 'both'): Promise<RunningIngest> => {
  const users = { ada: 'lovelace' }
  const running = await startIngest({
    ...{ port: 0, apiKeys: ['key'], users, logLevel: 'silent', role },
    ...options,
  })
  closing.push(async () => {
    await running.stop()
    await running.close()
  })
  return running
}

const names = async (service: Service) =>
  (await service.query('SELECT event FROM events ORDER BY event_id')).rows.flat()
const numbered = (n: number) => event(`event ${n}`, { properties: { insert_id: `id-${n}` } })

describe('services that share a log', () => {
  let shared: { one: Service; two: Service; ingest: Client }
  let stopping: typeof closing

  beforeAll(async () => {
    await prepare()
    const [one, two] = [await start('one'), await start('two')]
    shared = { one, two, ingest: createClient((await startAlone(log, 'ingest')).url) }
    stopping = closing
    closing = []
  })
  afterAll(async () => {
    for (const stop of stopping) await stop()
  })

  it('have the goals that any of them saved, each exactly so', async () => {
    const { one, two } = shared
    const listed = async (service: Service) =>
      (await service.query('SELECT * REPLACE (value::VARCHAR AS value) FROM analytics.saved')).rows
    for (const name of ['Ordered', 'Order Placed']) {
      const saved = await one.ask('/saved', { kind: 'goal', name: 'An order', value: { event: name } })
      expect(saved.status).toBe(200)
    }
    const there = await listed(one)
    expect(there).toHaveLength(1)
    await eventually(async () => expect(await listed(two)).toEqual(there))
  })

  it('each store what any of them accepted, once and in one order, and know its tasks and persons', async () => {
    const { one, two, ingest } = shared
    await one.ingest('/track', numbered(1))
    await two.ingest('/track', [numbered(2), numbered(1)])
    await one.ingest('/identify', { environment: 'production', distinct_id: 'ada', anonymous_id: 'x' })
    const { text } = await ingest.track([numbered(2), { ...numbered(3), anonymous_id: 'x' }], true)
    expect(await names(one)).toEqual(['event 1', 'event 2', 'event 3'])
    expect(await names(two)).toEqual(['event 1', 'event 2', 'event 3'])
    const { task_id: task } = JSON.parse(text) as { task_id: string }
    const completed = { task_id: task, status: 'completed' }
    expect(await ingest.task(task)).toEqual(completed)
    expect((await one.get(`/tasks/${task}`)).body).toEqual(completed)
    expect((await two.query("SELECT person_id FROM events WHERE anonymous_id = 'x'")).rows).toEqual([['ada']])
  })

  it('tell of a task of a lakehouse catalog only where its rows were taken', async () => {
    const { one, two } = shared
    await one.query('CREATE TABLE orders (n INT)')
    const path = '/append?catalog=lakehouse&schema=main&table=orders&sync=true'
    const { body } = await one.ask(path, [{ n: 1 }])
    expect((await one.get(`/tasks/${String(body['task_id'])}`)).body['status']).toBe('completed')
    expect(await two.get(`/tasks/${String(body['task_id'])}`)).toMatchObject({
      status: 400,
      body: { error: 'invalid-task-id' },
    })
  })

  it('answer an export once all that was accepted is in it', async () => {
    const { one, ingest } = shared
    await ingest.track({ ...event('exported'), distinct_id: 'ada' })
    const person = { environment: 'production', id: 'ada' }
    const { text } = await createClient(one.url).post('/persons/export', person)
    expect(text).toContain('"event":"exported"')
  })
})

describe('a process that only takes events', () => {
  beforeEach(prepare)

  it('has no data folder, and says who answers queries', async () => {
    const { url } = await startAlone({ ...log, dataFolder: '/proc/nowhere' }, 'ingest')
    expect(await createClient(url).post('/query', { statement: 'SELECT 1' })).toMatchObject({
      status: 503,
      text: expect.stringContaining('--role engine'),
    })
    const health = await fetch(`${url}/healthz`)
    expect([health.status, await health.json()]).toEqual([
      200,
      { status: 'ok', version, accepting: true, engine: 'none', lag_seconds: 0, backlog_rows: 0 },
    ])
  })

  it('leaves a task pending while nobody stores rows, and tells the backlog', async () => {
    const { url } = await startAlone(log, 'ingest')
    const client = createClient(url)
    const { text } = await client.track(numbered(1))
    const { task_id: task } = JSON.parse(text) as { task_id: string }
    expect(await client.task(task)).toMatchObject({
      status: 'pending',
      message: expect.stringContaining('No query process is connected'),
    })
    expect(await (await fetch(`${url}/healthz`)).json()).toMatchObject({ backlog_rows: 1 })
    const metrics = await (await fetch(`${url}/metrics`, { headers: { authorization: basic } })).text()
    expect(metrics).toMatch(/^waymark_accepting 1$/m)
    expect(metrics).toMatch(/^waymark_log_readers 0$/m)
    await start('one')
    await eventually(async () => expect(await client.task(task)).toMatchObject({ status: 'completed' }))
  })
})

it('a process that only answers queries starts while the database is away, and goes on once it is back', async () => {
  await prepare()
  const one = await start('one')
  await one.ingest('/track?sync=true', numbered(1))
  await one.stop()
  await cluster.primary.kill()
  const flags = [
    ...['--role', 'engine', '--data', one.folder],
    ...['--log', database.url, '--log-durability', 'local'],
  ]
  const queries = new ServiceProcess(flags)
  closing.push(() => queries.kill())
  try {
    await queries.start()
    const client = createClient(queries.url)
    expect(await client.rows('SELECT event FROM events')).toEqual([['event 1']])
    const health = await fetch(`${queries.url}/healthz`)
    expect([health.status, await health.json()]).toMatchObject([
      200,
      { status: 'degraded', reason: expect.stringContaining('cannot be reached') },
    ])
  } finally {
    await cluster.primary.start()
  }
  const ingest = createClient((await startAlone(log, 'ingest')).url)
  await eventually(async () => expect(await ingest.track(numbered(2), true)).toMatchObject({ status: 200 }))
  await eventually(async () =>
    expect(await createClient(queries.url).rows('SELECT count(*) FROM events')).toEqual([[2]]),
  )
  // It takes no events, and keeps what its users save.
  expect(await createClient(queries.url).track(numbered(3))).toMatchObject({ status: 503 })
  const goal = { kind: 'goal', name: 'An order', value: { event: 'Ordered' } }
  expect(await createClient(queries.url).post('/saved', goal)).toMatchObject({ status: 200 })
  expect(await createClient(queries.url).rows('SELECT name FROM analytics.saved')).toEqual([['An order']])
})

it('a service that was away exports nothing before it has stored what others accepted meanwhile', async () => {
  await prepare()
  const [one, two] = [await start('one'), await start('two')]
  await one.stop()
  await two.ingest('/track?sync=true', { ...event('missed'), distinct_id: 'ada' })
  const lock = await cluster.primary.connect(new URL(database.url).pathname.slice(1))
  closing.push(() => lock.end())
  // One that starts cannot read the log, and is not counted among those that follow it.
  await lock.query('BEGIN; LOCK TABLE waymark.log')
  const again = await start('one', { ...log, syncWaitMs: 1000 })
  const exported = () =>
    createClient(again.url).post('/persons/export', { environment: 'production', id: 'ada' })
  expect(await exported()).toMatchObject({ status: 503, text: expect.stringContaining('not-yet-stored') })
  await lock.query('ROLLBACK')
  await eventually(async () => expect((await exported()).text).toContain('"event":"missed"'))
})

describe('a data folder', () => {
  beforeEach(prepare)

  const files: ServerOptions = {}

  it('goes over to a log in PostgreSQL once its own is stored, and not back by itself', async () => {
    await (await start('one', files)).ingest('/track?sync=true', numbered(1))
    await closing.pop()!()
    const alone = await startAlone({ dataFolder: join(folder, 'one') }, 'both')
    await createClient(alone.url).track([numbered(2), numbered(3)])
    await closing.pop()!()
    await expect(start('one')).rejects.toThrow(/has 2 rows that are not stored yet/)
    const before = await start('one', files)
    await before.ingest('/track?sync=true', numbered(4))
    await before.stop()
    const after = await start('one')
    await after.ingest('/track?sync=true', numbered(5))
    expect(await names(after)).toEqual([1, 2, 3, 4, 5].map((n) => `event ${n}`))
    await after.restart()
    await after.ingest('/track?sync=true', [numbered(1), numbered(6)])
    expect(await names(after)).toEqual([1, 2, 3, 4, 5, 6].map((n) => `event ${n}`))
    await after.stop()
    await expect(start('one', files)).rejects.toThrow(/start it with --log/)
  })

  it('that follows a log says why it no longer can, also at the next start', async () => {
    const one = await start('one')
    await one.ingest('/track?sync=true', [numbered(1), numbered(2)])
    await one.stop()
    await database.query('DELETE FROM waymark.log')
    await database.query('UPDATE waymark.head SET last = 1')
    const lines: string[] = []
    const again = await start('one', { ...log, logLevel: 'error', writeLog: (line) => lines.push(line) })
    await eventually(() => expect(lines.join('')).toContain('the log ends at 1'))
    await again.stop()
    await expect(start('one')).rejects.toThrow(/the log ends at 1/)
  })

  it('that was stopped while a failover put other rows in the place of its last ones says so when it starts', async () => {
    const one = await start('one')
    await one.ingest('/track?sync=true', numbered(1))
    await one.ingest('/track?sync=true', numbered(2))
    // Somebody who is away, for whom both are kept.
    await database.query(`INSERT INTO waymark.readers VALUES ('away', 0, now() - interval '1 hour')`)
    await one.stop()
    await database.query(
      'UPDATE waymark.log SET body = (SELECT body FROM waymark.log WHERE last = 1) WHERE last = 2',
    )
    await database.query('INSERT INTO waymark.log SELECT 3, rows, body FROM waymark.log WHERE last = 1')
    await database.query('UPDATE waymark.head SET last = 3')
    const lines: string[] = []
    const again = await start('one', { ...log, logLevel: 'error', writeLog: (line) => lines.push(line) })
    await eventually(() => expect(lines.join('')).toContain('has other rows instead'))
    await again.stop()
    await expect(start('one')).rejects.toThrow(/has other rows instead/)
  })

  it('that is made of a backup goes on from there, in the log or in files of its own', async () => {
    const one = await start('one')
    await one.ingest('/track?sync=true', numbered(1))
    const file = join(root, 'backup.tar')
    expect(await runWaymark('backup', file, '--data', one.folder)).toMatchObject({ code: 0, problems: '' })
    await one.ingest('/track?sync=true', numbered(2))
    await one.stop()
    for (const name of ['two', 'three']) {
      const args = [file, '--data', join(folder, name), '--logs', one.folder]
      expect(await runWaymark('restore', ...args)).toMatchObject({ code: 0, problems: '' })
    }
    await one.restart()
    const two = await start('two')
    await two.ingest('/track?sync=true', numbered(3))
    expect(await names(one)).toEqual(['event 1', 'event 2', 'event 3'])
    expect(await names(two)).toEqual(['event 1', 'event 2', 'event 3'])
    const three = await start('three', files)
    await three.ingest('/track?sync=true', [numbered(1), numbered(4)])
    expect(await names(three)).toEqual(['event 1', 'event 4'])
    await three.stop()
    await expect(start('three')).rejects.toThrow(/was not filled from this log/)
    await two.stop()
    await expect(start('two', files)).rejects.toThrow(/start it with --log/)
  })
})
