import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import * as watching from '../src/duckdb/Database.js'
import { createService, type Service } from './fixtures/createService.js'
import { event } from './fixtures/events.js'
import { eventually } from './fixtures/eventually.js'

const watched: { tables: readonly string[]; onLost(reason: string): void }[] = []
let onStop = () => {}
let service: Service | undefined
beforeEach(() => {
  watched.length = 0
  onStop = () => {}
  vi.spyOn(watching, 'watchDatabase').mockImplementation((_, tables, onLost) => {
    watched.push({ tables, onLost })
    return Promise.resolve({ look: () => undefined, stop: () => Promise.resolve(onStop()) })
  })
})
afterEach(() => service?.close())

it('a service in one process opens its store anew when DuckDB has given a catalog up', async () => {
  service = await createService()
  await service.ingest('/track?sync=true', event('before'))
  expect(watched[0]?.tables).toEqual(['"analytics".raw.position', '"lakehouse".waymark_internal.position'])
  watched[0]?.onLost('IO Error: Database "analytics" has been invalidated because checkpointing failed.')
  await eventually(() => expect(watched).toHaveLength(2))
  await service.ingest('/track?sync=true', event('after'))
  expect((await service.query('SELECT event FROM events ORDER BY 1')).rows).toEqual([['after'], ['before']])
})

it('starts no engine any more once the service closes, whatever the old one asks for', async () => {
  service = await createService()
  onStop = () => {
    onStop = () => {}
    watched[0]?.onLost('IO Error: Database "analytics" has been invalidated because checkpointing failed.')
  }
  await service.restart()
  await service.ingest('/track?sync=true', event('after'))
  expect((await service.query('SELECT event FROM events')).rows).toEqual([['after']])
  expect(watched).toHaveLength(2)
})
