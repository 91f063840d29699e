import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { apiKey, basic, createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { eventually } from '../fixtures/eventually.js'

/** Each test has a service of its own, so no figure is of what another one did. */
let service: Service
beforeEach(async () => {
  service = await createService({ metricsToken: 'scrape-me-every-minute', maxBacklogRows: 1000 })
})
afterEach(() => service.close())

const scrape = async (authorization = basic) => {
  const response = await fetch(`${service.url}/metrics`, { headers: { authorization } })
  const text = await response.text()
  return { status: response.status, type: response.headers.get('content-type'), text }
}

/** The samples by name and labels, as a scraper reads them. */
const samples = async () => {
  const { text } = await scrape()
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const values = new Map(
    lines.map((line) => {
      expect(line).toMatch(/^[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? (\d[\d.e+-]*|NaN)$/)
      const cut = line.lastIndexOf(' ')
      return [line.slice(0, cut), Number(line.slice(cut + 1))]
    }),
  )
  return {
    of: (name: string) => values.get(name) ?? 0,
    sum: (which: RegExp) =>
      [...values].reduce((sum, [name, value]) => (which.test(name) ? sum + value : sum), 0),
  }
}

/**
 * Figures are told later: an answer counts when its route has ended, and the engine tells of itself every second. So
 * what is waited for is a sum that only grows, and then each part of it must be right.
 */
const samplesWith = (which: RegExp, sum: number) =>
  eventually(async () => {
    const all = await samples()
    expect(all.sum(which)).toBeGreaterThanOrEqual(sum)
    return all
  })

describe('GET /metrics', () => {
  it('is for users and for who has the token, and for nobody else', async () => {
    expect(await scrape()).toMatchObject({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8' })
    expect((await scrape('Bearer scrape-me-every-minute')).status).toBe(200)
    for (const wrong of ['', 'Bearer scrape', `Bearer ${apiKey}`, 'Basic c2NyYXBlLW1l'])
      expect((await scrape(wrong)).status).toBe(401)
  })

  it('counts answers by route and status, and how long they took', async () => {
    await service.ingest('/track', [event('a'), event('b')])
    await service.ingest('/track', { ...event('wrong'), properties: { $weird: 1 } })
    await service.query('SELECT 1')
    await service.get(`/query/${crypto.randomUUID()}`)
    await service.get('/nowhere/at/all')
    const counted = await samplesWith(/^waymark_http_requests_total.*"(\/track|\/query.*|other)"/, 5)
    const requests = (method: string, route: string, status: number) =>
      counted.of(`waymark_http_requests_total{method="${method}",route="${route}",status="${status}"}`)
    expect(requests('POST', '/track', 200)).toBe(1)
    expect(requests('POST', '/track', 400)).toBe(1)
    expect(requests('POST', '/query', 200)).toBe(1)
    expect(requests('GET', '/query/{query_id}', 404)).toBe(1)
    expect(requests('any', 'other', 404)).toBe(1)
    const duration = (suffix: string, more = '') =>
      counted.of(`waymark_http_request_duration_seconds_${suffix}{method="POST",route="/track"${more}}`)
    expect(duration('count')).toBe(2)
    expect(duration('bucket', ',le="+Inf"')).toBe(2)
    expect(duration('bucket', ',le="60"')).toBe(2)
    expect(duration('sum')).toBeGreaterThan(0)
  })

  it('counts what was accepted, stored and set aside', async () => {
    await service.ingest('/track', [event('a'), event('b')])
    await service.ingest('/identify?sync=true', { environment: 'production', distinct_id: 'ada' })
    const counted = await samples()
    expect(counted.of('waymark_rows_accepted_total{kind="track"}')).toBe(2)
    expect(counted.of('waymark_rows_accepted_total{kind="identify"}')).toBe(1)
    expect(counted.of('waymark_rows_applied_total{catalog="analytics"}')).toBe(3)
    expect(counted.of('waymark_backlog_rows')).toBe(0)
    await service.query('CREATE TABLE strict (n INTEGER CHECK (n < 10))')
    await service.ask('/append?catalog=lakehouse&schema=main&table=strict&sync=true', [{ n: 1 }, { n: 11 }])
    const appended = await samples()
    expect(appended.of('waymark_rows_applied_total{catalog="lakehouse"}')).toBe(2)
    expect(appended.of('waymark_rows_set_aside_total{catalog="lakehouse"}')).toBe(1)
  })

  it('counts queries by how they ended, by the Postgres protocol as by HTTP', async () => {
    const sessionId = crypto.randomUUID()
    const queryId = crypto.randomUUID()
    const long = service.ask('/query', {
      statement: 'SELECT count(*) FROM range(100000000) a, range(1000000) b',
      session_id: sessionId,
      query_id: queryId,
    })
    await eventually(async () => expect((await samples()).of('waymark_queries{state="running"}')).toBe(1))
    await service.send('DELETE', `/query/${queryId}?session_id=${sessionId}`, undefined, {
      authorization: basic,
    })
    expect((await long).body['error']).toBe('query-cancelled')
    await service.query('SELECT 1')
    await service.query('SELECT nothing')
    const ended = await samplesWith(/^waymark_queries_total/, 3)
    const of = (outcome: string) => ended.of(`waymark_queries_total{outcome="${outcome}"}`)
    expect([of('completed'), of('failed'), of('cancelled')]).toEqual([1, 1, 1])
    expect(ended.of('waymark_queries{state="running"}')).toBe(0)
  })

  it('tells of both processes, the disk and the engine', async () => {
    const all = await samples()
    for (const name of ['waymark_resident_memory_bytes', 'waymark_cpu_seconds_total'])
      for (const process of ['ingest', 'engine'])
        expect(all.of(`${name}{process="${process}"}`)).toBeGreaterThan(0)
    expect(all.of('waymark_disk_free_bytes')).toBeGreaterThan(0)
    expect([all.of('waymark_engine_up'), all.of('waymark_engine_restarts_total')]).toEqual([1, 0])
  })
})

describe('GET /healthz', () => {
  it('says without a password that all is well', async () => {
    const { status, body, headers } = await service.send('GET', '/healthz')
    expect([status, body]).toEqual([
      200,
      {
        status: 'ok',
        accepting: true,
        engine: 'up',
        lag_seconds: 0,
        backlog_rows: 0,
        version: expect.any(String),
      },
    ])
    expect(headers.get('cache-control')).toBe('no-store')
    expect((await fetch(`${service.url}/healthz`, { method: 'HEAD' })).status).toBe(200)
  })
})
