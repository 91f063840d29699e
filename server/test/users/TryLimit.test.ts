import { beforeEach, expect, it } from 'vitest'
import { TryLimit } from '../../src/users/PasswordCheck.js'

let now: number
let limit: TryLimit
beforeEach(() => {
  now = 1_000_000
  limit = new TryLimit({ atOnce: 3, everyMs: 1000 }, () => now)
})

it('lets so many tries be made at once, and then one after each wait', () => {
  for (let at = 0; at < 3; at++) expect(limit.take(['a'])).toBe(0)
  expect(limit.take(['a'])).toBe(1000)
  now += 400
  expect(limit.take(['a'])).toBe(600)
  now += 600
  expect(limit.take(['a'])).toBe(0)
  expect(limit.take(['a'])).toBe(1000)
})

it('does not count a try that was given back', () => {
  for (let at = 0; at < 20; at++) {
    expect(limit.take(['a', 'b'])).toBe(0)
    limit.giveBack(['a', 'b'])
  }
  expect(limit.take(['a'])).toBe(0)
})

it('waits for the key that was used most, and counts no try that was not made', () => {
  for (let at = 0; at < 3; at++) limit.take(['a'])
  for (let at = 0; at < 5; at++) expect(limit.take(['a', 'b'])).toBe(1000)
  expect(limit.take(['b'])).toBe(0)
})

it('forgets the oldest of many keys, so that nobody fills the memory with them', () => {
  for (let at = 0; at < 3; at++) limit.take(['first'])
  for (let at = 0; at < 10_000; at++) limit.take([`key ${at}`])
  expect(limit.take(['first'])).toBe(0)
})
