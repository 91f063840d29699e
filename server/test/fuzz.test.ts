import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiKey, basic, createService, type Service } from './fixtures/createService.js'
import { event } from './fixtures/events.js'
import { rounds } from './fixtures/share.js'

let service: Service
let sent = 0
beforeAll(async () => {
  service = await createService({ statementTimeoutMs: 2000 })
  await service.query('CREATE TABLE t (a INT, b VARCHAR)')
})
afterAll(() => service.close())

const target = 'catalog=lakehouse&schema=main&table=fuzz'
const ingestPaths = ['/track', '/identify', '/alias']
const lakehousePaths = ['/query', '/validate', '/explain', '/autocomplete', `/append?${target}`]
const uploadPaths = [
  `/upload?${target}&mode=overwrite&format=csv`,
  `/upload?${target}&mode=overwrite&format=json`,
  `/upload?${target}&mode=overwrite&format=parquet`,
  `/upsert?${target}&primary_key=a`,
]
const headers = (path: string): Record<string, string> =>
  ingestPaths.includes(path)
    ? { 'x-api-key': apiKey, 'content-type': 'application/json' }
    : { authorization: basic, 'content-type': 'application/json' }

/** Whatever comes in: an answer in JSON, a message where it failed, and never a 500. */
const check = async (path: string, body: string | Buffer) => {
  const response = await fetch(service.url + path, { method: 'POST', headers: headers(path), body })
  const text = await response.text()
  expect([200, 400, 413, 503], `${path} ${body.toString().slice(0, 200)} → ${text.slice(0, 300)}`).toContain(
    response.status,
  )
  const first = JSON.parse(text.split('\n', 1)[0] ?? '') as Record<string, unknown>
  if (response.status !== 200) expect(String(first['message'])).toMatch(/\w/)
}

/** What was accepted before and between the rubbish is there, and the service still answers. */
const stillWorks = async () => {
  await service.ingest('/track?sync=true', event('alive', { properties: { n: sent++ } }))
  const { rows } = await service.query(`SELECT count(*) FROM events WHERE event = 'alive'`)
  expect(rows).toEqual([[sent]])
}

const paths = fc.constantFrom(...ingestPaths, ...lakehousePaths)
const word = fc.constantFrom(
  'production',
  'nowhere',
  '',
  'x'.repeat(401),
  '\u0000',
  '😀',
  '__proto__',
  '$url',
  '$no',
  "a'b",
  '"',
)
const nearly = fc.record(
  {
    environment: fc.oneof(word, fc.jsonValue()),
    event: fc.oneof(word, fc.jsonValue()),
    properties: fc.oneof(fc.dictionary(word, fc.jsonValue()), fc.jsonValue()),
    distinct_id: fc.oneof(word, fc.jsonValue()),
    anonymous_id: fc.oneof(word, fc.jsonValue()),
    new_user_id: fc.oneof(word, fc.jsonValue()),
    traits: fc.oneof(fc.dictionary(word, fc.jsonValue()), fc.jsonValue()),
    timestamp: fc.oneof(fc.integer(), fc.double(), fc.date().map(String), fc.string(), fc.maxSafeInteger()),
    statement: fc.oneof(fc.string(), fc.jsonValue()),
    catalog: fc.oneof(word, fc.jsonValue()),
    session_id: fc.oneof(word, fc.jsonValue()),
    limit: fc.oneof(fc.integer(), fc.jsonValue()),
    format: fc.oneof(word, fc.constantFrom('csv', 'jsonl', 'parquet')),
    timezone: fc.oneof(word, fc.string()),
    max_suggestions: fc.oneof(fc.integer(), fc.jsonValue()),
  },
  { requiredKeys: [] },
)

