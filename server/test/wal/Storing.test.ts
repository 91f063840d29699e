import { expect, it } from 'vitest'
import { Storing } from '../../src/wal/Lag.js'

it('tells since when a log fails, however often it failed since, and why it did last', () => {
  let now = 1000
  const storing = new Storing(() => now)
  expect(storing.failing).toBeUndefined()
  storing.fail(0, 'full')
  now = 2000
  storing.fail(0, 'still full')
  expect(storing.failing).toEqual({ sinceMs: 1000, reason: 'still full' })
  storing.succeed(0)
  expect(storing.failing).toBeUndefined()
})

it('goes on while an engine cannot be started, until rows of that log are stored again', () => {
  let now = 1000
  const storing = new Storing(() => now)
  storing.fail(1, 'full')
  now = 2000
  storing.fail('engine', 'no start')
  storing.succeed(0)
  expect(storing.failing).toEqual({ sinceMs: 1000, reason: 'full' })
  storing.succeed(1)
  expect(storing.failing).toBeUndefined()
})
