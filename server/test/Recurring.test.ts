import { afterEach, expect, it, vi } from 'vitest'
import { Recurring } from '../src/Watchdog.js'

afterEach(() => {
  vi.restoreAllMocks()
})

it('tells what is new at once, and what is not once a minute, with how often it came', () => {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const failures = new Recurring()
  expect(failures.note('no room for 3 MiB')).toBe(1)
  now = 30_000
  expect(failures.note('no room for 700 KiB')).toBeUndefined()
  expect(failures.note('no room for 1.5 MiB')).toBeUndefined()
  now = 60_000
  expect(failures.note('no room for 2 MiB')).toBe(3)
  expect(failures.note('something else')).toBe(1)
})
