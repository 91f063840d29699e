// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { engagement, type EngagementOptions } from '../../src/plugins/engagement'
import { createHost } from './createHost'

let nowMs = 1000
let stop = () => {}

beforeEach(() => {
  history.replaceState(null, '', '/start')
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  vi.spyOn(document.documentElement, 'scrollHeight', 'get').mockReturnValue(4 * innerHeight)
  vi.stubGlobal('scrollY', 0)
})
afterEach(() => {
  stop()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const begin = (options?: EngagementOptions) => {
  const host = createHost()
  stop = host.start(engagement(options))
  return host.tracked
}
const turn = (state: 'visible' | 'hidden') => {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(state)
  document.dispatchEvent(new Event('visibilitychange'))
}
const scrollTo = (y: number) => {
  vi.stubGlobal('scrollY', y)
  document.dispatchEvent(new Event('scroll'))
}
const times = (tracked: ReturnType<typeof begin>) => tracked.map(({ properties }) => properties['visible_ms'])

describe('engagement', () => {
  it('records how long the page was visible, and how far down it was seen, when it is hidden', () => {
    const tracked = begin()
    nowMs += 3000
    scrollTo(2 * innerHeight)
    scrollTo(0)
    nowMs += 2000
    turn('hidden')
    expect(tracked).toEqual([
      {
        event: 'Page Engaged',
        properties: { $url: `${location.origin}/start`, visible_ms: 5000, scroll_percent: 75 },
      },
    ])
  })

  it('does not count the time while it is hidden, and adds up over the visits of a tab', () => {
    const tracked = begin()
    nowMs += 1000
    turn('hidden')
    nowMs += 60_000
    turn('visible')
    nowMs += 500
    turn('hidden')
    expect(times(tracked)).toEqual([1000, 500])
  })

  it('counts nothing twice when a page goes, and nothing of its time in the page cache', () => {
    const tracked = begin()
    nowMs += 1000
    window.dispatchEvent(new Event('pagehide'))
    turn('hidden')
    nowMs += 60_000
    window.dispatchEvent(new Event('pageshow'))
    turn('visible')
    nowMs += 700
    window.dispatchEvent(new Event('pagehide'))
    expect(times(tracked)).toEqual([1000, 700])
  })

  it('does not count the page cache where nothing says hidden', () => {
    const tracked = begin()
    window.dispatchEvent(new Event('pagehide'))
    nowMs += 60_000
    window.dispatchEvent(new Event('pageshow'))
    nowMs += 700
    turn('hidden')
    expect(times(tracked)).toEqual([700])
  })

  it('belongs to the page that was seen, when the path changes', () => {
    const tracked = begin()
    scrollTo(innerHeight)
    nowMs += 1000
    history.pushState(null, '', '/next?q=1')
    vi.stubGlobal('scrollY', 0)
    nowMs += 200
    turn('hidden')
    expect(tracked.map(({ properties }) => properties)).toEqual([
      { $url: `${location.origin}/start`, visible_ms: 1000, scroll_percent: 50 },
      { $url: `${location.origin}/next`, visible_ms: 200, scroll_percent: 25 },
    ])
  })

  it('records what has gathered while the page is used, so that a kill costs no more', () => {
    const tracked = begin({ everyMs: 10_000 })
    nowMs += 9000
    scrollTo(10)
    expect(tracked).toEqual([])
    nowMs += 2000
    document.dispatchEvent(new Event('keydown'))
    expect(times(tracked)).toEqual([11_000])
  })

  it('sets no timer', () => {
    const timers = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'setInterval')]
    begin()
    scrollTo(10)
    turn('hidden')
    for (const timer of timers) expect(timer).not.toHaveBeenCalled()
  })

  it('counts nothing of a tab that was opened in the background, or only passed', () => {
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    const tracked = begin()
    nowMs += 60_000
    turn('visible')
    nowMs += 50
    turn('hidden')
    expect(tracked).toEqual([])
  })
})
