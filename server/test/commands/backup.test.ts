import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tarEnd, tarHeader, tarPadding } from '../../src/care/tar.js'
import { createClient, type Client } from '../fixtures/createClient.js'
import { event } from '../fixtures/events.js'
import { runWaymark } from '../fixtures/runWaymark.js'
import { type Spawned, spawnService, urlIn } from '../fixtures/spawnService.js'

const root = mkdtempSync(join(tmpdir(), 'waymark-backup-'))
const data = join(root, 'data')
const file = join(root, 'backup.tar')
const running: Spawned[] = []

const flags = ['--port', '0', '--api-keys', 'key', '--users', 'ada:lovelace', '--quiet']

const spawnOn = (folder: string, ...more: string[]): Spawned => {
  const service = spawnService([...flags, '--data', folder, ...more], { direct: true })
  running.push(service)
  return service
}
const start = async (folder: string) => {
  const service = spawnOn(folder)
  return { ...createClient(urlIn(await service.ready)), end: (by: NodeJS.Signals) => end(service, by) }
}
const end = async (service: Spawned, by: NodeJS.Signals = 'SIGKILL') => {
  service.kill(by)
  await service.ended
}
afterAll(async () => {
  for (const service of running) await end(service)
  rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
})

/** Each event is of a person of its own, so that every table can be cut at an event. */
const numbered = (n: number) =>
  event('numbered', {
    distinct_id: `user-${n}`,
    anonymous_id: `anonymous-${n}`,
    properties: { n, text: 'x'.repeat(200) },
  })
const numbers = (from: number, count: number) => Array.from({ length: count }, (_, at) => numbered(from + at))

/** The tables, as they were when the events through a position had been stored. */
const sums = (client: Client, position: number) =>
  Promise.all(
    [
      ['analytics.raw.events', `seq <= ${position}`],
      ['analytics.raw.id_map', `substr(person_id, 6) IN (FROM cut)`],
      ['analytics.raw.persons', `substr(person_id, 6) IN (FROM cut)`],
    ].map(([table, condition]) =>
      client.rows(
        `WITH cut AS (SELECT properties->>'n' FROM analytics.raw.events WHERE seq <= ${position})
         SELECT '${table}', count(*), sum(hash(t)::HUGEINT)::VARCHAR FROM ${table} t WHERE ${condition}`,
      ),
    ),
  )
const orders = async (client: Client) =>
  (await client.rows('SELECT count(*), coalesce(max(n), 0) FROM lakehouse.main.orders'))[0] as [
    number,
    number,
  ]

const appendOrder = (client: Client, n: number) =>
  client.post('/append?catalog=lakehouse&schema=main&table=orders&sync=true', [{ n }])

/** Gives through which row of each catalog the backup goes. */
const backUp = async (folder: string, target: string): Promise<[analytics: number, lakehouse: number]> => {
  const { code, lines, problems } = await runWaymark('backup', target, '--data', folder)
  expect({ code, problems }).toEqual({ code: 0, problems: '' })
  const [, analytics, lakehouse] = /analytics through row (\d+), lakehouse through row (\d+)/.exec(
    lines.at(0)!,
  )!
  return [Number(analytics), Number(lakehouse)]
}

let service: Client
let position: number
let orderPosition: number
let last: number

/** A backup is taken while events and records come. */
beforeAll(async () => {
  service = await start(data)
  await service.track(numbers(0, 1000), true)
  await appendOrder(service, 1)
  last = 1000
  let isOver = false
  const send = async () => {
    while (!isOver) {
      const from = last
      last += 50
      await service.track(numbers(from, 50))
    }
  }
  const append = async () => {
    for (let n = 2; !isOver; n++) await appendOrder(service, n)
  }
  const load = [send(), send(), append()]
  await service.track([], true)
  const before = last
  ;[position, orderPosition] = await backUp(data, file)
  // The load went on meanwhile.
  while (last < before + 300) await delay(5)
  isOver = true
  await Promise.all(load)
  await service.track(numbered(last), true)
})

