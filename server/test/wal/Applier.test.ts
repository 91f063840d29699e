import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Logger } from '../../src/Logger.js'
import { Applier } from '../../src/wal/Applier.js'
import { Attempt, type ApplierOptions } from '../../src/wal/Attempt.js'
import type { LogEntry } from '../../src/wal/segment.js'
import { Unstorable, RecentDeadLetters } from '../../src/wal/rejected.js'
import { eventually } from '../fixtures/eventually.js'

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
    read: (after, maxRows) => Promise.resolve(entries.filter((each) => each.first > after).slice(0, maxRows)),
    get last() {
      return entries.at(-1)?.first ?? 0
    },
  }
  const applier = new Applier({
    log,
    applied: 0,
    deadLetters: new RecentDeadLetters(),
    apply: (run) => {
      if (run.some((each) => each.body.toString() === 'bad')) return Promise.reject(new Error('bad data'))
      stored.push(...run.map((each) => each.first))
      return Promise.resolve()
    },
    setAside: (bad) => {
      aside.push(...bad.map(({ first }) => first))
      return Promise.resolve()
    },
    isTransient: () => false,
    memoryBytes: 2 ** 30,
    attempt: new Attempt(''),
    alone: (work) =>
      work(true).then(
        () => ({ error: undefined, wasFree: true, wasAlone: true }),
        (error: unknown) => ({ error, wasFree: true, wasAlone: true }),
      ),
    among: (work) => work(),
    logger: new Logger('silent'),
    onApplied: (through) => told.push(through),
    onSetAside: ({ request, rows, reason }) => told.push(`${request}: ${rows} ${reason}`),
    ...more,
  })
  return { applier, log, stored, aside, told }
}

afterEach(() => {
  vi.restoreAllMocks()
})

it('takes no rest after a batch that took longer than a second', async () => {
  let nowMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  const entries = [entry(1)]
  let batches = 0
  const { applier } = createFake(entries, {
    apply: () => {
      nowMs += 1100
      if (++batches === 1) entries.push(entry(2))
      return Promise.resolve()
    },
  })
  applier.wake()
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  expect(batches).toBe(2)
  await applier.stop()
})

it('rests after a batch for so long that both take a second at most', async () => {
  let nowMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  const entries = [entry(1)]
  const { applier, stored } = createFake(entries, {
    apply: (run) => {
      nowMs += 900
      stored.push(...run.map((each) => each.first))
      if (entries.length === 1) entries.push(entry(2))
      return Promise.resolve()
    },
  })
  applier.wake()
  // A tenth of a second is left, of this clock.
  await eventually(() => expect(stored).toEqual([1, 2]))
  await applier.stop()
})

it('takes no rest when half a batch has come while it was stored', async () => {
  let nowMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  const entries = [entry(1, 'good', 4000)]
  const sizes: number[] = []
  const { applier } = createFake(entries, {
    apply: (run) => {
      nowMs += 300
      sizes.push(...run.map(({ count }) => count))
      if (sizes.length === 1) entries.push(entry(4001, 'good', 2000))
      return Promise.resolve()
    },
    log: {
      read: (after) => Promise.resolve(entries.filter((each) => each.first > after)),
      get last() {
        return entries.at(-1)!.first + entries.at(-1)!.count - 1
      },
    },
  })
  applier.wake()
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  expect(sizes).toEqual([4000, 2000])
  await applier.stop()
})

it('tells how long storing took, without the rest before it', async () => {
  let nowMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  const entries = [entry(1)]
  const told: [through: number, tookMs: number][] = []
  const { applier } = createFake(entries, {
    apply: () => {
      nowMs += 900
      return Promise.resolve()
    },
    onApplied(through, tookMs) {
      told.push([through, tookMs])
      nowMs += 5000
      if (through === 1) entries.push(entry(2))
    },
  })
  applier.wake()
  await eventually(() => expect(told).toHaveLength(2))
  expect(told).toEqual([
    [1, 900],
    [2, 900],
  ])
  await applier.stop()
})

it('sets one bad entry aside and stores its neighbours, in order', async () => {
  const entries = Array.from({ length: 20 }, (_, at) => entry(at + 1, at === 12 ? 'bad' : 'good'))
  const { applier, stored, aside } = createFake(entries)
  applier.wake()
  expect(await applier.reached(20, 240_000)).toBe(true)
  expect(aside).toEqual([13])
  expect(stored).toEqual(entries.map(({ first }) => first).filter((first) => first !== 13))
  expect(applier.deadLetter(13)).toEqual({ request: 13, rows: 1, reason: 'bad data' })
  expect(applier.deadLetter(12)).toBeUndefined()
})

