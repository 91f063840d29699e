import { createHash, randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ServerOptions } from '../../src/index.js'
import { pruneLog } from '../../src/cluster/log/pruneLog.js'
import { addressesOf } from '../../src/options/values.js'
import type { StateHead } from '../../src/cluster/state/startFromState.js'
import { createClient } from '../fixtures/createClient.js'
import { createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { findInFiles } from '../fixtures/findInFiles.js'
import type { Cluster } from './Cluster.js'
import { createDatabase, type LogDatabase } from './createDatabase.js'
import { ServiceProcess } from './ServiceProcess.js'
import { startCluster } from './startCluster.js'
import { eventually } from '../fixtures/eventually.js'

let cluster: Cluster
let database: LogDatabase
let root: string
let archive: string
let closing: (() => Promise<void>)[] = []

beforeAll(async () => {
  cluster = await startCluster({ standbys: 0 })
})
afterAll(() => cluster.close())
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'waymark-states-'))
  archive = join(root, 'archive')
  database = await createDatabase(cluster.primary)
})
afterEach(async () => {
  for (const close of closing) await close()
  closing = []
  rmSync(root, { recursive: true, force: true })
})

const start = async (name: string, more: ServerOptions = {}): Promise<Service> => {
  const log: ServerOptions = { log: database.url, logDurability: 'local', archiveFolder: archive }
  const service = await createService({ dataFolder: join(root, name), ...log, ...more })
  closing.push(() => service.stop())
  return service
}

const day = 86_400_000

/** The whole states, newest first. */
const states = () =>
  readdirSync(archive)
    .flatMap((name) => /^state-(\d+)$/.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => b - a)
const pathOf = (position: number, name: string) => join(archive, `state-${position}`, name)

const change = (position: number, more: Partial<StateHead>) => {
  const file = pathOf(position, 'state.json')
  const head = JSON.parse(readFileSync(file, 'utf8')) as StateHead
  writeFileSync(file, JSON.stringify({ ...head, ...more }))
}

/** Has a service write a state of what it has, as it does a day after the one before. */
const writeState = async (service: Service) => {
  const madeAt = new Date(Date.now() - 1.1 * day).toISOString()
  const before = states()
  for (const each of before) change(each, { madeAt })
  await service.restart()
  await eventually(() => expect(states()[0] ?? 0).toBeGreaterThan(before[0] ?? 0))
  await eventually(async () => expect(await keptBehind()).toEqual(states().toReversed()))
}

/** The rows behind which the log is kept for states. */
const keptBehind = async () => {
  const rows = await database.query<{ applied: number }>(
    `SELECT applied::int AS applied FROM waymark.readers WHERE name LIKE 'state %' ORDER BY 1`,
  )
  return rows.map(({ applied }) => applied)
}

/** The row that a process without a store would need, and the log no longer has. */
const prune = async () => {
  await pruneLog(addressesOf(database.url).at(0)!, { keptMs: 7 * day, awaySince: new Map() })
  const rows = await database.query<{ before: number }>(
    'SELECT coalesce(min(last - rows), 0)::int AS before FROM waymark.log',
  )
  return rows.at(0)!.before
}

const seen = (n: number, distinct_id: string, more = {}) =>
  event('Seen', { distinct_id, properties: { n, insert_id: `id-${n}` }, ...more })

/** Three rows of events, and two persons who become one. */
const fill = async (service: Service, from: number) => {
  const [user, visitor] = [`user-${from}`, `visitor-${from}`]
  await service.ingest('/track?sync=true', [
    seen(from, user),
    event('Opened', { anonymous_id: visitor, properties: { insert_id: `opened-${from}` } }),
    seen(from + 1, 'shared'),
  ])
  const identify = { environment: 'production', distinct_id: user, anonymous_id: visitor }
  await service.ingest('/identify?sync=true', { ...identify, traits: { email: `${user}@a.example` } })
}

/** All that a store answers from. */
const stored = async (service: Service) => {
  const answers: unknown[] = []
  for (const statement of [
    'SELECT event_id, event, distinct_id, anonymous_id, person_id, properties FROM events ORDER BY 1',
    'SELECT person_id, distinct_ids, traits, events FROM persons ORDER BY 1',
    'SELECT kind, record FROM analytics.rejected ORDER BY 2',
    'SELECT entry, events FROM sessions ORDER BY ALL',
  ]) {
    const { rows, error } = await service.query(statement)
    expect(error).toBeUndefined()
    answers.push(rows)
  }
  return answers
}

const alike = (one: Service, other: Service) =>
  eventually(async () => expect(await stored(other)).toEqual(await stored(one)))

