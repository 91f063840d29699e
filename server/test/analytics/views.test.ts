import { expect, it } from 'vitest'
import { createService } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'

it('looks people up by a hash join, never by a nested loop, which would not end on real tables', async () => {
  const service = await createService()
  try {
    const list = Array.from({ length: 3000 }, (_, n) =>
      event('seen', { distinct_id: `user-${n % 500}`, anonymous_id: `anonymous-${n % 500}` }),
    )
    await service.ingest('/track?sync=true', list)
    for (const statement of ['SELECT count(DISTINCT person_id) FROM events', 'FROM persons']) {
      const { body } = await service.ask('/explain', { statement, include_plan: true })
      const plan = JSON.stringify(body['plan'])
      expect(plan.includes('HASH_JOIN')).toBe(statement !== 'FROM persons')
      expect(plan).not.toMatch(/NESTED_LOOP|BLOCKWISE|CROSS_PRODUCT|PIECEWISE/)
    }
    expect((await service.query('SELECT count(DISTINCT person_id), count(*) FROM events')).rows).toEqual([
      [500, 3000],
    ])
  } finally {
    await service.close()
  }
})
