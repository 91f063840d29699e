import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { basic, createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { writeUsers } from '../fixtures/usersFile.js'
import { bring, sample, settled, tryOut, undo, zipOf } from './bring.js'

let folder: string
let service: Service
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-history-'))
  const usersFile = join(folder, 'users.json')
  writeUsers(usersFile, { bob: ['builder', 'read'] })
  service = await createService({ usersFile, retentionDays: { production: 30 } })
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

const rows = async (statement: string) => (await service.query(statement)).rows
const everything = async () => ({
  persons: await rows('FROM analytics.persons ORDER BY ALL'),
  identities: await rows('FROM analytics.identities ORDER BY ALL'),
  sessions: await rows('FROM analytics.sessions ORDER BY ALL'),
  events: await rows(
    'SELECT environment, event, distinct_id, "timestamp" FROM analytics.events ORDER BY ALL',
  ),
  imports: await rows('FROM analytics.imports ORDER BY ALL'),
  sums: await rows('SELECT count(*) FROM analytics.daily_sums'),
})
const line = (who: string, at: number) => `2024-02-01 10:00:${10 + (at % 40)},Ordered,${who},s-${who}`
const header = 'time,event,user_id,session_id\n'
const fileOf = (many: number, from = 0) =>
  `${header}${Array.from({ length: many }, (_, at) => line(`u${from + at}`, from + at)).join('\n')}\n`

describe('an import', () => {
  it('stores a file that is brought twice once, and what two files have in common', async () => {
    const count = () =>
      rows(`SELECT count(*), count(DISTINCT person_id) FROM analytics.events WHERE imported LIKE 'csv-%'`)
    const first = await bring(service, 'csv', fileOf(100))
    const again = await bring(service, 'csv', fileOf(100))
    expect(again.imported).toBe(first.imported)
    const more = await bring(service, 'csv', fileOf(100, 50))
    expect(more.imported).not.toBe(first.imported)
    expect(await count()).toEqual([[150, 150]])
    expect(await rows('SELECT imported, events, sums FROM analytics.imports ORDER BY events DESC')).toEqual([
      [first.imported, 100, 0],
      [more.imported, 50, 0],
    ])
    for (const { imported } of [first, more]) await undo(service, imported)
  })

  it('leaves nothing when it is taken back, and can be brought again', async () => {
    await service.ingest('/track?sync=true', [
      event('Ordered', { distinct_id: 'u1', session_id: 's-u1', timestamp: '2024-02-01T10:00:30Z' }),
      event('Ordered', { distinct_id: 'live', session_id: 's-live' }),
    ])
    await service.ingest('/identify?sync=true', [
      {
        environment: 'production',
        distinct_id: 'u2',
        traits: { plan: 'pro' },
        timestamp: '2025-01-01T00:00:00Z',
      },
    ])
    const before = await everything()
    const posthog = await bring(service, 'posthog', sample('posthog-events.jsonl'))
    const csv = await bring(service, 'csv', fileOf(100))
    const between = await everything()
    expect(between.events).toHaveLength(before.events.length + 103)
    for (const { imported } of [csv, posthog])
      expect(await undo(service, imported)).toMatchObject({ status: 200, body: { ok: true } })
    expect(await everything()).toEqual(before)

    expect((await bring(service, 'csv', fileOf(100))).done).toBe(100)
    await bring(service, 'posthog', sample('posthog-events.jsonl'))
    const after = await everything()
    expect({ ...after, imports: [] }).toEqual({ ...between, imports: [] })
    for (const { imported } of [csv, posthog]) await undo(service, imported)
  })

  it('is taken back in parts, so that others wait for none of it long, and beside no other', async () => {
    const before = await everything()
    const { imported, done } = await bring(service, 'csv', fileOf(20_010))
    expect(done).toBe(20_010)
    const applied = async () => Number((await rows('SELECT applied FROM analytics.raw.position'))[0]?.[0])
    const first = await applied()
    await tryOut(service, 'csv', fileOf(20_020))
    const [taken, again, started] = await Promise.all([
      undo(service, imported),
      undo(service, imported),
      service.send('POST', '/history/start', '', { authorization: basic }),
    ])
    expect([taken.status, again.status, started.status]).toEqual([200, 409, 409])
    expect([again.body['error'], started.body['error']]).toEqual(['import-running', 'import-running'])
    expect((await applied()) - first).toBe(2)
    expect(await everything()).toEqual(before)
  })

  it('says what there is not to take back', async () => {
    expect(await undo(service, 'umami-nothing')).toMatchObject({
      status: 409,
      body: { error: 'not-undone', message: 'There is no import umami-nothing.' },
    })
  })

  it('says until when its events are kept, and leaves no file', async () => {
    const { kept_until } = await tryOut(service, 'csv', fileOf(1))
    expect(kept_until).toBe(new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10))
    const { status, body } = await service.send('DELETE', '/history', undefined, { authorization: basic })
    expect({ status, body }).toEqual({ status: 200, body: { import: null } })
    expect(readdirSync(service.folder)).not.toContain('history')
  })

  it('is for users who may write', async () => {
    const bob = `Basic ${Buffer.from('bob:builder').toString('base64')}`
    const asked = 'GET , POST ?source=csv, DELETE , POST /start, POST /undo'.split(', ')
    for (const [method = '', path = ''] of asked.map((each) => each.split(' '))) {
      const { status } = await service.send(method, `/history${path}`, method === 'POST' ? '{}' : undefined, {
        authorization: bob,
      })
      expect(status, `${method} ${path}`).toBe(403)
    }
  })

  it.each([
    ['source=paper', 'source must be one of'],
    ['source=csv&environment=moon', 'environment must be one of production, staging.'],
    ['source=csv&site=https://x.example', 'site must be a host'],
    ['source=csv&color=red', 'There is no parameter "color" here'],
  ])('refuses %s', async (search, message) => {
    const { status, body } = await service.send('POST', `/history?${search}`, 'a,b\n1,2\n', {
      authorization: basic,
    })
    expect({ status, message: body['message'] }).toEqual({
      status: 400,
      message: expect.stringContaining(message),
    })
  })
})