describe('a new query process', () => {
  it('starts from a state and the log behind it, and then has what the process has that wrote it', async () => {
    const one = await start('one')
    await fill(one, 1)
    await writeState(one)
    const [state] = states()
    await fill(one, 10)
    expect(await prune()).toBe(state)
    await expect(start('alone', { archiveFolder: undefined })).rejects.toThrow(
      /no longer has its first 4 rows.*empty data folder, with the --archive of the other query processes/,
    )

    const two = await start('two')
    await alike(one, two)
    // Each copy is known by its insert id, whether its row came by the state or by the log.
    await two.ingest('/track?sync=true', [seen(1, 'again'), seen(10, 'again'), seen(20, 'new')])
    await alike(one, two)
    expect((await two.query('SELECT count(*) FROM events')).rows).toEqual([[7]])
    expect(await database.query('SELECT count(*)::int FROM waymark.readers WHERE place IS NOT NULL')).toEqual(
      [{ count: 2 }],
    )
    await two.restart()
    await alike(one, two)
  })

  it('takes no state where it has a store already', async () => {
    const one = await start('one')
    await fill(one, 1)
    await writeState(one)
    const two = await start('two')
    await fill(one, 10)
    await alike(one, two)
    const file = join(two.folder, 'analytics.duckdb')
    const { ino } = statSync(file)
    await two.restart()
    expect(statSync(file).ino).toBe(ino)
  })

  it('finishes what a kill has cut short', async () => {
    const one = await start('one')
    await fill(one, 1)
    await writeState(one)
    await prune()
    const two = await start('two')
    await alike(one, two)
    await two.stop()
    // As when it was killed during the copy, and when it was killed while the copied files were put in place.
    renameSync(two.folder, join(root, 'three'))

    mkdirSync(join(root, 'two', 'from-state.new'), { recursive: true })
    writeFileSync(join(root, 'two', 'from-state.new', 'analytics.duckdb'), 'half')
    await alike(one, await start('two'))
    const three = join(root, 'three')
    mkdirSync(join(three, 'from-state'))
    for (const name of ['analytics.duckdb', 'insert-ids'])
      renameSync(join(three, name), join(three, 'from-state', name))
    await alike(one, await start('three'))
    expect(existsSync(join(three, 'from-state'))).toBe(false)
  })
})

describe('a state that cannot be used', () => {
  let one: Service
  let newest: number
  let older: number
  beforeEach(async () => {
    one = await start('one')
    await fill(one, 1)
    await writeState(one)
    await fill(one, 10)
    await writeState(one)
    ;[newest, older] = states() as [number, number]
    await fill(one, 20)
    expect(await prune()).toBe(older)
  })

  const startWithWarnings = async () => {
    const lines: string[] = []
    const two = await start('two', { logLevel: 'warn', writeLog: (line) => lines.push(line) })
    await alike(one, two)
    return lines.join('')
  }

  it.each([
    [
      'has a changed byte',
      () => {
        const file = pathOf(newest, 'analytics.duckdb')
        const bytes = readFileSync(file)
        const at = bytes.length >> 1
        bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
        writeFileSync(file, bytes)
      },
      'analytics.duckdb is not as it was written',
    ],
    [
      'is cut off',
      () => {
        const file = pathOf(newest, 'analytics.duckdb')
        writeFileSync(file, readFileSync(file).subarray(0, -4096))
      },
      'bytes instead of',
    ],
    ['lacks a file', () => rmSync(pathOf(newest, 'analytics.duckdb')), 'ENOENT'],
    ['has no list', () => rmSync(pathOf(newest, 'state.json')), 'ENOENT'],
    [
      'names a file elsewhere',
      () => change(newest, { files: { '../../one/analytics.duckdb': { bytes: 1, sha256: '' } } }),
      'its list of files is not one of a state',
    ],
  ])('and %s is named and passed by', async (_, spoil, reason) => {
    spoil()
    const said = await startWithWarnings()
    expect(said).toContain(`state-${newest}`)
    expect(said).toContain(reason)
    expect(said).not.toContain(`state-${older}`)
  })

  it.each([
    ['of another log', { log: 'another' }, /state-8 is of another log \(another\) than the one of --log/],
    [
      'of another version of the store',
      { storeVersion: 3 },
      /state-8 is of version 3 of the store, and this/,
    ],
    ['of another format', { format: 2 as 1 }, /state-8 is of format 2, and this/],
  ])('because it is %s is refused by name, and nothing is left of it', async (_, more, message) => {
    change(newest, more)
    await expect(start('two')).rejects.toThrow(message)
    expect(readdirSync(join(root, 'two'))).toEqual([])
  })

  it('because the log begins behind it is refused by name', async () => {
    await database.query(`DELETE FROM waymark.readers WHERE name LIKE 'state %'`)
    await prune()
    await expect(start('two')).rejects.toThrow(
      /state-8 is too old: the log in PostgreSQL begins behind row 12/,
    )
  })

  it('because a failover has lost its last rows is passed by', async () => {
    change(newest, {})
    renameSync(join(archive, `state-${newest}`), join(archive, 'state-999'))
    change(999, { position: 999 })
    const said = await startWithWarnings()
    expect(said).toContain('the log ends at 12: a failover has lost the others')
  })
})