describe('any request', () => {
  it('of bytes that are no JSON is answered', async () => {
    await fc.assert(
      fc.asyncProperty(paths, fc.uint8Array({ maxLength: 300 }), (path, bytes) =>
        check(path, Buffer.from(bytes)),
      ),
      { numRuns: rounds(60) },
    )
    await stillWorks()
  })

  it('of JSON that is nearly right is answered', async () => {
    await fc.assert(
      fc.asyncProperty(
        paths,
        fc.oneof(nearly, fc.array(nearly, { maxLength: 4 }), fc.jsonValue()),
        (path, body) => check(path, JSON.stringify(body) ?? 'null'),
      ),
      { numRuns: rounds(150) },
    )
    await stillWorks()
  })

  it('of JSON that is cut off or changed in a byte is answered', async () => {
    const good = JSON.stringify([
      event('alive?', { properties: { a: [1, { b: 'c' }], e: '\u20ac' } }),
    ]).replace('alive?', 'cut')
    await fc.assert(
      fc.asyncProperty(paths, fc.nat(good.length), fc.nat(255), fc.boolean(), (path, at, byte, cut) => {
        const bytes = Buffer.from(good)
        if (!cut) bytes[Math.min(at, bytes.length - 1)] = byte
        return check(path, cut ? bytes.subarray(0, at) : bytes)
      }),
      { numRuns: rounds(80) },
    )
    await stillWorks()
  })

  it('of a file that is rubbish is answered', async () => {
    const file = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
      fc
        .string({ unit: fc.constantFrom(...'a1,"\n\r{}[]:\\ '), minLength: 1 })
        .map((text) => Buffer.from(text)),
      fc
        .uint8Array({ maxLength: 60 })
        .map((bytes) => Buffer.concat([Buffer.from('PAR1'), bytes, Buffer.from('PAR1')])),
    )
    await fc.assert(fc.asyncProperty(fc.constantFrom(...uploadPaths), file, check), { numRuns: rounds(30) })
    await stillWorks()
  })

  it('of SQL put together at random is answered', async () => {
    const piece = fc.constantFrom(
      ...`SELECT FROM WHERE t a b events ( ) , ; * 1 'x' "a" $$ -- /* */ JOIN ON = GROUP BY ORDER LIMIT UNION ALL PIVOT USING
      VALUES WITH x AS INSERT INTO DELETE UPDATE SET CREATE TABLE DROP COPY TO ATTACH read_csv glob EXPLAIN ANALYZE count(*) now()
      unnest([1,2]) {'k':1} NULL INTERVAL CAST :: JSON USE lakehouse analytics. raw PRAGMA CALL range(3) error('x') \\ ? $1 😀`.split(
        /\s+/,
      ),
    )
    const statement = fc.array(piece, { minLength: 1, maxLength: 9 }).map((pieces) => pieces.join(' '))
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('/query', '/validate', '/explain', '/autocomplete'),
        statement,
        (path, sql) => check(path, JSON.stringify({ statement: sql })),
      ),
      { numRuns: rounds(120) },
    )
    await stillWorks()
  })

  it('nested a hundred thousand deep is refused', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    for (const path of [...ingestPaths, ...lakehousePaths]) await check(path, deep)
    for (const path of ingestPaths) {
      await check(
        path,
        `{"environment":"production","event":"deep","distinct_id":"d","properties":{"a":${deep}},"traits":{"a":${deep}}}`,
      )
    }
    await check('/query', JSON.stringify({ statement: `SELECT ${'('.repeat(20_000)}1${')'.repeat(20_000)}` }))
    await stillWorks()
  })

  it('of a hundred megabytes is refused, and the memory is not kept', async () => {
    const chunk = Buffer.alloc(1_048_576, 0x20)
    for (const path of ['/track', '/query', `/append?${target}`]) {
      let written = 0
      const body = new ReadableStream({
        pull(controller) {
          if (written++ < 100) controller.enqueue(chunk)
          else controller.close()
        },
      })
      const answer = await fetch(service.url + path, {
        method: 'POST',
        headers: headers(path),
        body,
        duplex: 'half',
      } as RequestInit).then(
        (response) => response.status,
        // The service may hang up on what it has refused already.
        () => 413,
      )
      expect(answer).toBe(413)
    }
    await stillWorks()
  })

  it('that breaks off is no harm', async () => {
    const { port, hostname } = new URL(service.url)
    for (const path of [...ingestPaths, ...lakehousePaths, ...uploadPaths]) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () => {
          const lines = Object.entries(headers(path)).map(([name, value]) => `${name}: ${value}\r\n`)
          socket.write(
            `POST ${path} HTTP/1.1\r\nhost: x\r\n${lines.join('')}content-length: 500\r\n\r\n[{"environment"`,
          )
          setTimeout(() => socket.destroy(), 20)
        })
        socket.on('close', () => resolve()).on('error', () => undefined)
      })
    }
    await stillWorks()
  })

  it('to any path, by any method, is answered', async () => {
    const path = fc.oneof(
      fc.webPath(),
      fc.constantFrom(
        '/tasks/',
        '/query/',
        '/tasks/%00',
        '/query/..%2f',
        '/track/',
        '//track',
        '/track?%',
        '/?a=b',
      ),
    )
    await fc.assert(
      fc.asyncProperty(
        path,
        fc.constantFrom('GET', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'),
        async (at, method) => {
          const response = await fetch(`${service.url}/${at.replace(/^\/+/, '')}`, {
            method,
            headers: { authorization: basic },
          })
          await response.arrayBuffer()
          expect(response.status).toBeLessThan(500)
        },
      ),
      { numRuns: rounds(40) },
    )
    await stillWorks()
  })
})
