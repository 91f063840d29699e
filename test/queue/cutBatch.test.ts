import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutBatch } from '../../src/queue/cutBatch'
import { sizeOf, type Payload, type Row } from '../../src/queue/payload'

/** A queue of records of one to four payloads, some of them in flight. */
const queue = fc
  .array(
    fc.record({
      kind: fc.constantFrom('track', 'identify', 'alias'),
      sizes: fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 4 }),
      state: fc.constantFrom('waiting', 'waiting', 'in-flight'),
    }),
  )
  .map((rows) =>
    rows.flatMap(({ kind, sizes, state }) => {
      const row = {
        kind,
        payloads: [] as Payload[],
        bytes: sizes.reduce((sum, n) => sum + n, 0),
      } as unknown as Row
      row.payloads = sizes.map((bytes) => ({ kind, bytes, row, state }) as Payload)
      return row.payloads
    }),
  )
const maxBytes = fc.integer({ min: 1, max: 1000 })
const isWaiting = ({ state }: Payload) => state === 'waiting'

describe('cutBatch', () => {
  it('cuts a run of whole records of one kind that fits, and as long as can be', () => {
    fc.assert(
      fc.property(queue, maxBytes, (payloads, most) => {
        const waiting = payloads.filter(isWaiting)
        const batch = cutBatch(payloads, most)
        expect(batch).toEqual(waiting.slice(0, batch.length))
        expect(new Set(batch.map(({ kind }) => kind)).size).toBeLessThanOrEqual(1)
        expect(batch.flatMap(({ row }) => row.payloads).every((payload) => batch.includes(payload))).toBe(
          true,
        )
        if (new Set(batch.map(({ row }) => row)).size > 1) expect(sizeOf(batch)).toBeLessThanOrEqual(most)
        const next = waiting[batch.length]?.row
        if (next?.kind === batch[0]?.kind && next)
          expect(sizeOf([...batch, ...next.payloads])).toBeGreaterThan(most)
      }),
    )
  })

  it('cuts everything into batches, in order, with none left', () => {
    fc.assert(
      fc.property(queue, maxBytes, (payloads, most) => {
        const all = payloads.filter(isWaiting)
        const sent: Payload[] = []
        for (let batch; (batch = cutBatch(all.slice(sent.length), most)).length;) sent.push(...batch)
        expect(sent).toEqual(all)
      }),
    )
  })
})