it('tells the process that took the requests what became of them', async () => {
  const { applier, told } = createFake([entry(1), entry(2, 'bad'), entry(3)])
  applier.wake()
  await applier.reached(3, 240_000)
  expect(told).toEqual([1, '2: 1 bad data', 2, 3])
})

describe('of one request', () => {
  /** Ten rows, of which some are bad; what becomes of them, and how often it was tried. */
  const apply = async (bad: readonly number[], failure: (row: number) => Error) => {
    const rows = Array.from({ length: 10 }, (_, n) => n + 11)
    const stored: number[] = []
    let tries = 0
    const { applier, aside } = createFake([entry(11, JSON.stringify(rows), 10)], {
      applied: 10,
      apply: (run) => {
        tries++
        const found = run.flatMap(({ body }) => JSON.parse(body.toString()) as number[])
        const wrong = found.find((row) => bad.includes(row))
        if (wrong !== undefined) return Promise.reject(failure(wrong))
        stored.push(...found)
        return Promise.resolve()
      },
    })
    applier.wake()
    expect(await applier.reached(20, 240_000)).toBe(true)
    return { applier, stored, aside, tries }
  }

  it('a bad row is set aside alone, and is counted with the others of its request', async () => {
    const { applier, stored, aside } = await apply([13, 17, 18], (row) => new Error(`${row} is bad`))
    expect(stored).toEqual([11, 12, 14, 15, 16, 19, 20])
    expect(aside).toEqual([13, 17, 18])
    expect(applier.deadLetter(20)).toEqual({ request: 20, rows: 3, reason: '13 is bad' })
  })

  it('no row is tried when none can be stored', async () => {
    const { applier, stored, tries } = await apply([15], () => new Unstorable('request', 'no such schema'))
    expect([stored, tries]).toEqual([[], 1])
    expect(applier.deadLetter(20)).toEqual({ request: 20, rows: 10, reason: 'no such schema' })
  })
})

it('looks for a thousand bad rows of a request one by one, and then gives the rest of it up', async () => {
  const rows = Array.from({ length: 4000 }, (_, n) => n + 1)
  let tries = 0
  const { applier } = createFake([entry(1, JSON.stringify(rows), rows.length)], {
    apply: () => {
      tries++
      return Promise.reject(new Error('bad'))
    },
  })
  applier.wake()
  expect(await applier.reached(4000, 240_000)).toBe(true)
  expect(applier.deadLetter(4000)?.rows).toBe(4000)
  expect(tries).toBeLessThan(2100)
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
  expect(await applier.reached(2, 240_000)).toBe(true)
  expect(stored).toEqual([1, 2])
  expect(aside).toEqual([])
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
  /** A sender that is always ahead; gives the sizes of the runs that were stored. */
  const flood = async (perRun: number, runs: number) => {
    const entries = [entry(1)]
    const sizes: number[] = []
    const { applier } = createFake(entries, {
      apply: async (run) => {
        sizes.push(run.length)
        const { first, count } = entries.at(-1)!
        const next = Array.from({ length: perRun }, (_, at) =>
          entry(first + count + at * 50_000, 'good', 50_000),
        )
        if (sizes.length < runs) entries.push(...next)
        await delay(5)
      },
      log: {
        read: (after) => Promise.resolve(entries.filter((each) => each.first > after)),
        get last() {
          return entries.at(-1)!.first + entries.at(-1)!.count - 1
        },
      },
    })
    applier.wake()
    expect(await applier.reached(1 + 50_000 * perRun * (runs - 1), 240_000)).toBe(true)
    await applier.stop()
    return sizes
  }

  it('takes all that came while it stored, without a rest once much waits', async () => {
    expect(await flood(3, 6)).toEqual([1, 3, 3, 3, 3, 3])
  })

  it('stores as many rows together as take a second', async () => {
    let nowMs = 0
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
    const entries = Array.from({ length: 100_000 }, (_, at) => entry(at + 1))
    const sizes: number[] = []
    const { applier } = createFake(entries, {
      apply: (run) => {
        sizes.push(run.length)
        nowMs += run.length / 10
        return Promise.resolve()
      },
    })
    applier.wake()
    expect(await applier.reached(100_000, 20_000)).toBe(true)
    expect(Math.max(...sizes.slice(1))).toBe(10_000)
    await applier.stop()
  })
})