const cutOff = (zip: Buffer) => zip.subarray(0, zip.length - 30)
const damaged = (zip: Buffer) => {
  const copy = Buffer.from(zip)
  copy.writeUInt8(copy.readUInt8(60) ^ 0xff, 60)
  return copy
}
const good = zipOf({ 'website_event.csv': fileOf(50) })
const bomb = zipOf({ 'website_event.csv': Buffer.alloc(80_000_000) })

describe('a file that is hostile or broken', () => {
  it.each<[string, string, string | Buffer, string]>([
    [
      'a zip that is cut off',
      'umami',
      cutOff(good),
      'The zip is not complete: its list of files is missing.',
    ],
    ['a zip that is damaged', 'umami', damaged(good), ''],
    ['a zip that unpacks to too much', 'umami', bomb, 'unpacks to more than 100 times its size'],
    [
      'gzip that unpacks to too much',
      'csv',
      gzipSync(Buffer.alloc(80_000_000)),
      'more than 100 times its size',
    ],
    ['gzip that is cut off', 'csv', gzipSync(fileOf(500)).subarray(0, 300), 'cannot be read to its end'],
    ['a zip without a file', 'umami', zipOf({ 'a.txt': 'x' }), 'The zip holds no csv, json or parquet file.'],
    ['a file of others', 'umami', fileOf(3), 'No file has the columns of website_event'],
    ['a row with too few fields', 'csv', `${fileOf(3)}2024-02-01,x\n`, 'Row 5 has 2 fields where the header'],
    [
      'a line of 10 MB',
      'csv',
      `${fileOf(3)}2024-02-01,${'x'.repeat(10_000_000)},u,s\n`,
      'Row 5 has more than',
    ],
    ['UTF-16', 'csv', Buffer.from(`\ufeff${fileOf(3)}`, 'utf16le'), 'UTF-16'],
    [
      'bytes that are no UTF-8',
      'csv',
      Buffer.concat([Buffer.from(fileOf(3)), Buffer.from([0xff, 0x0a])]),
      'Row 5',
    ],
    ['quotes that do not end', 'csv', `${fileOf(3)}"x`, 'ends within quotes'],
    ['nothing', 'csv', '', 'The file is empty.'],
  ])('is refused: %s', async (_, source, file, message) => {
    const { state, message: told } = await tryOut(service, source, file)
    expect({ state, told }).toEqual({ state: 'failed', told: expect.stringContaining(message) })
    expect(told).not.toContain(service.folder)
  })

  it('may have a byte order mark, other line ends, and U+0000 in a value', async () => {
    const file = `\ufeff${header.replace('\n', '\r\n')}2024-02-01,odd\0name,"u\0 1",s\r\n`
    const { imported, refused, done } = await bring(service, 'csv', file)
    expect({ refused, done }).toEqual({ refused: {}, done: 1 })
    expect(await rows(`SELECT count(*) FROM analytics.events WHERE imported = '${imported}'`)).toEqual([[1]])
    await undo(service, imported)
  })

  it('leads nowhere by the names in a zip', async () => {
    const zip = zipOf({ '../../../website_event.csv': fileOf(1), '/etc/passwd.csv': 'a\n1\n' })
    const { state } = await tryOut(service, 'umami', zip)
    expect(state).toBe('failed')
    expect(readdirSync(service.folder)).not.toContain('website_event.csv')
  })
})

