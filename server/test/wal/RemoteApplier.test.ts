import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { RecentDeadLetters } from '../../src/wal/rejected.js'
import { RemoteApplier } from '../../src/wal/RemoteApplier.js'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const create = () => {
  const told: (string | number)[] = []
  const deadLetters = new RecentDeadLetters()
  const applier = new RemoteApplier({
    applied: 5,
    deadLetters,
    tellGrown: () => told.push('grown'),
    tellWanted: (sequence) => told.push(sequence),
  })
  return { applier, deadLetters, told }
}

it('tells of many records at once, and of the last of them in the end', () => {
  const { applier, told } = create()
  for (let at = 0; at < 100; at++) {
    applier.wake()
    vi.advanceTimersByTime(1)
  }
  vi.advanceTimersByTime(1000)
  expect(told.length).toBeGreaterThan(1)
  expect(told.length).toBeLessThan(10)
  applier.wake()
  vi.advanceTimersByTime(1000)
  expect(told.at(-1)).toBe('grown')
})

it('tells without delay when somebody waits, and lets them go when it is applied', async () => {
  const { applier, deadLetters, told } = create()
  applier.wake()
  const reached = applier.reached(9, 60_000)
  expect(told).toEqual(['grown', 9])
  applier.advance(8)
  deadLetters.add({ request: 9, rows: 1, reason: 'bad' })
  applier.advance(9)
  applier.advance(7)
  expect(await reached).toBe(true)
  expect(applier.applied).toBe(9)
  expect(applier.deadLetter(9)?.reason).toBe('bad')
  expect(told).toEqual(['grown', 9])
})

it('tells a waiter that it took too long, and all of them when it stops', async () => {
  const { applier } = create()
  const late = applier.reached(6, 100)
  vi.advanceTimersByTime(100)
  expect(await late).toBe(false)
  const stopped = applier.reached(6, 60_000)
  applier.stop()
  expect(await stopped).toBe(false)
  expect(await applier.reached(5, 0)).toBe(true)
})
