import { expect, it } from 'vitest'
import { marksByPlace } from '../src/parts/marks'

const mark = (time: number) => ({ time, text: `at ${time}` })

it('gives a mark to the place in which it happened', () => {
  const places = marksByPlace([mark(25), mark(39), mark(10), mark(20), mark(9)], [10, 20, 30])
  expect([...places]).toEqual([
    [0, [mark(10)]],
    [1, [mark(20), mark(25)]],
    [2, [mark(39)]],
  ])
})
