import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createService } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'

const batches = 12
const perBatch = 1500

it.each([
  ['rows', { maxBacklogRows: 2000 }],
  ['bytes', { maxBacklogBytes: 200_000 }],
])(
  'refuses with 503 and Retry-After beyond so many %s, and stores all that it accepted, once',
  async (_, bound) => {
    const service = await createService(bound)
    const refused: unknown[] = []
    const send = async (path: string, list: unknown) => {
      for (;;) {
        const { status, headers, body } = await service.ingest(path, list)
        if (status === 200) return
        refused.push({ status, retry: headers.get('retry-after'), error: body['error'] })
        await delay(20)
      }
    }
    const batch = (number: number) =>
      Array.from({ length: perBatch }, (__, at) =>
        event('numbered', { properties: { n: number * perBatch + at } }),
      )
    try {
      await Promise.all(Array.from({ length: batches }, (__, number) => send('/track', batch(number))))
      expect(refused.length).toBeGreaterThan(0)
      for (const each of refused) expect(each).toEqual({ status: 503, retry: '2', error: 'overloaded' })
      await send('/track?sync=true', event('last'))
      const { rows } = await service.query(
        `SELECT count(*), count(DISTINCT properties->>'n') FROM events WHERE event = 'numbered'`,
      )
      expect(rows).toEqual([[batches * perBatch, batches * perBatch]])
    } finally {
      await service.close()
    }
  },
)
