import { beforeEach, expect, it } from 'vitest'
import { Lag } from '../../src/wal/LagLimit.js'

let now: number
let last: number
let applied: number
let lag: Lag
beforeEach(() => {
  now = 5_000_000
  last = 100
  applied = 100
  lag = new Lag({ last: () => last, applied: () => applied, now: () => now })
})
const pass = (seconds: number) => {
  for (let at = 0; at < seconds; at++) {
    now += 1000
    lag.mark()
  }
}

it('is nothing while all rows are stored, however long that was', () => {
  pass(30)
  expect(lag.seconds).toBe(0)
})

it('is the time that the oldest row waits, and shrinks as rows are stored', () => {
  last = 200
  pass(3)
  last = 300
  pass(4)
  expect(lag.seconds).toBe(6)
  applied = 200
  expect(lag.seconds).toBe(3)
  applied = 250
  expect(lag.seconds).toBe(3)
  applied = 300
  expect(lag.seconds).toBe(0)
})

it('begins with the service for what an earlier one has left', () => {
  applied = 40
  lag = new Lag({ last: () => last, applied: () => applied, now: () => now })
  pass(2)
  expect(lag.seconds).toBe(2)
})

it('is known to the second after a day without an engine', () => {
  for (let at = 0; at < 86_400; at++) {
    last++
    pass(1)
  }
  expect(lag.seconds).toBe(86_399)
})

it('tells with each mark how many rows were stored, and for how long', () => {
  const told: unknown[] = []
  let spent = { batches: 3, ms: 700 }
  const onLook = (stored: unknown) => told.push(stored)
  const counts = { last: () => last, applied: () => applied, spent: () => spent }
  lag = new Lag({ ...counts, onLook, now: () => now })
  last = 200
  pass(2)
  applied = 180
  spent = { batches: 5, ms: 750 }
  pass(2)
  expect(told).toEqual([undefined, undefined, undefined, { rows: 80, batches: 2, tookMs: 50 }, undefined])
})

it('takes rows to be stored as long as they wait, where nobody tells for how long', () => {
  const told: unknown[] = []
  const onLook = (stored: unknown) => told.push(stored)
  lag = new Lag({ last: () => last, applied: () => applied, onLook, now: () => now })
  pass(5)
  last = 200
  pass(3)
  applied = 200
  pass(5)
  expect(told.filter((each) => each !== undefined)).toEqual([{ rows: 100, batches: 1, tookMs: 3000 }])
})
