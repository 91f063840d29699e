import { expect, it } from 'vitest'
import { Logger } from '../../src/Logger.js'
import { Lag } from '../../src/wal/Lag.js'
import { LagLimit } from '../../src/wal/LagLimit.js'

const stepMs = 10
const lookMs = 250

/** An applier and its clients: what comes each second, and what can be stored of it, in rows. */
const createWorld = ({ bytesOfRow = 400, batchMs = 0, maxLagMs = 3000, isTold = true } = {}) => {
  let nowMs = 1e6
  let accepted = 0
  let applied = 0
  let isStoring = true
  let [busyUntilMs, restsUntilMs] = [0, 0]
  let [storingMs, tookMs] = [0, 0]
  let batch = 0
  let mostRows = 15_000
  let steps = 0
  const lines: { message: string; refused?: number }[] = []
  const arrivals: { last: number; ms: number }[] = []
  const waits: number[] = []
  let [refused, ofFew] = [0, 0]
  const limit = new LagLimit({
    maxLagMs,
    backlog: () => ({ rows: accepted - applied, bytes: (accepted - applied) * bytesOfRow }),
    isStoring: () => isStoring,
    logger: new Logger('info', (line) => lines.push(JSON.parse(line))),
    now: () => nowMs,
  })
  const lag = new Lag({
    last: () => accepted,
    applied: () => applied,
    storingMs: () => (isTold ? storingMs : undefined),
    onLook: limit.look,
    now: () => nowMs,
  })

  const store = (perSecond: number) => {
    if (nowMs < busyUntilMs || !isStoring) return
    applied += batch
    if (batch > 0) {
      storingMs += tookMs
      if (accepted - applied >= Math.max(2000, batch) / 2) restsUntilMs = nowMs
      batch = 0
    }
    while ((arrivals[0]?.last ?? Infinity) <= applied) waits.push(nowMs - arrivals.shift()!.ms)
    // The applier rests when few rows wait, and fewer than half of a batch have come during it.
    if (nowMs < restsUntilMs && accepted - applied < 10_000) return
    // A batch takes about a second.
    if (accepted - applied > 2000) mostRows = Math.min(2 * mostRows, perSecond)
    batch = Math.min(accepted - applied, mostRows, 122_880)
    tookMs = batchMs + (1000 * batch) / perSecond
    busyUntilMs = nowMs + tookMs
    restsUntilMs = nowMs + Math.max(tookMs, Math.min(4 * tookMs, 1000))
  }

  return {
    lines,
    run(seconds: number, { comes = 0, isStored = 40_000, isAway = false }) {
      isStoring = !isAway
      waits.length = 0
      refused = 0
      ofFew = 0
      const perStep = (comes * stepMs) / 1000
      for (let at = 0; at < (seconds * 1000) / stepMs; at++) {
        nowMs += stepMs
        for (let rows = 0; rows < perStep; rows += Math.min(20, perStep)) {
          if (limit.isReached('many')) refused++
          else {
            arrivals.push({ last: (accepted += Math.min(20, perStep)), ms: nowMs })
            limit.note('many', Math.min(20, perStep))
          }
        }
        if (at % 10 === 0 && !limit.isReached('few')) {
          accepted++
          ofFew++
          limit.note('few', 1)
        }
        store(isStored)
        if (++steps % (lookMs / stepMs) === 0) lag.mark()
      }
      return {
        longestMs: waits.reduce((longest, ms) => Math.max(longest, ms), 0),
        refused,
        ofFew,
        stored: waits.length,
      }
    },
  }
}

it.each([
  ['far more than can be stored', 150_000, 40_000],
  ['a little more than can be stored', 45_000, 40_000],
  ['much on a fast machine', 300_000, 130_000],
  ['more than is stored beside queries', 20_000, 6000],
  ['more than a process elsewhere stores', 90_000, 40_000, false],
])('stores each row in time while clients send %s', (_, comes, isStored, isTold = true) => {
  const world = createWorld({ isTold })
  world.run(3, { comes: 1000, isStored })
  const first = world.run(10, { comes, isStored })
  const later = world.run(30, { comes, isStored })
  expect(later.refused).toBeGreaterThan(0)
  expect([first.longestMs, later.longestMs].map((ms) => ms <= 3000)).toEqual([true, true])
  // What can be stored is also taken.
  expect(later.stored * 20).toBeGreaterThan(0.75 * 30 * isStored)
})

it('refuses nothing of what can be stored', () => {
  const world = createWorld()
  expect(world.run(30, { comes: 1000 }).refused).toBe(0)
  expect(world.run(30, { comes: 15_000 }).refused).toBe(0)
  expect(world.lines).toEqual([])
})