describe('a backup that is taken while events and records come', () => {
  let restored: Client
  beforeAll(async () => {
    expect(await runWaymark('restore', file, '--data', join(root, 'restored'))).toMatchObject({ code: 0 })
    restored = await start(join(root, 'restored'))
  })

  it('holds exactly the events up to its position, each once', async () => {
    expect(position).toBeGreaterThanOrEqual(1000)
    expect(position).toBeLessThan(last)
    const counts = await restored.rows(
      'SELECT count(*), count(DISTINCT seq), min(seq), max(seq) FROM analytics.raw.events',
    )
    expect(counts).toEqual([[position, position, 1, position]])
    expect(await orders(restored)).toEqual([orderPosition, orderPosition])
    expect((await orders(service))[0]).toBeGreaterThanOrEqual(orderPosition)
  })

  it('has the checksums of the original, cut at its position', async () => {
    expect(await sums(restored, position)).toEqual(await sums(service, position))
    expect(await restored.rows('SELECT count(*), sum(events)::INT FROM persons')).toEqual([
      [position, position],
    ])
  })

  it('is whole, and so is the original', async () => {
    for (const folder of [data, join(root, 'restored')]) {
      const { code, lines } = await runWaymark('check', '--data', folder)
      expect(lines.filter((line) => line.startsWith('WRONG'))).toEqual([])
      expect(code).toBe(0)
    }
  })

  it('goes on behind its position once it is restored, from the first request on', async () => {
    const folder = join(root, 'goes-on')
    expect(await runWaymark('restore', file, '--data', folder)).toMatchObject({ code: 0 })
    // The first request comes before there is an engine to say what is stored.
    const ingest = spawnOn(folder, '--role', 'ingest')
    const client = createClient(urlIn(await ingest.listening))
    await client.track({ ...numbered(1_000_000), distinct_id: 'early' })
    const engine = spawnOn(folder, '--role', 'engine')
    await ingest.ready
    await client.track(numbered(1_000_001), true)
    await appendOrder(client, orderPosition + 1)
    const rows = await client.rows(`SELECT event_id FROM events WHERE distinct_id = 'early'`)
    expect(rows).toEqual([[position + 1]])
    expect(await orders(client)).toEqual([orderPosition + 1, orderPosition + 1])
    await end(engine)
    await end(ingest)
  })

  it('leaves no part of a file behind', () => {
    expect(readdirSync(root).filter((name) => name.includes('partial'))).toEqual([])
  })
})

describe('a backup whose original is lost with its log left', () => {
  it('takes from the log what was accepted after it', async () => {
    const [folder, target, mine] = ['lost', 'with-logs', 'second.tar'].map((name) => join(root, name)) as [
      string,
      string,
      string,
    ]
    const original = await start(folder)
    await original.track(numbers(0, 1000), true)
    const [backedUp] = await backUp(folder, mine)
    await original.track(numbers(1000, 500), true)
    await original.track(numbers(1500, 500))
    await original.end('SIGKILL')
    const { code, lines: said } = await runWaymark('restore', mine, '--data', target, '--logs', folder)
    expect({ code, lines: said.length }).toEqual({ code: 0, lines: 1 })
    const client = await start(target)
    await client.track(numbered(2_000_000), true)
    expect(
      await client.rows('SELECT count(*), count(DISTINCT seq), max(seq) FROM analytics.raw.events'),
    ).toEqual([[backedUp + 1001, backedUp + 1001, backedUp + 1001]])
    await client.end('SIGKILL')
  })

  it('says which rows are in neither when the log begins behind it, and takes the others', async () => {
    const [folder, target, mine] = ['lost-long', 'with-gap', 'third.tar'].map((name) => join(root, name)) as [
      string,
      string,
      string,
    ]
    const original = await start(folder)
    await original.track(numbers(0, 1000), true)
    const [backedUp] = await backUp(folder, mine)
    await original.track(numbers(1000, 500), true)
    // More than the files hold that the log keeps.
    const large = (n: number) => event('large', { properties: { n, text: 'x'.repeat(2 ** 20) } })
    for (let n = 0; n < 8; n++) await original.track(large(n), true)
    await original.end('SIGKILL')
    const { code, lines } = await runWaymark('restore', mine, '--data', target, '--logs', folder)
    expect(code).toBe(0)
    const [, from, to] = /^Rows (\d+) to (\d+) of analytics are neither/.exec(lines.at(0)!)!
    expect(Number(from)).toBe(backedUp + 1)
    const again = await start(target)
    await again.track(numbered(4_000_000), true)
    const [[count, newest]] = (await again.rows('SELECT count(*), max(seq) FROM analytics.raw.events')) as [
      [number, number],
    ]
    expect(count).toBe(newest - (Number(to) - backedUp))
    const newestLarge = `SELECT max(properties->>'n') FROM events WHERE event = 'large'`
    expect(await again.rows(newestLarge)).toEqual([['7']])
    await again.end('SIGKILL')
  })
})

