import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { useService } from '../fixtures/useService.js'
import { bring, sample, tryOut, undo } from './bring.js'

const service = useService()
const rows = async (statement: string) => (await service.query(statement)).rows
const file = sample('posthog-events.jsonl')

it('is what PostHog has found out of each event, and whose they are', async () => {
  const { imported, done } = await bring(service, 'posthog', gzipSync(file))
  expect(done).toBe(3)
  expect(
    await rows(`SELECT epoch_ms("timestamp"), event, person_id, session_id FROM analytics.events
      WHERE imported = '${imported}' ORDER BY 1`),
  ).toEqual([
    [Date.parse('2024-05-01T09:00:00.123Z'), '$pageview', 'ada', 's-1'],
    [Date.parse('2024-05-01T09:05:00Z'), '$identify', 'ada', 's-1'],
    [Date.parse('2024-05-02T07:05:00Z'), 'Ordered', 'ada', 's-1'],
  ])
  expect(
    await rows(`SELECT browser, os, device, country, language, viewport, referrer, utm_source, device_id, properties
      FROM analytics.events WHERE imported = '${imported}' AND event = '$pageview'`),
  ).toEqual([
    [
      'Chrome',
      'macOS',
      'desktop',
      'DE',
      'de-DE',
      '1280x720',
      'https://news.example/',
      'letter',
      'd-1',
      expect.objectContaining({ plan: 'free', city: 'Berlin' }),
    ],
  ])
  expect(
    await rows(`SELECT insert_id, properties->'total', properties->'items', json_type(properties->'nothing')
      FROM analytics.events WHERE imported = '${imported}' AND event = 'Ordered'`),
  ).toEqual([['0190a000-0000-7000-8000-000000000003', 19.5, ['a', 'b'], 'NULL']])
  await undo(service, imported)
  expect(await rows('SELECT count(*) FROM analytics.identities')).toEqual([[0]])
})

it('says which of its own properties are lost', async () => {
  const { report } = await tryOut(service, 'posthog', file)
  const lost = Object.fromEntries(report.lost.map(({ field, rows: count }) => [field, count]))
  expect(lost).toMatchObject({ 'properties.$feature/new-menu': 1, 'properties.$ip': 1, person_properties: 3 })
  expect(Object.keys(lost)).not.toContain('properties.$current_url')
})
