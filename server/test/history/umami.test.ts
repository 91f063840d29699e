import { expect, it } from 'vitest'
import { useService } from '../fixtures/useService.js'
import { bring, sample, tryOut, zipOf } from './bring.js'

const service = useService()
const rows = async (statement: string) => (await service.query(statement)).rows
const parts = ['website_event', 'session', 'event_data']
const zip = zipOf(
  Object.fromEntries(parts.map((name) => [`export/${name}.csv`, sample(`umami-${name}.csv`)])),
)

it('is what umami has found out of each event', async () => {
  const { imported, done, refused, report } = await bring(service, 'umami', zip)
  expect({ done, refused, rows: report.rows, taken: report.taken }).toEqual({
    done: 3,
    refused: {},
    rows: 5,
    taken: 3,
  })
  expect(
    await rows(`SELECT "timestamp"::VARCHAR, event, coalesce(distinct_id, anonymous_id), session_id, url, referrer, path
      FROM analytics.events WHERE imported = '${imported}' ORDER BY 1`),
  ).toEqual([
    [
      '2024-03-01 10:00:00+00',
      '$pageview',
      'aaaa0000-0000-4000-8000-000000000001',
      'bbbb0000-0000-4000-8000-000000000001',
      'https://shop.example/docs?lang=de',
      'https://news.example/today',
      '/docs',
    ],
    [
      '2024-03-01 10:01:00.5+00',
      'Signed up',
      'aaaa0000-0000-4000-8000-000000000001',
      'bbbb0000-0000-4000-8000-000000000001',
      'https://shop.example/docs',
      null,
      '/docs',
    ],
    [
      '2024-03-02 08:00:00+00',
      '$pageview',
      'user-7',
      'bbbb0000-0000-4000-8000-000000000002',
      'https://shop.example/?utm_source=letter',
      null,
      '/',
    ],
  ])
  expect(
    await rows(`SELECT browser, os, device, country, language, utm_source FROM analytics.events
      WHERE imported = '${imported}' AND event = '$pageview' ORDER BY "timestamp"`),
  ).toEqual([
    ['Edge', 'Windows', 'desktop', 'AT', 'de-AT', null],
    ['Safari', 'iOS', 'phone', 'US', 'en-US', 'letter'],
  ])
  expect(
    await rows(
      `SELECT properties FROM analytics.events WHERE imported = '${imported}' AND event = 'Signed up'`,
    ),
  ).toEqual([[expect.objectContaining({ plan: 'pro', seats: 3, title: 'Docs', tag: 'beta', city: 'Wien' })]])
})

it('says before what would be refused and lost', async () => {
  const { report } = await tryOut(service, 'umami', zip)
  expect(report.refused).toEqual([
    { reason: 'a time in the future', rows: 1, example: '2999-03-02 08:00:00+00' },
    {
      reason: 'event_type 7 is neither a page view nor an event',
      rows: 1,
      example: '2024-03-02 08:00:09+00',
    },
  ])
  expect(report.lost.map(({ field, rows: count }) => [field, count])).toContainEqual([
    'website_event.csv: job_id',
    1,
  ])
  expect(report).toMatchObject({ from: '2024-03-01T10:00:00Z', until: '2024-03-02T08:00:00Z', persons: 2 })
})
