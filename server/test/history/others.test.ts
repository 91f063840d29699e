import { expect, it } from 'vitest'
import { useService } from '../fixtures/useService.js'
import { bring, sample, tryOut, undo, zipOf } from './bring.js'

const service = useService()
const rows = async (statement: string) => (await service.query(statement)).rows
const columns = `"timestamp"::VARCHAR, event, person_id, session_id, browser, os, device, country, language`

const plausible = zipOf({
  'imported_visitors_20240101_20240102.csv':
    '"date","visitors","pageviews","bounces","visits","visit_duration"\n"2024-01-01",10,30,2,12,600\n"2024-01-02",8,9,8,8,0\n',
  'imported_pages_20240101_20240102.csv':
    '"date","hostname","page","visits","visitors","pageviews","total_scroll_depth"\n"2024-01-01","shop.example","/",9,8,20,700\n"2024-01-01","shop.example","/docs",3,3,10,100\n',
  'imported_locations_20240101_20240102.csv':
    '"date","country","region","city","visitors","visits","visit_duration","bounces","pageviews"\n"2024-01-01","AT","AT-9",2761369,6,7,300,1,18\n"2024-01-01","AT","AT-6",2778067,4,5,300,1,12\n',
  'imported_sources_20240101_20240102.csv': '"date","source","visitors"\n',
})

it('Plausible: sums stay sums, and are in no count of people', async () => {
  const { imported, done, report } = await bring(service, 'plausible', plausible)
  expect({ kind: report.kind, done, refused: report.refused }).toEqual({ kind: 'sums', done: 9, refused: [] })
  expect(report.lost).toContainEqual({
    field: 'imported_pages_20240101_20240102.csv: total_scroll_depth',
    rows: 2,
    why: expect.any(String),
  })
  expect(
    await rows(`SELECT day::VARCHAR, dimension, value, visitors, visits, page_views, bounces, visit_seconds
      FROM analytics.daily_sums WHERE dimension IN ('total', 'page', 'country') ORDER BY ALL`),
  ).toEqual([
    ['2024-01-01', 'country', 'AT', 10, 12, 30, 2, 600],
    ['2024-01-01', 'page', '/', 8, 9, 20, null, null],
    ['2024-01-01', 'page', '/docs', 3, 3, 10, null, null],
    ['2024-01-01', 'total', '', 10, 12, 30, 2, 600],
    ['2024-01-02', 'total', '', 8, 8, 9, 8, 0],
  ])
  await bring(service, 'plausible', plausible)
  expect(await rows('SELECT count(*) FROM analytics.daily_sums')).toEqual([[9]])
  expect(await rows(`SELECT count(*) FROM analytics.events WHERE imported = '${imported}'`)).toEqual([[0]])
  expect(
    await rows(
      `SELECT imported, sums, first_time::DATE::VARCHAR FROM analytics.imports WHERE imported = '${imported}'`,
    ),
  ).toEqual([[imported, 9, '2024-01-01']])
  // A later export takes the place of what an earlier one says of the same day.
  const later = zipOf({ 'imported_visitors_1.csv': 'date,visitors\n2024-01-02,9\n' })
  const { imported: second } = await bring(service, 'plausible', later)
  expect(
    await rows(`SELECT visitors FROM analytics.daily_sums WHERE dimension = 'total' ORDER BY day`),
  ).toEqual([[10], [9]])
  for (const each of [imported, second]) await undo(service, each)
  expect(await rows('SELECT count(*) FROM analytics.daily_sums')).toEqual([[0]])
})

