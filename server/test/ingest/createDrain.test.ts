import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { AcceptLog, LogEntry } from '../../src/ingest/createAcceptLog.js'
import { createDrain, type DrainOptions } from '../../src/ingest/createDrain.js'
import { createLog } from '../../src/log/createLog.js'

const entry = (first: number, body = 'good', count = 1): LogEntry => ({
  kind: 'track',
  first,
  count,
  receivedAtMs: 0,
  body: Buffer.from(body),
})

const createFake = (entries: LogEntry[], more: Partial<DrainOptions> = {}) => {
  const stored: number[] = []
  const aside: number[] = []
  const log: AcceptLog = {
    append: () => ({ last: 0, durable: Promise.resolve() }),
    read: (after, maxRows) => entries.filter((each) => each.first > after).slice(0, maxRows),
    prune: () => Promise.resolve(),
    last: () => entries.at(-1)?.first ?? 0,
    bytes: () => 0,
  }
  const drain = createDrain({
    log,
    applied: 0,
    apply: (run) => {
      if (run.some((each) => each.body.toString() === 'bad')) return Promise.reject(new Error('bad data'))
      stored.push(...run.map((each) => each.first))
      return Promise.resolve()
    },
    reject: (bad) => {
      aside.push(bad.first)
      return Promise.resolve()
    },
    mayPass: () => false,
    urgentRows: 1_000_000,
    report: createLog('silent'),
    ...more,
  })
  return { drain, log, stored, aside }
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

describe('while requests come', () => {
  const flushMs = 30
  /** A sender that is faster than the drain, for as long as this takes. */
  const flood = async (urgentRows: number) => {
    const entries = [entry(1)]
    const began: number[] = []
    const { drain } = createFake(entries, {
      urgentRows,
      apply: async () => {
        began.push(performance.now())
        entries.push(entry(entries.length + 1, 'good', 1))
        await delay(flushMs)
      },
      // One entry at a time, so that there is always more.
      log: {
        ...createFake(entries).log,
        read: (after) => entries.filter((each) => each.first > after).slice(0, 1),
        last: () => entries.length + 50_000,
      },
    })
    drain.wake()
    await delay(20 * flushMs)
    const before = [...began]
    await drain.stop()
    return before
  }

  it('rests longer than it works, so that acceptance gets the processor', async () => {
    const began = await flood(1_000_000)
    expect(began.length).toBeGreaterThan(1)
    const gaps = began.map((ms, at) => ms - (began[at - 1] ?? 0)).slice(1)
    expect(Math.min(...gaps)).toBeGreaterThan(8 * flushMs)
  })

  it('rests no more once too much waits', async () => {
    expect((await flood(10)).length).toBeGreaterThan(6)
  })
})

it('tells how many bytes it has stored or set aside', async () => {
  const { drain } = createFake([entry(1, 'four'), entry(2, 'bad'), entry(3, 'sixsix')])
  drain.wake()
  await drain.reached(3, 5000)
  expect(drain.appliedBytes()).toBe(13)
})
