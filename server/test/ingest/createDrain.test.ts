import { expect, it } from 'vitest'
import type { AcceptLog, LogEntry } from '../../src/ingest/createAcceptLog.js'
import { createDrain, type DrainOptions } from '../../src/ingest/createDrain.js'
import { createLog } from '../../src/log/createLog.js'

const entry = (first: number, body = 'good', count = 1): LogEntry => ({
  kind: 'track',
  first,
  count,
  receivedAtMs: 0,
  body,
})

const createFake = (entries: LogEntry[], more: Partial<DrainOptions> = {}) => {
  const stored: number[] = []
  const aside: number[] = []
  const log: AcceptLog = {
    append: () => ({ last: 0, durable: Promise.resolve() }),
    read: (after, maxRows) => entries.filter((each) => each.first > after).slice(0, maxRows),
    prune: () => Promise.resolve(),
    last: () => entries.at(-1)?.first ?? 0,
    oldest: () => entries[0]?.first,
  }
  const drain = createDrain({
    log,
    applied: 0,
    apply: (run) => {
      if (run.some((each) => each.body === 'bad')) return Promise.reject(new Error('bad data'))
      stored.push(...run.map((each) => each.first))
      return Promise.resolve()
    },
    reject: (bad) => {
      aside.push(bad.first)
      return Promise.resolve()
    },
    mayPass: () => false,
    report: createLog('silent'),
    ...more,
  })
  return { drain, stored, aside }
}

it('sets one bad entry aside and stores its neighbours, in order', async () => {
  const entries = Array.from({ length: 20 }, (_, at) => entry(at + 1, at === 12 ? 'bad' : 'good'))
  const { drain, stored, aside } = createFake(entries)
  drain.wake()
  expect(await drain.reached(20, 5000)).toBe(true)
  expect(aside).toEqual([13])
  expect(stored).toEqual(entries.map(({ first }) => first).filter((first) => first !== 13))
  expect(drain.rejection(13)).toBe('bad data')
  expect(drain.rejection(12)).toBeUndefined()
})

it('tries again, losing nothing, while a failure may pass', async () => {
  let failures = 3
  const stored: number[] = []
  const { drain, aside } = createFake([entry(1), entry(2)], {
    mayPass: () => true,
    apply: (run) => {
      if (failures-- > 0) return Promise.reject(new Error('disk full'))
      stored.push(...run.map((each) => each.first))
      return Promise.resolve()
    },
  })
  drain.wake()
  expect(await drain.reached(2, 5000)).toBe(true)
  expect(stored).toEqual([1, 2])
  expect(aside).toEqual([])
})

it('tells a waiter when the wait is over before the row is there', async () => {
  const { drain } = createFake([])
  expect(await drain.reached(1, 10)).toBe(false)
  await drain.stop()
})

it('lets waiters go when it stops', async () => {
  const { drain } = createFake([])
  const reached = drain.reached(1, 60_000)
  await drain.stop()
  expect(await reached).toBe(false)
})
