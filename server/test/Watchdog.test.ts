import { EventEmitter, once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { Cancellation } from '../src/sql/Cancellation.js'
import { Watchdog } from '../src/Watchdog.js'

/** Nothing runs in this process meanwhile, as while it is stopped. */
const standStill = (ms: number) => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

it('tells of silence once, and only while something is expected', async () => {
  const news = new EventEmitter()
  const told = vi.fn(() => news.emit('told'))
  const watchdog = new Watchdog(100, told)
  watchdog.heard()
  watchdog.stop()
  await delay(300)
  expect(told).not.toHaveBeenCalled()
  const silent = once(news, 'told')
  watchdog.heard()
  await silent
  await delay(300)
  expect(told).toHaveBeenCalledOnce()
})

it('does not count the time in which this process stood still', async () => {
  const told = vi.fn()
  const watchdog = new Watchdog(2000, told)
  watchdog.heard()
  standStill(2500)
  // What it watches over may have stood still with it, and needs a moment as well.
  await delay(200)
  expect(told).not.toHaveBeenCalled()
  watchdog.stop()
})

it('a statement that was cancelled before this process stood still is not stuck', async () => {
  const stuck = vi.fn()
  const cancellation = new Cancellation(1000, stuck)
  const release = cancellation.guard({ interrupt: () => undefined })
  cancellation.cancel('timeout')
  standStill(1500)
  await delay(100)
  release()
  expect(stuck).not.toHaveBeenCalled()
})
