import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import type { EngineLink } from '../../src/link/EngineLink.js'
import { EngineView } from '../../src/link/EngineView.js'

/** A view of an engine whose news the test makes up. */
const open = () => {
  const link = Object.assign(new EventEmitter(), { isUp: true, isQuiet: false })
  const clock = { ms: 1000 }
  const view = new EngineView(link as unknown as EngineLink, new Map([[0, 'analytics']]), () => clock.ms)
  return { link, clock, view }
}

it('tells since when a log fails, however often it failed since, and why it did last', () => {
  const { link, clock, view } = open()
  expect(view.failing).toBeUndefined()
  expect(view.isStoring).toBe(true)
  link.emit('storing', 0, 'full')
  clock.ms = 2000
  link.emit('storing', 0, 'still full')
  expect(view.failing).toEqual({ sinceMs: 1000, reason: 'still full' })
  expect(view.isStoring).toBe(false)
  link.emit('storing', 0, null)
  expect(view.failing).toBeUndefined()
})

it('goes on while an engine cannot be started, until rows of that log are stored again', () => {
  const { link, clock, view } = open()
  link.emit('storing', 1, 'full')
  clock.ms = 2000
  view.fail('no start')
  link.emit('storing', 0, null)
  expect(view.failing).toEqual({ sinceMs: 1000, reason: 'full' })
  link.emit('up', { setAside: [], applied: [], storing: [[1, null]] })
  expect(view.failing).toBeUndefined()
})

it('takes an engine that is away or not heard of for one that does not store', () => {
  const { link, view } = open()
  link.isQuiet = true
  expect(view.isStoring).toBe(false)
  Object.assign(link, { isQuiet: false, isUp: false })
  expect(view.isStoring).toBe(false)
})
