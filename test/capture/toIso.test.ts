import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toIso } from '../../src/capture/toIso'

it('writes what Date writes', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -1e12, max: 8e12 })), (times) => {
      for (const time of times) {
        for (const ms of [time, time + 1, time + 999]) expect(toIso(ms)).toBe(new Date(ms).toISOString())
      }
    }),
  )
})
