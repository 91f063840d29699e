import { expect, it } from 'vitest'
import { toMinutes } from '../src/pages/live/Live'

it('toMinutes gives a place to each of the last minutes, the present one last', () => {
  const lines = toMinutes([['2026-07-01T12:02:00+02:00', 7, 2]], 3, new Date('2026-07-01T10:03:59Z'))
  expect(lines.x.map((time) => new Date(time * 1000).toISOString().slice(11, 16))).toEqual([
    '10:01',
    '10:02',
    '10:03',
  ])
  expect(lines.events).toEqual([0, 7, 0])
  expect(lines.people).toEqual([0, 2, 0])
})