describe('backup', () => {
  it('says that nothing is to be done for a folder that no service uses', async () => {
    const folder = join(root, 'stopped')
    await (await start(folder)).end('SIGTERM')
    const { code, problems } = await runWaymark('backup', join(root, 'never.tar'), '--data', folder)
    expect(code).toBe(1)
    expect(problems).toBe(
      `No service runs on ${folder}. A folder that no service uses can be copied as it is.`,
    )
    expect(existsSync(join(root, 'never.tar'))).toBe(false)
  })

  it('does not write over a file', async () => {
    expect((await runWaymark('backup', file, '--data', data)).problems).toBe(
      `${file} exists already; name a new file.`,
    )
  })
})

describe('restore', () => {
  const target = join(root, 'target')
  const restoreOf = async (damage: (copy: string) => void) => {
    const copy = join(root, 'copy.tar')
    copyFileSync(file, copy)
    damage(copy)
    const result = await runWaymark('restore', copy, '--data', target)
    expect(result.code).toBe(1)
    expect(readdirSync(target)).toEqual([])
    return result.problems.replace(copy, 'FILE')
  }

  it('takes an empty folder only', async () => {
    const { code, problems } = await runWaymark('restore', file, '--data', data)
    expect(code).toBe(1)
    expect(problems).toBe(
      `${data} is not empty. Restore into a new folder, and start the service on that one.`,
    )
  })

  it('refuses a backup that is cut off, changed, longer, or something else, and leaves the folder empty', async () => {
    const { length } = readFileSync(file)
    const cutOff = 'FILE is cut off or damaged; take another backup.'
    expect(await restoreOf((copy) => truncateSync(copy, length - 4096))).toBe(cutOff)
    expect(await restoreOf((copy) => truncateSync(copy, length >> 1))).toBe(cutOff)
    const flip = (copy: string) => {
      const bytes = readFileSync(copy)
      bytes.writeUInt8(bytes.readUInt8(length >> 1) ^ 1, length >> 1)
      writeFileSync(copy, bytes)
    }
    expect(await restoreOf(flip)).toBe(cutOff)
    expect(await restoreOf((copy) => writeFileSync(copy, 'x'.repeat(5000)))).toMatch(
      /^FILE is no backup .*no tar file/,
    )
    expect(await restoreOf((copy) => writeFileSync(copy, ''))).toMatch(/^FILE is no backup .*cut off/)
  })

  it('writes no file that is not of a store', async () => {
    const evil = (copy: string) => {
      const head = Buffer.from('{"format":1,"positions":{}}')
      writeFileSync(copy, '')
      for (const [name, body] of [
        ['backup.json', head],
        ['../evil', Buffer.from('evil')],
      ] as const) {
        appendFileSync(
          copy,
          Buffer.concat([tarHeader({ name, bytes: body.length }), body, tarPadding(body.length)]),
        )
      }
      appendFileSync(copy, tarEnd)
    }
    expect(await restoreOf(evil)).toBe('FILE is cut off or damaged; take another backup.')
    expect(existsSync(join(root, 'evil'))).toBe(false)
  })
})
