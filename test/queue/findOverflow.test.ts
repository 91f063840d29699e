import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findOverflow } from '../../src/queue/findOverflow'
import { sum, type RowKey } from '../../src/queue/row'

const limits = { maxEvents: 10, maxBytes: 1000, ttlMs: 5000 }
const row = (sequence: number, length = 1, bytes = 10) => ({
  key: ['', sequence, length, bytes, ''] satisfies RowKey,
})

describe('findOverflow', () => {
  it('lets the oldest go, each with its reason', () => {
    const rows = [row(1000, 1), row(6_000_000, 2), row(6_000_001, 9)]
    expect(findOverflow(rows, sum(rows, 2), sum(rows, 3), limits, 10_000)).toEqual([
      [rows[0], 'too-old'],
      [rows[1], 'too-many'],
    ])
  })

  it('lets go for size what is not too many', () => {
    const rows = [row(1, 1, 600), row(2, 1, 600)]
    expect(findOverflow(rows, sum(rows, 2), sum(rows, 3), limits, 0)).toEqual([[rows[0], 'too-big']])
  })

  it('drops the shortest run of the oldest that brings the rest under the limits', () => {
    const rows = fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 1, max: 5 })), {
      maxLength: 30,
    })
    fc.assert(
      fc.property(rows, (made) => {
        const all = made
          .map(([age, length]) => row(age * 1000 * 1000, length, length * 50))
          .sort((a, b) => a.key[1] - b.key[1])
        const now = 15_000
        const gone = findOverflow(all, sum(all, 2), sum(all, 3), limits, now)
        expect(gone.map(([r]) => r)).toEqual(all.slice(0, gone.length))
        const fits = (left: typeof all) =>
          sum(left, 2) <= 10 && sum(left, 3) <= 1000 && left.every((r) => r.key[1] >= (now - 5000) * 1000)
        expect(fits(all.slice(gone.length))).toBe(true)
        if (gone.length) expect(fits(all.slice(gone.length - 1))).toBe(false)
      }),
    )
  })
})