it('refuses nothing of few rows, however long they are held up', () => {
  const world = createWorld()
  world.run(2, { comes: 50 })
  expect(world.run(10, { comes: 50, isStored: 20 }).refused).toBe(0)
  expect(world.run(20, { comes: 50 }).refused).toBe(0)
})

it('keeps to the time when queries take the processors in the middle of it, after a moment', () => {
  const world = createWorld()
  world.run(10, { comes: 60_000 })
  world.run(10, { comes: 60_000, isStored: 8000 })
  expect(world.run(30, { comes: 60_000, isStored: 8000 }).longestMs).toBeLessThanOrEqual(3000)
})

it('counts a row of many kilobytes as many', () => {
  const world = createWorld({ bytesOfRow: 100_000 })
  world.run(5, { comes: 3000, isStored: 200 })
  expect(world.run(20, { comes: 3000, isStored: 200 }).longestMs).toBeLessThanOrEqual(3000)
})

it('takes rows while there is no engine, and then refuses none of what can be stored', () => {
  const world = createWorld()
  world.run(5, { comes: 10_000 })
  expect(world.run(60, { comes: 10_000, isAway: true }).refused).toBe(0)
  expect(world.run(60, { comes: 10_000 }).refused).toBe(0)
  expect(world.run(10, { comes: 10_000 }).longestMs).toBeLessThanOrEqual(3000)
})

it('falls no further behind after a time without an engine', () => {
  const world = createWorld()
  world.run(20, { comes: 30_000, isAway: true })
  world.run(120, { comes: 90_000 })
  expect(world.run(10, { comes: 90_000 }).longestMs).toBeLessThanOrEqual(3000)
})

it('logs once that rows are late, and once that they are no longer', () => {
  const world = createWorld()
  world.run(20, { comes: 90_000 })
  world.run(20, { comes: 90_000 })
  expect(world.lines).toMatchObject([{ level: 'warn', rows: expect.any(Number), storing: true }])
  world.run(20, { comes: 1000 })
  expect(world.lines).toMatchObject([{}, { level: 'warn', refused: expect.any(Number) }])
  world.run(10, { comes: 10, isAway: true })
  expect(world.lines.slice(2)).toMatchObject([{ level: 'warn', storing: false }])
})

it('refuses first who sends most', () => {
  const world = createWorld()
  world.run(3, { comes: 1000 })
  const { refused, ofFew } = world.run(30, { comes: 90_000 })
  expect(refused).toBeGreaterThan(0)
  expect(ofFew).toBe(300)
})

it('takes no ever fewer rows where a batch costs more time than there is', () => {
  const world = createWorld({ batchMs: 1600 })
  world.run(20, { comes: 15_000 })
  const stored = [world.run(30, { comes: 15_000 }).stored, world.run(30, { comes: 15_000 }).stored]
  expect(stored.map((requests) => requests * 20 > 30 * 500)).toEqual([true, true])
})

it.each([
  ['one second', 1000],
  ['ten seconds', 10_000],
])('lets as many rows wait as are stored within %s', (_, maxLagMs) => {
  const world = createWorld({ maxLagMs })
  world.run(5, { comes: 5000 })
  const inMs = world.run(1, { comes: 1_000_000 })
  const rows = (1_000_000 / 20 - inMs.refused) * 20
  expect(rows / (40 * maxLagMs)).toBeGreaterThan(0.4)
  expect(rows / (40 * maxLagMs)).toBeLessThan(1.5)
  expect(world.run(30, { comes: 60_000 }).longestMs).toBeLessThanOrEqual(maxLagMs)
})

it('lets few rows wait until it knows how fast they are stored', () => {
  for (const isStored of [800, 3000]) {
    const world = createWorld()
    expect(world.run(20, { comes: 50_000, isStored }).longestMs).toBeLessThanOrEqual(3000)
  }
})

it('keeps to the time from the first row on when queries take a third of the rate in the middle of it', () => {
  const world = createWorld()
  world.run(10, { comes: 60_000 })
  expect(world.run(20, { comes: 60_000, isStored: 27_000 }).longestMs).toBeLessThanOrEqual(3000)
})

it('refuses those who send most once a row is too old, however few wait', () => {
  const world = createWorld()
  world.run(10, { comes: 30_000 })
  world.run(1, { comes: 0 })
  const { refused, ofFew } = world.run(12, { comes: 1000, isStored: 100 })
  // Ten rows come at once. Of twelve thousand those of some three seconds are taken.
  expect(12_000 - 10 * refused).toBeLessThan(6000)
  expect(ofFew).toBe(120)
})
