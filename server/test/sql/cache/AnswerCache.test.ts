import { INTEGER } from '@duckdb/node-api'
import { expect, it } from 'vitest'
import { AnswerCache, type CachedAnswer } from '../../../src/sql/cache/AnswerCache.js'
import { Changes } from '../../../src/duckdb/transactions.js'

const answer = (bytes: number): CachedAnswer => ({
  names: ['a'],
  types: [INTEGER],
  lines: Buffer.alloc(bytes),
  fingerprint: 1,
})
const open = (maxBytes = 2 ** 20) => {
  const changes = new Changes()
  return { changes, cache: new AnswerCache(maxBytes, changes) }
}
const begin = () => {
  let end!: () => void
  const work = new Promise<void>((resolve) => (end = resolve))
  return { work: () => work, end }
}

it('gives an answer until something changes', async () => {
  const { changes, cache } = open()
  cache.keep('a', answer(10), cache.now)
  expect(cache.find('a')?.lines).toHaveLength(10)
  await changes.during(() => Promise.resolve())
  expect(cache.find('a')).toBeUndefined()
  expect(cache.bytes).toBe(0)
})

it('gives none while something changes, nor after it', async () => {
  const { changes, cache } = open()
  cache.keep('a', answer(10), cache.now)
  const { work, end } = begin()
  const change = changes.during(work)
  expect(cache.find('a')).toBeUndefined()
  end()
  await change
  expect(cache.find('a')).toBeUndefined()
})

it('keeps no answer that was read while something changed, also if the change failed', async () => {
  const { changes, cache } = open()
  const before = cache.now
  await changes.during(() => Promise.reject(new Error('no'))).catch(() => undefined)
  cache.keep('a', answer(10), before)
  const { work, end } = begin()
  const change = changes.during(work)
  const during = cache.now
  cache.keep('b', answer(10), during)
  end()
  await change
  cache.keep('c', answer(10), during)
  expect(['a', 'b', 'c'].map((key) => cache.find(key))).toEqual([undefined, undefined, undefined])
})

it('never holds more bytes than it may, and drops the oldest first', () => {
  const { cache } = open(64 * 1024)
  for (let n = 0; n < 500; n++) {
    cache.keep(`key ${n % 70}`, answer((n * 97) % 2500), cache.now)
    expect(cache.bytes).toBeLessThanOrEqual(64 * 1024)
  }
  const kept = Array.from({ length: 70 }, (_, n) => cache.find(`key ${n}`) !== undefined)
  // The last was number 499, which is key 9; the one that was kept longest ago is key 10.
  expect([kept[9], kept[10]]).toEqual([true, false])
  expect(kept.filter(Boolean).length).toBeGreaterThan(10)
})

it('counts one answer that is kept again once', () => {
  const { cache } = open()
  cache.keep('a', answer(1000), cache.now)
  const { bytes } = cache
  cache.keep('a', answer(1000), cache.now)
  expect(cache.bytes).toBe(bytes)
  cache.clear()
  expect(cache.bytes).toBe(0)
  expect(cache.find('a')).toBeUndefined()
})

it('takes no answer longer than a 16th, nor one whose statement is as long', () => {
  const { cache } = open(2 ** 20)
  cache.keep('a', answer(2 ** 16), cache.now)
  cache.keep('x'.repeat(2 ** 16), answer(1), cache.now)
  expect(cache.bytes).toBe(0)
})
