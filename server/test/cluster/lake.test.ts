import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { ServerOptions } from '../../src/index.js'
import { parquetIn } from '../archive/oldStore.js'
import { createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import type { Cluster } from './Cluster.js'
import { createDatabase, type LogDatabase } from './createDatabase.js'
import { fillLog, type LogFiller } from './fillLog.js'
import { startCluster } from './startCluster.js'

const patience = { timeout: 30_000, interval: 100 }
let cluster: Cluster
let database: LogDatabase
let root: string
let archive: string
let filler: LogFiller
let closing: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  cluster = await startCluster({ standbys: 0 })
}, 60_000)
afterAll(() => cluster.close())
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'waymark-lake-'))
  archive = join(root, 'archive')
  database = await createDatabase(cluster.primary)
  filler = await fillLog(database.url)
  closing = [() => filler.stop()]
})
afterEach(async () => {
  for (const close of closing.toReversed()) await close()
  rmSync(root, { recursive: true, force: true })
}, 60_000)

const start = async (name: string, more: ServerOptions = {}): Promise<Service> => {
  const service = await createService({
    ...{ dataFolder: join(root, name), log: database.url, logDurability: 'local', archiveFolder: archive },
    ...more,
  })
  closing.push(() => service.stop())
  return service
}

const rowsOf = async (service: Service, statement: string) => {
  const { rows, error } = await service.query(statement)
  expect(error, statement).toBeUndefined()
  return rows
}
const inTable = (service: Service) => rowsOf(service, 'SELECT event FROM analytics.raw.events ORDER BY seq')
const counted =
  "SELECT count(*), count(DISTINCT event_id), sum((properties->>'n')::INTEGER)::INTEGER FROM events WHERE event = 'numbered'"
/** All that each store must agree on. */
const answersOf = (service: Service) =>
  Promise.all(
    [
      'FROM events ORDER BY event_id',
      'FROM persons ORDER BY person_id',
      'FROM all_sessions ORDER BY session_id',
      `FROM daily('2026-01-05', '2026-01-10')`,
      'FROM first_touch() ORDER BY ALL',
    ].map((statement) => rowsOf(service, statement)),
  )
const sumUpTo = (count: number) => (count * (count - 1)) / 2

/** Five closed days, and an event of today that stays in the tables. */
const fill = async (service: Service) => {
  for (let day = 0; day < 5; day++) await filler.numbered(day, 40)
  await service.ingest('/track?sync=true', event('Now', { distinct_id: 'u_0' }))
}
const whenArchived = (...services: Service[]) =>
  vi.waitFor(async () => {
    for (const service of services) expect(await inTable(service)).toEqual([['Now']])
  }, patience)

it('one store archives, the others take its files over, and every answer stays as it was', async () => {
  const plain = await start('plain', { archiveFolder: undefined })
  await fill(plain)
  const answers = await answersOf(plain)
  const [one, two] = [await start('one'), await start('two')]
  await whenArchived(one, two)
  expect(await answersOf(one)).toEqual(answers)
  expect(await answersOf(two)).toEqual(answers)
  expect(parquetIn(archive).map((name) => name.replace(/-[^-]*$/, ''))).toEqual(
    [0, 1, 2, 3, 4].map(
      (day) =>
        `environment=production/day=2026-01-0${5 + day}/late=false/events-${1 + 40 * day}-${40 + 40 * day}`,
    ),
  )
  await two.restart()
  expect(await answersOf(two)).toEqual(answers)
}, 120_000)

it('the archive goes on in another store once the first one is gone, and a store that was away takes all of it over', async () => {
  const one = await start('one')
  await fill(one)
  await whenArchived(one)
  const two = await start('two')
  await whenArchived(two)
  await one.stop()
  await filler.numbered(7, 30)
  await two.restart()
  await whenArchived(two)
  expect(await rowsOf(two, counted)).toEqual([[230, 230, sumUpTo(230)]])
  await one.restart()
  await whenArchived(one)
  expect(await rowsOf(one, counted)).toEqual([[230, 230, sumUpTo(230)]])
  expect(await answersOf(one)).toEqual(await answersOf(two))
}, 120_000)

it('while the folder is away, questions that need it fail by its name, and all else goes on', async () => {
  const one = await start('one')
  await fill(one)
  await whenArchived(one)
  renameSync(archive, `${archive}-away`)
  await vi.waitFor(async () => {
    const { error } = await one.query(counted)
    expect(String(error?.['message'] ?? error)).toMatch(/The file environment=.* is missing/)
  }, patience)
  await one.ingest('/track?sync=true', event('Later'))
  const newest = `SELECT count(*) FROM events WHERE timestamp > '2026-06-01'`
  await vi.waitFor(async () => expect(await rowsOf(one, newest)).toEqual([[2]]), patience)
  await one.restart()
  expect(await rowsOf(one, newest)).toEqual([[2]])
  const two = await start('two')
  await vi.waitFor(async () => expect(await rowsOf(two, newest)).toEqual([[2]]), patience)
  expect(existsSync(archive)).toBe(false)
  renameSync(`${archive}-away`, archive)
  for (const service of [one, two])
    await vi.waitFor(
      async () => expect(await rowsOf(service, counted)).toEqual([[200, 200, sumUpTo(200)]]),
      patience,
    )
}, 120_000)

it('a folder of another log is refused by name', async () => {
  await start('one')
  await vi.waitFor(async () => {
    const made = await database.query('SELECT count(*)::int FROM waymark.ducklake_snapshot')
    expect(made).toEqual([{ count: 2 }])
  }, patience)
  database = await createDatabase(cluster.primary)
  await expect(start('two')).rejects.toThrow(`The archive ${archive} belongs to another log`)
}, 60_000)
