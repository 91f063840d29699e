import { afterEach, expect, it, vi } from 'vitest'
import { Breaker } from '../../src/link/Breaker.js'

afterEach(() => {
  vi.useRealTimers()
})

it('refuses what has ended the engine twice, for a day after the last time, and says why', () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 2, 12), toFake: ['Date', 'performance'] })
  const breaker = new Breaker()
  breaker.note({ user: 'eve', statement: 'a' }, 'INTERNAL Error: odd')
  breaker.note({ user: 'eve', statement: 'b' }, 'INTERNAL Error: odd')
  expect(breaker.refused()).toEqual([])
  breaker.note({ user: 'bob', statement: 'a' }, 'It does not end.')
  expect(breaker.refused()).toEqual([
    [
      'a',
      'This statement has ended the query engine 2 times (It does not end.), and is refused until 2026-01-03T12:00:00.000Z. Write it in another way.',
    ],
  ])
  vi.advanceTimersByTime(25 * 3_600_000)
  expect(breaker.refused()).toEqual([])
})

it.each([
  ['ahead', 400],
  ['behind', -400],
])('refuses for a day, although the clock was %s for a moment', (_, days) => {
  const now = Date.UTC(2026, 0, 2, 12)
  vi.useFakeTimers({ now, toFake: ['Date', 'performance'] })
  const breaker = new Breaker()
  breaker.note({ user: 'eve', statement: 'before' }, 'odd')
  breaker.note({ user: 'eve', statement: 'before' }, 'odd')
  vi.setSystemTime(now + days * 86_400_000)
  breaker.note({ user: 'eve', statement: 'meanwhile' }, 'odd')
  breaker.note({ user: 'eve', statement: 'meanwhile' }, 'odd')
  vi.setSystemTime(now)
  expect(breaker.refused().map(([key]) => key)).toEqual(['before', 'meanwhile'])
  vi.advanceTimersByTime(25 * 3_600_000)
  expect(breaker.refused()).toEqual([])
})

it('keeps the newest of very many', () => {
  const breaker = new Breaker()
  for (let n = 0; n < 6000; n++) breaker.note({ user: `user ${n >> 1}`, statement: String(n >> 1) }, 'odd')
  expect(breaker.refused()).toHaveLength(1000)
  expect(breaker.refused().at(-1)?.[0]).toBe('2999')
  expect([breaker.restOf('user 1999'), breaker.restOf('user 2000')]).toEqual([0, 6000])
})

it('lets a user rest longer after each end, whatever the words of the statement, and others never', () => {
  vi.useFakeTimers({ now: 0, toFake: ['Date', 'performance'] })
  const breaker = new Breaker()
  const rests = Array.from({ length: 8 }, (_, n) => {
    breaker.note({ user: 'eve', statement: `in other words ${n}` }, 'odd')
    return breaker.restOf('eve')
  })
  expect(rests).toEqual([3000, 6000, 12_000, 24_000, 48_000, 60_000, 60_000, 60_000])
  expect(breaker.restOf('bob')).toBe(0)
  expect(breaker.refused()).toEqual([])
  vi.advanceTimersByTime(600_001)
  expect(breaker.restOf('eve')).toBe(0)
})

it('knows the user alone where it is not known which statement it was', () => {
  const breaker = new Breaker()
  for (let times = 0; times < 3; times++) breaker.note({ user: 'eve' }, 'It crashed.')
  expect(breaker.restOf('eve')).toBe(12_000)
  expect(breaker.refused()).toEqual([])
})
