import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutBatch } from '../../src/queue/cutBatch'
import { sizeOf, type Row } from '../../src/queue/row'

/** A queue of rows, some of them in flight. */
const queue = fc
  .array(
    fc.record({
      kind: fc.constantFrom('track', 'identify', 'alias'),
      bytes: fc.integer({ min: 1, max: 800 }),
      state: fc.constantFrom('waiting', 'waiting', 'in-flight'),
    }),
  )
  .map((rows) =>
    rows.map(({ kind, bytes, state }, n) => ({ kind, state, key: ['', n, 1, bytes, ''] }) as unknown as Row),
  )
const maxBytes = fc.integer({ min: 1, max: 1000 })
const isWaiting = ({ state }: Row) => state === 'waiting'

describe('cutBatch', () => {
  it('cuts a run of one kind that fits, and as long as can be', () => {
    fc.assert(
      fc.property(queue, maxBytes, (rows, most) => {
        const waiting = rows.filter(isWaiting)
        const batch = cutBatch(rows, most)
        expect(batch).toEqual(waiting.slice(0, batch.length))
        expect(new Set(batch.map(({ kind }) => kind)).size).toBeLessThanOrEqual(1)
        if (batch.length > 1) expect(sizeOf(batch)).toBeLessThanOrEqual(most)
        const next = waiting[batch.length]
        if (next && next.kind === batch[0]?.kind) expect(sizeOf([...batch, next])).toBeGreaterThan(most)
      }),
    )
  })

  it('cuts everything into batches, in order, with none left', () => {
    fc.assert(
      fc.property(queue, maxBytes, (rows, most) => {
        const all = rows.filter(isWaiting)
        const sent: Row[] = []
        for (let batch; (batch = cutBatch(all.slice(sent.length), most)).length;) sent.push(...batch)
        expect(sent).toEqual(all)
      }),
    )
  })
})
