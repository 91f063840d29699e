import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backOff } from '../../src/core/backOff'

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

describe('backOff', () => {
  it('sends at most six requests in an outage of 20 s, for the unluckiest tab', () => {
    fc.assert(
      fc.property(fc.array(random, { minLength: 6, maxLength: 6 }), (luck) => {
        const waits = luck.map((value, index) => backOff(index + 1, value))
        expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeGreaterThan(20_000)
      }),
    )
  })

  it('waits longer after each failure, up to five minutes', () => {
    expect(backOff(1, 1)).toBe(3000)
    expect(backOff(2, 1)).toBe(6000)
    expect(backOff(1000, 1)).toBe(300_000)
  })

  it('waits at least as long as the service asks, and an hour at most', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        random,
        fc.integer({ min: 1, max: 1e9 }),
        (failures, luck, asked) => {
          const wait = backOff(failures, luck, asked)
          expect(wait).toBeGreaterThanOrEqual(Math.min(asked, 3_600_000))
          expect(wait).toBeLessThan(3_602_000)
        },
      ),
    )
  })
})