it('Google Analytics: events of BigQuery', async () => {
  const { imported } = await bring(service, 'ga4', sample('ga4-events.jsonl'))
  const common = ['111.222.1719827999', 'Chrome', 'Android', 'phone', 'AT', 'de-AT']
  expect(
    await rows(`SELECT ${columns} FROM analytics.events WHERE imported = '${imported}' ORDER BY 1`),
  ).toEqual([
    ['2024-07-01 10:00:00.123456+00', '$pageview', 'ada', ...common],
    ['2024-07-01 10:01:00+00', 'purchase', 'ada', ...common],
  ])
  expect(
    await rows(`SELECT url, referrer, utm_source, properties->'value', properties->>'currency', properties->>'title'
      FROM analytics.events WHERE imported = '${imported}' ORDER BY "timestamp"`),
  ).toEqual([
    ['https://shop.example/pricing', 'https://news.example/', 'letter', null, null, 'Pricing'],
    ['https://shop.example/done', null, null, 19.5, 'EUR', null],
  ])
  await bring(service, 'ga4', sample('ga4-events.jsonl'))
  expect(await rows(`SELECT count(*) FROM analytics.events WHERE imported = '${imported}'`)).toEqual([[2]])
  await undo(service, imported)
})

it('Google Analytics: a report by days is sums, and its totals are refused', async () => {
  const { imported, done, report } = await bring(service, 'ga4', sample('ga4-report.csv'))
  expect({ done, refused: report.refused.map(({ reason }) => reason) }).toEqual({
    done: 2,
    refused: ['a day that cannot be read'],
  })
  expect(
    await rows(
      `SELECT day::VARCHAR, visitors, visits, page_views, events FROM analytics.daily_sums
      WHERE imported = '${imported}' ORDER BY 1`,
    ),
  ).toEqual([
    ['2024-07-01', 10, 12, 30, 90],
    ['2024-07-02', 8, 9, 20, 70],
  ])
  await undo(service, imported)
})

it('Matomo: visits with their actions', async () => {
  const { imported } = await bring(service, 'matomo', sample('matomo-visits.json'))
  const first = ['ada', '77', 'Firefox', 'Linux', 'desktop', 'AT', 'de-AT']
  expect(
    await rows(`SELECT ${columns} FROM analytics.events WHERE imported = '${imported}' ORDER BY 1`),
  ).toEqual([
    ['2024-08-01 07:40:00+00', '$pageview', ...first],
    ['2024-08-01 07:40:10+00', 'Play', ...first],
    ['2024-08-01 07:41:00+00', 'Outbound Link', ...first],
    ['2024-08-02 07:40:00+00', '$pageview', 'fedcba9876543210', '78', 'Safari', 'iOS', 'phone', 'US', 'en'],
  ])
  expect(
    await rows(`SELECT referrer, utm_campaign, properties->>'category', properties->'value' FROM analytics.events
      WHERE imported = '${imported}' ORDER BY "timestamp"`),
  ).toEqual([
    ['https://news.example/', null, null, null],
    [null, null, 'Video', 2],
    [null, null, null, null],
    [null, 'summer', null, null],
  ])
  await undo(service, imported)
})

it('Matomo: days as sums', async () => {
  const { imported, done } = await bring(service, 'matomo', sample('matomo-days.csv'))
  expect(done).toBe(1)
  expect(
    await rows(`SELECT visitors, visits, bounces FROM analytics.daily_sums WHERE imported = '${imported}'`),
  ).toEqual([[5, 6, 2]])
  await undo(service, imported)
})

it.each(['plausible', 'ga4', 'matomo'])('%s: another file is told apart', async (source) => {
  const { state, message } = await tryOut(service, source, 'a,b\n1,2\n')
  expect({ state, message }).toEqual({
    state: 'failed',
    message: expect.stringMatching(/^(No file has|The file has neither)/),
  })
})

it('sums of a day to come, of no day, or of no number are refused', async () => {
  const { report } = await tryOut(
    service,
    'plausible',
    'date,visitors\n2999-01-01,5\nnever,5\n2024-01-01,many\n2024-01-01,-1\n12024-01-01,3\n2024-01-01,4\n',
  )
  expect(report.taken).toBe(1)
  expect(report.refused.map(({ reason }) => reason).toSorted()).toEqual([
    'a day beyond the year 9999',
    'a day in the future',
    'a day that cannot be read',
    'a figure that is no number',
  ])
})
