import { expect, it } from 'vitest'
import { createService } from './fixtures/createService.js'
import { event } from './fixtures/events.js'

it('closes under whatever is running, and what was accepted is there after the next start', async () => {
  const service = await createService()
  try {
    let accepted = 0
    for (let round = 0; round < 6; round++) {
      const queries = Array.from({ length: 4 }, () => service.query('SELECT count(*) FROM range(3000000)'))
      const events = Array.from({ length: 4 }, () => service.ingest('/track', event('closing')))
      await Promise.race(queries)
      await service.restart()
      for (const answer of await Promise.allSettled(events)) {
        if (answer.status === 'fulfilled' && answer.value.body['ok'] === true) accepted++
      }
      await Promise.allSettled(queries)
    }
    await service.ingest('/track?sync=true', event('last'))
    const { rows } = await service.query(`SELECT count(*) FROM events WHERE event = 'closing'`)
    expect(rows[0]?.[0]).toBeGreaterThanOrEqual(accepted)
    expect(accepted).toBeGreaterThan(0)
  } finally {
    await service.close()
  }
})

it('refuses a folder that the same process has open', async () => {
  const service = await createService()
  try {
    await expect(createService({ dataFolder: service.folder })).rejects.toThrow(
      'is in use by another waymark-server',
    )
  } finally {
    await service.close()
  }
})