it('takes one file at a time', async () => {
  await tryOut(service, 'csv', fileOf(50_000))
  const post = (path: string) => service.send('POST', path, 'x', { authorization: basic })
  await post('/history/start')
  expect(await post('/history?source=csv')).toMatchObject({ status: 409, body: { error: 'import-running' } })
  await service.send('DELETE', '/history', undefined, { authorization: basic })
  expect((await post('/history/start')).status).toBe(409)
  expect(await settled(service).catch(() => null)).toBeNull()
})

/** Begins to send a file; `end` sends the rest of it, and gives the answer. */
const beginSending = (start: string) => {
  const asking = request(`${service.url}/history?source=csv`, {
    method: 'POST',
    headers: { authorization: basic },
  })
  const answer = new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    asking.once('error', reject)
    asking.once('response', async (response) => {
      const parts = await response.setEncoding('utf8').toArray()
      resolve({ status: response.statusCode, text: parts.join('') })
    })
  })
  asking.write(start)
  return {
    end: (rest: string) => {
      asking.end(rest)
      return answer
    },
  }
}

it('takes one of two files that come in one moment, in place of the one before', async () => {
  await tryOut(service, 'csv', fileOf(10))
  const files = [fileOf(20), fileOf(30)]
  const answers = await Promise.all(
    files.map((file) => service.send('POST', '/history?source=csv', file, { authorization: basic })),
  )
  expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409'])
  const taken = answers.findIndex(({ status }) => status === 200)
  const { state, report } = await settled(service)
  expect({ state, rows: report.rows }).toEqual({ state: 'ready', rows: [20, 30][taken] })
})

it('does not begin to read what was stopped while it was sent, nor another file in its place', async () => {
  await service.send('DELETE', '/history', undefined, { authorization: basic })
  const slow = beginSending(header)
  const stateOf = async () => {
    const { body } = await service.send('GET', '/history', undefined, { authorization: basic })
    return (body['import'] as { state: string } | null)?.state
  }
  await expect.poll(stateOf, { timeout: 60_000 }).toBe('receiving')
  await service.send('DELETE', '/history', undefined, { authorization: basic })
  const { imported } = await tryOut(service, 'csv', fileOf(20), { url: '-' })
  const { status, text } = await slow.end('2024-02-01,x,y,z\n')
  expect({ status, text }).toEqual({ status: 409, text: expect.stringContaining('import-stopped') })
  expect(await settled(service)).toMatchObject({ state: 'ready', imported })
})
