import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { Logger } from '../../src/Logger.js'
import { LogAppender } from '../../src/cluster/log/LogAppender.js'
import { LogFollower } from '../../src/cluster/log/LogFollower.js'
import { pruneLog, type PruneOptions } from '../../src/cluster/log/pruneLog.js'
import { LogWatch } from '../../src/cluster/log/LogWatch.js'
import { addressesOf } from '../../src/options/values.js'
import type { Cluster } from './Cluster.js'
import { createDatabase, type LogDatabase } from './createDatabase.js'
import { startCluster } from './startCluster.js'
import { eventually } from '../fixtures/eventually.js'

const logger = new Logger('silent')
const dayMs = 86_400_000
let cluster: Cluster
let database: LogDatabase
let appender: LogAppender
let opened: LogFollower[] = []

beforeAll(async () => {
  cluster = await startCluster({ standbys: 0 })
})
afterAll(() => cluster.close())

beforeEach(async () => {
  database = await createDatabase(cluster.primary)
  appender = new LogAppender({ addresses: addressesOf(database.url), durability: 'local', logger })
  await appender.start()
})
afterEach(async () => {
  for (const each of opened) await each.close()
  opened = []
  await appender.stop()
})

const append = () =>
  appender.append({ kind: 'track', count: 1, receivedAtMs: 1, body: Buffer.from('["one"]') })

const follow = async (name: string) => {
  const follower = new LogFollower({
    addresses: addressesOf(database.url),
    name,
    place: 'here',
    applied: 0,
    expected: undefined,
    onFollow: () => undefined,
    marks: [],
    onRead: () => undefined,
    keptMs: dayMs,
    logger,
  })
  opened.push(follower)
  await follower.start()
  return follower
}

const places = async () =>
  (await database.query<{ last: string }>('SELECT last FROM waymark.log ORDER BY last')).map(({ last }) =>
    Number(last),
  )
const prune = (more: Partial<PruneOptions> = { sureMs: 0 }) =>
  pruneLog(addressesOf(database.url).at(0)!, { keptMs: dayMs, awaySince: new Map(), ...more })
const positionsAre = (...applied: string[]) =>
  eventually(async () => {
    const rows = await database.query<{ applied: string }>('SELECT applied FROM waymark.readers ORDER BY 1')
    expect(rows.map((row) => row.applied)).toEqual(applied)
  })

it('leaves what a reader lacks that was seen lately, and what a copy of a store needs', async () => {
  for (let at = 0; at < 4; at++) await append()
  await prune()
  expect(await places()).toEqual([1, 2, 3, 4])
  const follower = await follow('reader')
  const away = await follow('away')
  follower.advance(3)
  away.advance(1)
  await positionsAre('1', '3')
  await away.close()
  await prune()
  expect(await places()).toEqual([2, 3, 4])
  await follower.keepForCopy(2, false)
  await database.query(`UPDATE waymark.readers SET seen = now() - interval '25 hours' WHERE name = 'away'`)
  await prune()
  expect(await places()).toEqual([3, 4])
  await follower.keepForCopy(2, true)
  follower.advance(4)
  await positionsAre('2', '4')
  await prune()
  expect(await places()).toEqual([3, 4])
  await follower.keepForCopy(4, true)
  await prune()
  expect(await places()).toEqual([])
  expect(await append()).toBe(5)
})

it('goes on from where it has failed', async () => {
  await database.query("INSERT INTO waymark.log SELECT n, 1, '' FROM generate_series(1, 2500) AS n")
  await database.query(`INSERT INTO waymark.readers VALUES ('reader', 2400)`)
  await database.query(
    `CREATE FUNCTION fail() RETURNS trigger AS $$ BEGIN RAISE 'no more'; END $$ LANGUAGE plpgsql`,
  )
  await database.query(
    'CREATE TRIGGER fail BEFORE DELETE ON waymark.log FOR EACH ROW WHEN (OLD.last = 1500) EXECUTE FUNCTION fail()',
  )
  await expect(prune()).rejects.toThrow('no more')
  expect((await places())[0]).toBe(1001)
  await database.query('DROP TRIGGER fail ON waymark.log')
  await prune()
  expect((await places())[0]).toBe(2401)
})

it("forgets a reader that was seen last while the server's clock was ahead", async () => {
  for (let at = 0; at < 4; at++) await append()
  await database.query(
    `INSERT INTO waymark.readers (name, applied, seen) VALUES ('gone', 1, now() + interval '400 days'), ('here', 3, now())`,
  )
  await prune()
  expect(await places()).toEqual([4])
})

it("forgets no reader because the server's clock is wrong for a moment, and waits for none that it saw later than now", async () => {
  for (let at = 0; at < 4; at++) await append()
  const awaySince = new Map<string, number>()
  const moveBy = (days: number, name: string) =>
    database.query(`UPDATE waymark.readers SET seen = now() + interval '${days} days' WHERE name = '${name}'`)
  await database.query(`INSERT INTO waymark.readers VALUES ('away', 1), ('here', 3)`)
  // To the server whose clock is ahead, all readers were seen long ago.
  await moveBy(-400, 'away')
  await prune({ awaySince })
  await moveBy(0, 'away')
  await prune({ awaySince, sureMs: 0 })
  expect(await places()).toEqual([2, 3, 4])
  await moveBy(-2, 'away')
  await prune({ awaySince })
  expect(await places()).toEqual([2, 3, 4])
  await prune({ awaySince, sureMs: 0 })
  expect(await places()).toEqual([4])

  const watch = new LogWatch({ addresses: addressesOf(database.url), logger })
  await watch.start(undefined)
  await watch.newest()
  expect(watch.readers).toBe(1)
  await moveBy(400, 'here')
  await watch.newest()
  expect(watch.readers).toBe(0)
  await watch.stop()
})
