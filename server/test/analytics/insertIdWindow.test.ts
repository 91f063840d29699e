import { expect, it } from 'vitest'
import { createService } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'

it('forgets an insert_id once the window of events has passed', async () => {
  const service = await createService({ insertIdWindow: 10 })
  try {
    const copy = event('copy', { properties: { insert_id: 'one' } })
    const others = Array.from({ length: 20 }, (_, at) => event(`other-${at}`))
    await service.ingest('/track?sync=true', copy)
    await service.ingest('/track?sync=true', copy)
    await service.ingest('/track?sync=true', others)
    await service.ingest('/track?sync=true', copy)
    const { rows } = await service.query(`SELECT count(*) FROM events WHERE event = 'copy'`)
    expect(rows).toEqual([[2]])
  } finally {
    await service.close()
  }
})
