import { describe, expect, it } from 'vitest'
import { formatChange, formatDuration } from '../src/parts/format'

describe('formatChange', () => {
  it('says how much more or less it is, and nothing where there was nothing', () => {
    expect(formatChange(15, 10)).toBe('+50%')
    expect(formatChange(9, 10)).toBe('−10%')
    expect(formatChange(10, 10)).toBe('±0%')
    expect(formatChange(10, 0)).toBeUndefined()
  })
})

describe('formatDuration', () => {
  it('uses the two greatest units', () => {
    expect([0, 0.4, 48, 60, 200, 7500, 3600, 273_600].map(formatDuration)).toEqual([
      '0 s',
      '0 s',
      '48 s',
      '1 min',
      '3 min 20 s',
      '2 h 5 min',
      '1 h',
      '3 d 4 h',
    ])
  })
})
