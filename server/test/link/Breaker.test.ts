import { afterEach, expect, it, vi } from 'vitest'
import { Breaker } from '../../src/link/Breaker.js'

afterEach(() => {
  vi.useRealTimers()
})

it('refuses what has ended the engine twice, for a day after the last time, and says why', () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 2, 12), toFake: ['Date'] })
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
  vi.setSystemTime(Date.UTC(2026, 0, 3, 13))
  expect(breaker.refused()).toEqual([])
})

it('keeps the newest of very many', () => {
  const breaker = new Breaker()
  for (let n = 0; n < 3000; n++) for (let times = 0; times < 2; times++) breaker.note(String(n), 'odd')
  expect(breaker.refused()).toHaveLength(1000)
  expect(breaker.refused().at(-1)?.[0]).toBe('2999')
})
