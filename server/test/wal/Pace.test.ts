import { afterEach, expect, it, vi } from 'vitest'
import { Pace } from '../../src/wal/Pace.js'

afterEach(() => void vi.restoreAllMocks())

/** On two processors, pieces of 20,000 rows each; gives how long to pause after one. */
const createFake = ({ waiting = 0 } = {}) => {
  let [nowMs, newest, idleMs, usedMs] = [0, 0, 0, 0]
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  const pace = new Pace({
    newest: () => newest,
    waiting: () => waiting,
    maxBacklogRows: 1_000_000,
    idleMs: () => idleMs,
    usedMs: () => usedMs,
    processors: 2,
  })
  return ({ tookMs = 200, cpuMs = 200, accepted = 50_000, idle = 0 }) => {
    nowMs += tookMs
    usedMs += cpuMs
    newest += accepted
    idleMs += idle
    const pauseMs = pace.pauseMs(20_000)
    nowMs += pauseMs
    return pauseMs
  }
}

it('uses its share of all processors while many rows come and no processor is idle', () => {
  const piece = createFake()
  expect(piece({ accepted: 0 })).toBe(0)
  let allMs = 0
  for (let pieces = 0; pieces < 12; pieces++) allMs += 100 + piece({ tookMs: 100, cpuMs: 150 })
  expect((12 * 150) / (2 * allMs)).toBeCloseTo(0.18)
})

it('makes up for a piece that others held up', () => {
  const piece = createFake()
  piece({ accepted: 0 })
  expect(piece({ tookMs: 1000, cpuMs: 70 })).toBe(0)
  expect(piece({ tookMs: 100, cpuMs: 70 })).toBe(0)
  expect(piece({ tookMs: 0, cpuMs: 500 })).toBeCloseTo((70 + 70 + 500) / 0.36 - 1100)
})

it('does not pause while few rows come', () => {
  const piece = createFake()
  piece({ accepted: 0 })
  expect(piece({ tookMs: 100, accepted: 1000 })).toBe(0)
})

it('does not pause while a processor is idle', () => {
  const piece = createFake()
  piece({ accepted: 0 })
  expect(piece({ tookMs: 100, idle: 80 })).toBe(0)
})

it('does not pause where requests would be refused for it', () => {
  const piece = createFake({ waiting: 600_000 })
  piece({ accepted: 0 })
  expect(piece({})).toBe(0)
})
