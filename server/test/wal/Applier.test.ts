import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Logger } from '../../src/Logger.js'
import { Applier, type ApplierOptions } from '../../src/wal/Applier.js'
import type { LogEntry } from '../../src/wal/WriteAheadLog.js'

const entry = (first: number, body = 'good', count = 1): LogEntry => ({
  kind: 'track',
  first,
  count,
  receivedAtMs: 0,
  body: Buffer.from(body),
})

const createFake = (entries: LogEntry[], more: Partial<ApplierOptions> = {}) => {
  const stored: number[] = []
  const aside: number[] = []
  const told: (number | string)[] = []
  const log: ApplierOptions['log'] = {
    read: (after, maxRows) => entries.filter((each) => each.first > after).slice(0, maxRows),
    get last() {
      return entries.at(-1)?.first ?? 0
    },
  }
  const applier = new Applier({
    log,
    applied: 0,
    apply: (run) => {
      if (run.some((each) => each.body.toString() === 'bad')) return Promise.reject(new Error('bad data'))
      stored.push(...run.map((each) => each.first))
      return Promise.resolve()
    },
    setAside: (bad) => {
      aside.push(bad.first)
      return Promise.resolve()
    },
    isTransient: () => false,
    urgentRows: 1_000_000,
    logger: new Logger('silent'),
    onApplied: (through) => told.push(through),
    onSetAside: (sequence, reason) => told.push(`${sequence}: ${reason}`),
    ...more,
  })
  return { applier, log, stored, aside, told }
}

it('sets one bad entry aside and stores its neighbours, in order', async () => {
  const entries = Array.from({ length: 20 }, (_, at) => entry(at + 1, at === 12 ? 'bad' : 'good'))
  const { applier, stored, aside } = createFake(entries)
  applier.wake()
  expect(await applier.reached(20, 5000)).toBe(true)
  expect(aside).toEqual([13])
  expect(stored).toEqual(entries.map(({ first }) => first).filter((first) => first !== 13))
  expect(applier.deadLetter(13)).toBe('bad data')
  expect(applier.deadLetter(12)).toBeUndefined()
})

it('tells the process that took the requests what became of them', async () => {
  const { applier, told } = createFake([entry(1), entry(2, 'bad'), entry(3)])
  applier.wake()
  await applier.reached(3, 5000)
  expect(told).toEqual([1, '2: bad data', 2, 3])
})

it('tries again, losing nothing, while a failure may pass', async () => {
  let failures = 3
  const stored: number[] = []
  const { applier, aside } = createFake([entry(1), entry(2)], {
    isTransient: () => true,
    apply: (run) => {
      if (failures-- > 0) return Promise.reject(new Error('disk full'))
      stored.push(...run.map((each) => each.first))
      return Promise.resolve()
    },
  })
  applier.wake()
  expect(await applier.reached(2, 5000)).toBe(true)
  expect(stored).toEqual([1, 2])
  expect(aside).toEqual([])
})

it('says how often in a row there was no memory to store with', async () => {
  const starved: number[] = []
  let failures = 3
  const { applier } = createFake([entry(1)], {
    isTransient: () => true,
    apply: () => {
      if (failures-- <= 0) return Promise.resolve()
      return Promise.reject(new Error(failures === 0 ? 'IO Error: full' : 'Out of Memory Error: no'))
    },
    onStarved: (count) => starved.push(count),
  })
  applier.wake()
  expect(await applier.reached(1, 5000)).toBe(true)
  expect(starved).toEqual([1, 2])
})

it('tells a waiter when the wait is over before the row is there', async () => {
  const { applier } = createFake([])
  expect(await applier.reached(1, 10)).toBe(false)
  await applier.stop()
})

it('lets waiters go when it stops', async () => {
  const { applier } = createFake([])
  const reached = applier.reached(1, 60_000)
  await applier.stop()
  expect(await reached).toBe(false)
})

describe('while requests come', () => {
  const flushMs = 30
  /** A sender that is faster than the applier, for as long as this takes. */
  const flood = async (urgentRows: number) => {
    const entries = [entry(1)]
    const began: number[] = []
    const { applier } = createFake(entries, {
      urgentRows,
      apply: async () => {
        began.push(performance.now())
        entries.push(entry(entries.length + 1, 'good', 1))
        await delay(flushMs)
      },
      // One entry at a time, so that there is always more.
      log: {
        read: (after) => entries.filter((each) => each.first > after).slice(0, 1),
        get last() {
          return entries.length + 50_000
        },
      },
    })
    applier.wake()
    await delay(20 * flushMs)
    const before = [...began]
    await applier.stop()
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
