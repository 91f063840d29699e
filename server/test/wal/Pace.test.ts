import { afterEach, expect, it, vi } from 'vitest'
import { Pace } from '../../src/wal/Pace.js'

afterEach(() => void vi.restoreAllMocks())

/** Pieces of 20,000 rows each; gives how long to rest after one. */
const createFake = ({ waiting = 0 } = {}) => {
  let [nowMs, newest, idleMs] = [0, 0, 0]
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  const pace = new Pace({
    newest: () => newest,
    waiting: () => waiting,
    maxBacklogRows: 1_000_000,
    idleMs: () => idleMs,
  })
  return (tookMs: number, accepted: number, idle = 0) => {
    nowMs += tookMs
    newest += accepted
    idleMs += idle
    const restMs = pace.restMs(20_000)
    nowMs += restMs
    return restMs
  }
}

it('stores 48,000 rows a second while many come and no processor is idle', () => {
  const piece = createFake()
  expect(piece(100, 0)).toBe(0)
  let allMs = 0
  for (let pieces = 0; pieces < 12; pieces++) allMs += 200 + piece(200, 50_000)
  expect(allMs).toBeCloseTo((1000 * 12 * 20_000) / 48_000)
})

it('makes up for a slow piece', () => {
  const piece = createFake()
  piece(100, 0)
  expect(piece(1000, 100_000)).toBe(0)
  expect(piece(200, 50_000)).toBe(0)
  expect(piece(50, 50_000)).toBeCloseTo(0)
  expect(piece(50, 50_000)).toBeCloseTo((1000 * 4 * 20_000) / 48_000 - 1300)
})

it('does not rest while few requests come', () => {
  const piece = createFake()
  piece(100, 0)
  expect(piece(100, 1000)).toBe(0)
})

it('does not rest while a processor is idle', () => {
  const piece = createFake()
  piece(100, 0)
  expect(piece(100, 50_000, 80)).toBe(0)
})

it('does not rest where requests would be refused for it', () => {
  const piece = createFake({ waiting: 600_000 })
  piece(100, 0)
  expect(piece(100, 50_000)).toBe(0)
})
