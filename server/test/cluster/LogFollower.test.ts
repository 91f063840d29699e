import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { Logger } from '../../src/Logger.js'
import { LogAppender } from '../../src/cluster/log/LogAppender.js'
import { LogFollower, type LogFollowerOptions } from '../../src/cluster/log/LogFollower.js'
import { LogWatch } from '../../src/cluster/log/LogWatch.js'
import { pruneLog } from '../../src/cluster/log/pruneLog.js'
import { addressesOf } from '../../src/options/values.js'
import { lastOf } from '../../src/wal/segment.js'
import { createDatabase, type LogDatabase } from './createDatabase.js'
import type { Cluster } from './Cluster.js'
import { startCluster } from './startCluster.js'
import { eventually } from '../fixtures/eventually.js'

const logger = new Logger('silent')
const dayMs = 86_400_000
let cluster: Cluster
let database: LogDatabase
let appender: LogAppender
let opened: { close(): Promise<void> }[] = []

beforeAll(async () => {
  cluster = await startCluster({ standbys: 0 })
})
afterAll(() => cluster.close())

const createAppender = async () => {
  const made = new LogAppender({ addresses: addressesOf(database.url), durability: 'local', logger })
  await made.start()
  opened.push({ close: () => made.stop() })
  return made
}

beforeEach(async () => {
  database = await createDatabase(cluster.primary)
  appender = await createAppender()
})
afterEach(async () => {
  for (const each of opened) await each.close()
  opened = []
})

const record = (text: string, count = 1) => ({
  kind: 'track',
  count,
  receivedAtMs: 1,
  body: Buffer.from(JSON.stringify(Array.from({ length: count }, (_, at) => `${text} ${at}`))),
})

const follow = async (more: Partial<LogFollowerOptions> = {}) => {
  const lost: string[] = []
  const followed: string[] = []
  const follower = new LogFollower({
    addresses: addressesOf(database.url),
    name: 'reader',
    place: 'here',
    applied: 0,
    expected: undefined,
    onFollow: ({ id }) => followed.push(id),
    marks: [],
    onRead: () => undefined,
    keptMs: dayMs,
    logger,
    ...more,
  })
  follower.on('lost', (reason) => lost.push(reason))
  opened.push(follower)
  await follower.start()
  return { follower, lost, followed }
}

const createWatch = async () => {
  const watch = new LogWatch({ addresses: addressesOf(database.url), logger })
  await watch.start(undefined)
  opened.push({ close: () => watch.stop() })
  return watch
}

const texts = (entries: readonly { body: Buffer }[]) =>
  entries.flatMap(({ body }) => JSON.parse(body.toString()) as string[])

const readAll = async (follower: LogFollower, after = 0) => {
  await eventually(() => expect(follower.last).toBe(appender.last))
  return follower.read(after, 1_000_000, 2 ** 30)
}

const identity = async () => (await database.query<{ id: string }>('SELECT id FROM waymark.head')).at(0)!.id

describe('what several processes append', () => {
  it('is one order without a gap, and each is told the place of its own rows', async () => {
    const other = await createAppender()
    const told = await Promise.all(
      Array.from({ length: 200 }, async (_, at) => {
        const text = `request ${at}`
        return { text, last: await (at % 2 === 0 ? appender : other).append(record(text, 1 + (at % 3))) }
      }),
    )
    const { follower } = await follow()
    const entries = await follower.read(0, 1_000_000, 2 ** 30)
    expect(entries.map(({ first }) => first)).toEqual(
      [1, ...entries.map((entry) => lastOf(entry) + 1)].slice(0, -1),
    )
    const placed = new Map(entries.map((entry) => [lastOf(entry), texts([entry])[0]]))
    expect(told.map(({ last }) => placed.get(last))).toEqual(told.map(({ text }) => `${text} 0`))
  })

  it('may be as large as a request may be', async () => {
    const large = 'x'.repeat(16 * 2 ** 20)
    await Promise.all([appender.append(record('small')), appender.append(record(large))])
    const { follower } = await follow()
    expect(texts(await follower.read(0, 1_000_000, 2 ** 30))).toEqual(['small 0', `${large} 0`])
  })

  it('is read in pieces, each to the end of its group, and from the middle of a group on', async () => {
    for (let at = 0; at < 5; at++) await appender.append(record(`group ${at}`, 2))
    const { follower } = await follow()
    expect(texts(await follower.read(0, 3, 2 ** 30))).toEqual([
      'group 0 0',
      'group 0 1',
      'group 1 0',
      'group 1 1',
    ])
    expect(texts(await follower.read(2, 100, 1))).toEqual(['group 1 0', 'group 1 1'])
    expect(texts(await follower.read(3, 1, 2 ** 30))).toEqual(['group 1 1'])
    expect(await follower.read(10, 1, 1)).toEqual([])
  })
})

