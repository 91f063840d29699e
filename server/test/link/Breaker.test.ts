import { afterEach, expect, it, vi } from 'vitest'
import { Breaker } from '../../src/link/Breaker.js'

afterEach(() => {
  vi.useRealTimers()
})

it('refuses what has ended the engine twice, for a day after the last time, and says why', () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 2, 12), toFake: ['Date', 'performance'] })
  const breaker = new Breaker()
  breaker.note('a', 'INTERNAL Error: odd')
  breaker.note('b', 'INTERNAL Error: odd')
  expect(breaker.refused()).toEqual([])
  breaker.note('a', 'It does not end.')
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
  breaker.note('before', 'odd')
  breaker.note('before', 'odd')
  vi.setSystemTime(now + days * 86_400_000)
  breaker.note('meanwhile', 'odd')
  breaker.note('meanwhile', 'odd')
  vi.setSystemTime(now)
  expect(breaker.refused().map(([key]) => key)).toEqual(['before', 'meanwhile'])
  vi.advanceTimersByTime(25 * 3_600_000)
  expect(breaker.refused()).toEqual([])
})

it('keeps the newest of very many', () => {
  const breaker = new Breaker()
  for (let n = 0; n < 3000; n++) for (let times = 0; times < 2; times++) breaker.note(String(n), 'odd')
  expect(breaker.refused()).toHaveLength(1000)
  expect(breaker.refused().at(-1)?.[0]).toBe('2999')
})