it('the newest two states are kept, and the log behind them', async () => {
  const one = await start('one')
  await one.restart()
  for (let round = 0; round < 3; round++) {
    await fill(one, 10 * round)
    await writeState(one)
  }
  expect(states()).toEqual([12, 8])
  expect(await keptBehind()).toEqual([8, 12])
  // Without a new row there is no new state, however old the newest one is.
  change(12, { madeAt: '2020-01-01T00:00:00Z' })
  const { ino } = statSync(join(archive, 'state-12'))
  const seenAt = `SELECT seen FROM waymark.readers WHERE name = 'state 12'`
  const before = await database.query(seenAt)
  await one.restart()
  await eventually(async () => expect(await database.query(seenAt)).not.toEqual(before))
  expect(statSync(join(archive, 'state-12')).ino).toBe(ino)
  // What a killed writer left goes, and so does the hold of a state that somebody has removed.
  renameSync(join(archive, 'state-8'), join(archive, 'state-8.new'))
  await one.restart()
  await eventually(async () => expect(await keptBehind()).toEqual([12]))
  expect(readdirSync(archive).filter((name) => name.startsWith('state'))).toEqual(['state-12'])
})

/** Fails when a state that has its name is not as it was written. */
const checkStates = () => {
  for (const position of states()) {
    const { files } = JSON.parse(readFileSync(pathOf(position, 'state.json'), 'utf8')) as StateHead
    for (const [name, sum] of Object.entries(files)) {
      const bytes = readFileSync(pathOf(position, name))
      expect({ bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }).toEqual(sum)
    }
  }
}

it.runIf(process.platform === 'linux')(
  'a kill of the writer at any moment leaves states that are whole, and the log behind them',
  async () => {
    const flags = ['--log', database.url, '--log-durability', 'local', '--memory-limit', '256MB']
    const one = new ServiceProcess([...flags, '--archive', archive, '--data', join(root, 'one')])
    closing.push(() => one.kill())
    await one.start()
    let sent = 0
    let cutShort = 0
    const fillMore = async () => {
      const more = Array.from({ length: 300 }, (_, at) =>
        event('Seen', {
          distinct_id: `user-${sent + at}`,
          properties: { n: sent + at, text: randomBytes(1500).toString('base64') },
        }),
      )
      expect((await createClient(one.url).track(more, true)).status).toBe(200)
      sent += more.length
    }
    const names = () => readdirSync(archive).filter((name) => name.startsWith('state-'))
    for (let round = 0; round < 14 || (cutShort === 0 && round < 60); round++) {
      await fillMore()
      await one.kill()
      checkStates()
      if (round > 1) expect(states().length).toBeGreaterThan(0)
      for (const each of states()) change(each, { madeAt: '2020-01-01T00:00:00Z' })
      const before = names()
      await one.start()
      await eventually(() => expect(names()).not.toEqual(before), 1)
      // Every third is left to end.
      if (round % 3 === 0)
        await eventually(async () => expect(await keptBehind()).toEqual(states().toReversed()))
      else await delay(Math.random() * 60)
      if (names().some((name) => name.endsWith('.new'))) cutShort++
      await one.kill()
      checkStates()
      await one.start()
    }
    expect(cutShort).toBeGreaterThan(0)
    const newest = states().at(0)!
    expect(await prune()).toBeGreaterThan(0)
    expect(await prune()).toBeLessThanOrEqual(newest)
    const two = await start('two')
    const count = 'SELECT count(*), count(DISTINCT event_id) FROM events'
    await eventually(async () => expect((await two.query(count)).rows).toEqual([[sent, sent]]))
  },
)

it('an erase removes the states that have the person, and a new one is written', async () => {
  const [one, two] = [await start('one'), await start('two', { archiveFolder: undefined })]
  await fill(one, 1)
  await writeState(one)
  await fill(one, 10)
  await writeState(one)
  expect(findInFiles(archive, 'user-1').length).toBeGreaterThan(0)
  const answer = await two.ask('/persons/erase', { environment: 'production', id: 'user-1' })
  expect(answer).toMatchObject({ status: 200, body: { erased: { events: 2 } } })
  expect(findInFiles(archive, 'user-1@')).toEqual([])
  expect(findInFiles(archive, 'visitor-1"')).toEqual([])
  await eventually(() => expect(states()).toEqual([9]))
  for (const text of ['user-1@', 'visitor-1"']) expect(findInFiles(root, text)).toEqual([])
  await eventually(async () => expect(await keptBehind()).toEqual([9]))
  await fill(one, 20)
  const three = await start('three')
  await alike(one, three)
  // The ids of erased events are in the state, too.
  await three.ingest('/track?sync=true', [seen(1, 'again')])
  await alike(one, three)
  for (const text of ['user-1@', 'visitor-1"']) expect(findInFiles(root, text)).toEqual([])
})
