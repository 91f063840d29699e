import { expect, it } from 'vitest'
import { Logger } from '../../src/Logger.js'
import { Lag, LagLimit } from '../../src/wal/LagLimit.js'

const stepMs = 10
const lookMs = 250

/** An applier and its clients: what comes each second, and what can be stored of it, in rows. */
const createWorld = ({
  bytesOfRow = 400,
  batchMs = 0,
  batchRows = 5000,
  maxLagMs = 3000,
  isTold = true,
} = {}) => {
  let nowMs = 1e6
  let accepted = 0
  let applied = 0
  let isStoring = true
  let [busyUntilMs, restsUntilMs] = [0, 0]
  let [batches, spentMs, tookMs] = [0, 0, 0]
  let batch = 0
  let mostRows = 15_000
  let steps = 0
  const lines: { message: string; refused?: number }[] = []
  const arrivals: { last: number; ms: number }[] = []
  const waits: number[] = []
  let [refused, ofFew, mostWaiting] = [0, 0, 0]
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
    spent: () => (isTold ? { batches, ms: spentMs } : undefined),
    onLook: limit.look,
    now: () => nowMs,
  })

  const store = (perSecond: number) => {
    if (nowMs < busyUntilMs || !isStoring) return
    applied += batch
    if (batch > 0) {
      spentMs += tookMs
      batches++
      if (accepted - applied >= Math.max(2000, batch) / 2) restsUntilMs = nowMs
      batch = 0
    }
    while ((arrivals[0]?.last ?? Infinity) <= applied) waits.push(nowMs - arrivals.shift()!.ms)
    // The applier rests when few rows wait, and fewer than half of a batch have come during it.
    if (nowMs < restsUntilMs && accepted - applied < 10_000) return
    // A batch takes about a second.
    if (accepted - applied > 2000) mostRows = Math.min(2 * mostRows, perSecond)
    batch = Math.min(accepted - applied, mostRows, 122_880)
    tookMs = batchMs + (1000 * (batch + batchRows)) / perSecond
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
      mostWaiting = 0
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
        mostWaiting = Math.max(mostWaiting, accepted - applied)
        store(isStored)
        if (++steps % (lookMs / stepMs) === 0) lag.mark()
      }
      return {
        longestMs: waits.reduce((longest, ms) => Math.max(longest, ms), 0),
        refused,
        ofFew,
        mostWaiting,
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
  expect(later.stored * 20).toBeGreaterThan(0.3 * 30 * isStored)
})

it('refuses nothing of what can be stored', () => {
  const world = createWorld()
  expect(world.run(30, { comes: 1000 }).refused).toBe(0)
  expect(world.run(30, { comes: 15_000 }).refused).toBe(0)
  expect(world.lines).toEqual([])
})

it('refuses nothing of few rows, however long they are held up', () => {
  const world = createWorld()
  world.run(2, { comes: 20 })
  expect(world.run(10, { comes: 20, isStored: 20 }).refused).toBe(0)
  expect(world.run(20, { comes: 20 }).refused).toBe(0)
})

it('keeps to the time when queries take the processors in the middle of it, after a moment', () => {
  const world = createWorld()
  world.run(10, { comes: 60_000 })
  world.run(20, { comes: 60_000, isStored: 8000 })
  expect(world.run(30, { comes: 60_000, isStored: 8000 }).longestMs).toBeLessThanOrEqual(3000)
})

it('counts a row of many kilobytes as many', () => {
  const world = createWorld({ bytesOfRow: 100_000, batchRows: 50 })
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
  const world = createWorld({ batchMs: 1600, batchRows: 0 })
  world.run(20, { comes: 15_000 })
  const stored = [world.run(30, { comes: 15_000 }).stored, world.run(30, { comes: 15_000 }).stored]
  expect(stored.map((requests) => requests * 20 > 30 * 250)).toEqual([true, true])
})

it.each([
  ['one second', 1000],
  ['ten seconds', 10_000],
])('lets as many rows wait as are stored within %s', (_, maxLagMs) => {
  const world = createWorld({ maxLagMs })
  world.run(5, { comes: 20_000 })
  const { mostWaiting } = world.run(5, { comes: 1_000_000 })
  expect(mostWaiting / (40 * maxLagMs)).toBeGreaterThan(0.2)
  expect(mostWaiting / (40 * maxLagMs)).toBeLessThan(0.6)
  expect(world.run(30, { comes: 60_000 }).longestMs).toBeLessThanOrEqual(maxLagMs)
})

it('lets few rows wait until it knows how fast they are stored', () => {
  const longest = [2500, 6000, 12_000].map((isStored) => {
    const world = createWorld({ batchRows: 500 })
    return world.run(20, { comes: 50_000, isStored }).longestMs
  })
  // The first batches here say too much: a batch costs a tenth of what the limit takes it to.
  expect(longest.filter((ms) => ms > 3500)).toEqual([])
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
