import { expect, it } from 'vitest'
import { boundsSeconds, RouteMeter } from '../../src/http/Listener.js'

it('puts each answer below the first bound that is not less, and the slowest behind all', () => {
  const meter = new RouteMeter()
  for (const [status, seconds] of [
    [200, 0],
    [200, 0.001],
    [503, 0.0011],
    [200, 60],
    [200, 61],
  ] as const) {
    meter.note(status, seconds)
  }
  const counts = new Map<number, number>([
    [0.001, 2],
    [0.0025, 1],
    [60, 1],
  ])
  const expected = boundsSeconds.map((bound) => counts.get(bound) ?? 0)
  expect([...meter.buckets]).toEqual([...expected, 1])
  expect([...meter.byStatus]).toEqual([
    [200, 4],
    [503, 1],
  ])
  expect(meter.seconds).toBeCloseTo(121.0021)
})
