import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutBatch } from '../../src/queue/cutBatch'
import { sizeOf, type Payload } from '../../src/queue/payload'

const payload = fc.record({
  kind: fc.constantFrom('track', 'identify', 'alias'),
  bytes: fc.integer({ min: 1, max: 200 }),
  state: fc.constantFrom('waiting', 'waiting', 'in-flight'),
}) as fc.Arbitrary<Payload>

describe('cutBatch', () => {
  it('cuts a run of one kind that fits, and as long as can be', () => {
    fc.assert(
      fc.property(fc.array(payload), fc.integer({ min: 1, max: 1000 }), (payloads, maxBytes) => {
        const waiting = payloads.filter(({ state }) => state === 'waiting')
        const batch = cutBatch(payloads, maxBytes)
        expect(batch).toEqual(waiting.slice(0, batch.length))
        expect(new Set(batch.map(({ kind }) => kind)).size).toBeLessThanOrEqual(1)
        if (batch.length > 1) expect(sizeOf(batch)).toBeLessThanOrEqual(maxBytes)
        const next = waiting[batch.length]
        if (next?.kind === batch[0]?.kind && next) expect(sizeOf([...batch, next])).toBeGreaterThan(maxBytes)
      }),
    )
  })

  it('cuts everything into batches, in order, with none left', () => {
    fc.assert(
      fc.property(fc.array(payload), fc.integer({ min: 1, max: 1000 }), (payloads, maxBytes) => {
        let left = payloads.filter(({ state }) => state === 'waiting')
        const all = left
        const sent: Payload[] = []
        for (let batch; (batch = cutBatch(left, maxBytes)).length;) {
          sent.push(...batch)
          left = left.slice(batch.length)
        }
        expect(sent).toEqual(all)
      }),
    )
  })

  it('cuts one alone that is larger than a batch', () => {
    const big = { kind: 'track', bytes: 9999, state: 'waiting' } as Payload
    expect(cutBatch([big, big], 100)).toEqual([big])
  })
})
