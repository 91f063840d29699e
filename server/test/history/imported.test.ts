import { describe, expect, it } from 'vitest'
import { useService } from '../fixtures/useService.js'
import type { Body } from '../fixtures/createService.js'

const service = useService({ serverKeys: ['sk_server'] })

const past = (event: string, at: string, more: Body = {}) => ({
  environment: 'production',
  event,
  timestamp: at,
  properties: { $imported: 'umami-1', ...(more['properties'] as Body) },
  ...Object.fromEntries(Object.entries(more).filter(([name]) => name !== 'properties')),
})
const track = (events: object[], key = 'sk_server') =>
  service.ingest('/track?sync=true', events, { 'x-api-key': key })
const rows = async (statement: string) => (await service.query(statement)).rows
describe('an event of history, by a server key', () => {
  it('keeps what its program has found out, and its own time', async () => {
    const { status } = await track([
      past('$pageview', '2024-03-01T10:00:00Z', {
        distinct_id: 'kept',
        properties: {
          $browser: 'Firefox',
          $os: 'Linux',
          $device: 'desktop',
          $country: 'AT',
          $language: 'de-AT',
          $referer: 'https://news.example/',
          $url: 'https://shop.example/a',
        },
      }),
    ])
    expect(status).toBe(200)
    expect(
      await rows(`SELECT imported, browser, os, device, country, language, referrer, "timestamp"::VARCHAR
        FROM analytics.events WHERE distinct_id = 'kept'`),
    ).toEqual([
      [
        'umami-1',
        'Firefox',
        'Linux',
        'desktop',
        'AT',
        'de-AT',
        'https://news.example/',
        '2024-03-01 10:00:00+00',
      ],
    ])
  })

  it('is refused from a page', async () => {
    const { status, body } = await track([past('x', '2024-03-01T10:00:00Z')], 'key-1')
    expect({ status, code: body['error_code'] }).toEqual({ status: 400, code: 'unknown-built-in-property' })
  })

  it('is no robot because its time is rounded', async () => {
    const views = Array.from({ length: 12 }, (_, at) =>
      past('$pageview', '2024-03-02', { session_id: 'rounded', properties: { insert_id: `r${at}` } }),
    )
    await track(views)
    expect(
      await rows(`SELECT count(*), count(bot) FROM analytics.events WHERE session_id = 'rounded'`),
    ).toEqual([[12, 0]])
  })
})

describe('a second copy', () => {
  const some = (from: number, until: number, imported: string) =>
    Array.from({ length: until - from }, (_, at) =>
      past('Ordered', `2024-04-0${1 + ((from + at) % 9)}T08:00:00Z`, {
        distinct_id: `copy-${from + at}`,
        properties: { $imported: imported, insert_id: `o${from + at}` },
      }),
    )
  const counts = () =>
    rows(
      `SELECT imported, count(*) FROM analytics.events WHERE distinct_id LIKE 'copy-%' GROUP BY 1 ORDER BY 1`,
    )

  it('is not stored, whichever import brings it, nor twice in one request', async () => {
    await track(some(0, 10, 'umami-a'))
    await track([...some(5, 20, 'umami-b'), ...some(10, 20, 'umami-b')])
    expect(await counts()).toEqual([
      ['umami-a', 10],
      ['umami-b', 10],
    ])
  })
})
