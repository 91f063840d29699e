import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { changeStore } from '../fixtures/changeStore.js'
import { createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'

export const environment = 'production'
/** When the first event happened. */
export const first = Date.UTC(2026, 0, 5)

export const rowsOf = async (service: Service, statement: string) => {
  const { rows, error } = await service.query(statement)
  expect(error, statement).toBeUndefined()
  return rows
}

export const parquetIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.parquet'))
    .toSorted()

/** Three visitors on five days, an event an hour. */
const seed = async (service: Service) => {
  const events = Array.from({ length: 120 }, (_, n) =>
    event(n % 3 === 0 ? '$pageview' : 'Ordered', {
      ...(n % 2 === 0 ? { distinct_id: `u_${n % 3}` } : { anonymous_id: `a_${n % 3}` }),
      session_id: `s-${Math.floor(n / 8)}`,
      timestamp: first + n * 3_600_000,
      properties: {
        insert_id: `i-${n}`,
        $url: `https://shop.example/maps/${n % 4}`,
        theme: n % 5 === 0 ? 'dark' : 'light',
      },
    }),
  )
  await service.ingest('/track', events)
  await service.ingest(
    '/track',
    event('Elsewhere', { environment: 'staging', distinct_id: 'x', timestamp: first }),
  )
  await service.ingest('/identify', {
    environment,
    distinct_id: 'u_1',
    anonymous_id: 'a_1',
    traits: { plan: 'pro' },
  })
  await service.ingest(
    '/track',
    event('Shared', { distinct_id: 'bob', anonymous_id: 'a_1', timestamp: first }),
  )
  await service.ingest('/track?sync=true', event('Now', { distinct_id: 'u_0' }))
}
const questions = [
  'FROM events ORDER BY event_id',
  'FROM persons ORDER BY person_id',
  'FROM all_sessions ORDER BY session_id',
  'FROM page_views ORDER BY event_id',
  `FROM daily('2026-01-05', '2026-01-10')`,
  `FROM sessions('2026-01-06', '2026-01-08') ORDER BY session_id`,
  `FROM breakdown('Ordered', 'theme')`,
  `FROM paths('/maps/0')`,
  `FROM retention('$pageview', 'Ordered', 'day')`,
  `FROM funnel(['/maps/0', 'Ordered'], INTERVAL 1 DAY)`,
  'FROM first_touch()',
]
/** Without the moments at which events were received, which the tests change. */
export const answersOf = async (service: Service): Promise<unknown[]> => {
  const all: unknown[] = []
  for (const each of questions)
    all.push(await rowsOf(service, each.replace('FROM events', 'SELECT * EXCLUDE (received_at) FROM events')))
  return all
}

/** A store without an archive, of which all events but the last are old enough for one, and its answers. */
export const createOldStore = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-archive-'))
  const service = await createService({ dataFolder: folder })
  await seed(service)
  const answers = await answersOf(service)
  await service.stop()
  const asOnline =
    'UPDATE analytics.raw.events SET received_at = "timestamp" WHERE "timestamp" < \'2026-03-01\''
  await changeStore(folder, asOnline)
  return { folder, answers }
}