describe('a reader', () => {
  it('hears of new rows, also after its connection was cut', async () => {
    const { follower, lost } = await follow()
    const watch = await createWatch()
    await appender.append(record('one'))
    const grown = once(follower, 'grown')
    watch.tell('waymark_log', 1)
    await grown
    expect(texts(await readAll(follower))).toEqual(['one 0'])
    await database.cutConnections()
    await eventually(() => appender.append(record('two')))
    expect(texts(await readAll(follower, 1))).toEqual(['two 0'])
    expect(lost).toEqual([])
  })

  it('is told again of rows that it has not stored, in case reading them has failed', async () => {
    const { follower } = await follow()
    await appender.append(record('one'))
    await readAll(follower)
    await once(follower, 'grown', { signal: AbortSignal.timeout(5000) })
    follower.advance(1)
    await expect(once(follower, 'grown', { signal: AbortSignal.timeout(2500) })).rejects.toThrow('aborted')
  })

  it('tells those who took requests how far it is and what was set aside', async () => {
    const watch = await createWatch()
    expect([watch.readers, watch.applied]).toEqual([0, undefined])
    const first = await follow()
    const second = await follow({ name: 'another' })
    await appender.append(record('one', 9))
    first.follower.advance(9)
    second.follower.setAside({ request: 9, rows: 2, reason: 'Why.' })
    second.follower.advance(6)
    const applied = vi.fn()
    watch.on('applied', applied)
    await eventually(() => expect(applied).toHaveBeenLastCalledWith(6))
    expect([watch.readers, watch.stored, watch.last]).toEqual([2, 6, 9])
    expect(watch.deadLetters.get(9)).toEqual({ request: 9, rows: 2, reason: 'Why.' })
    second.follower.setAside({ request: 9, rows: 3, reason: 'Why.' })
    second.follower.advance(9)
    await eventually(() => expect(watch.applied).toBe(9))
    expect(watch.deadLetters.get(9)?.rows).toBe(3)
    await second.follower.close()
    await eventually(() => expect(watch.readers).toBe(1))
  })

  it('tells of a request of which several rows were set aside since it last told of any', async () => {
    const watch = await createWatch()
    const { follower } = await follow()
    await appender.append(record('one', 9))
    for (let rows = 1; rows <= 3; rows++) follower.setAside({ request: 9, rows, reason: 'Why.' })
    follower.advance(9)
    await eventually(() => expect(watch.applied).toBe(9))
    expect(watch.deadLetters.get(9)).toEqual({ request: 9, rows: 3, reason: 'Why.' })
  })

  it('hears which row somebody waits for', async () => {
    const watch = await createWatch()
    const { follower } = await follow()
    follower.on('wanted', (sequence) => follower.advance(sequence))
    await appender.append(record('one', 5))
    follower.advance(1)
    const wanted = once(follower, 'wanted')
    watch.tell('waymark_wanted', 5)
    expect(await wanted).toEqual([5])
    await eventually(() => expect(watch.applied).toBe(5))
  })

  it('with a store of its own begins a new log behind it, once', async () => {
    const { followed } = await follow({ applied: 40 })
    expect(followed).toEqual([await identity()])
    expect(await appender.append(record('one', 2))).toBe(42)
    // It ended before it could write down what it follows.
    const again = await follow({ applied: 40 })
    expect(texts(await again.follower.read(40, 10, 10))).toEqual(['one 0', 'one 1'])
    await expect(follow({ applied: 40, name: 'stranger' })).rejects.toThrow(/was not filled from this log/)
  })

  it('is refused with an empty store where the log has been pruned, and with the name of another log', async () => {
    await appender.append(record('one', 3))
    const { follower } = await follow()
    follower.advance(3)
    await createWatch().then((watch) => eventually(() => expect(watch.applied).toBe(3)))
    await pruneLog(addressesOf(database.url).at(0)!, { keptMs: dayMs, awaySince: new Map() })
    await expect(follow({ name: 'new' })).rejects.toThrow(/no longer has its first 3 rows/)
  })
})

describe('a reader that the log has left behind stops, and says so:', () => {
  const lastAfterReading = async () => {
    const reader = await follow()
    await appender.append(record('one', 2))
    await appender.append(record('two', 2))
    await readAll(reader.follower)
    reader.follower.advance(4)
    return reader
  }
  const cut = async (lost: string[]) => {
    await database.cutConnections()
    await eventually(() => expect(lost.length).toBeGreaterThan(0))
    return lost[0]
  }

  it('a failover has lost rows that it has', async () => {
    const { lost } = await lastAfterReading()
    await database.query('DELETE FROM waymark.log WHERE last > 2')
    await database.query('UPDATE waymark.head SET last = 2')
    expect(await cut(lost)).toMatch(/holds rows through 4, and the log ends at 2/)
  })

  it('a failover has put others in their place', async () => {
    const { lost } = await lastAfterReading()
    await database.query(
      'UPDATE waymark.log SET body = (SELECT body FROM waymark.log WHERE last = 2) WHERE last = 4',
    )
    await database.query('UPDATE waymark.head SET last = 10')
    expect(await cut(lost)).toMatch(/has other rows instead/)
  })

  it('it was away for so long that the log was pruned without it', async () => {
    await appender.append(record('one', 2))
    await appender.append(record('two', 2))
    await database.query('DELETE FROM waymark.log WHERE last <= 2')
    const { lost } = await follow({ applied: 1, expected: await identity() })
    await eventually(() => expect(lost[0]).toMatch(/the log begins behind 2/))
  })

  it('but not when its last rows were pruned', async () => {
    const { lost, follower } = await lastAfterReading()
    await database.query('DELETE FROM waymark.log')
    await database.cutConnections()
    await eventually(() => appender.append(record('three')))
    expect(texts(await readAll(follower, 4))).toEqual(['three 0'])
    expect(lost).toEqual([])
  })
})
