// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { pageviews } from '../../src/plugins/pageviews'
import { createHost } from './createHost'

const stops: (() => void)[] = []
beforeEach(() => history.replaceState(null, '', '/start'))
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
  vi.unstubAllGlobals()
})

const begin = (options?: Parameters<typeof pageviews>[0], host = createHost()) => {
  stops.push(host.start(pageviews(options)))
  return host
}
const origin = location.origin

/** A browser with the Navigation API, of which happy-dom has none. */
const stubNavigation = () => {
  const navigation = new EventTarget()
  vi.stubGlobal('navigation', navigation)
  return (navigationType: string) =>
    navigation.dispatchEvent(Object.assign(new Event('currententrychange'), { navigationType }))
}

const restore = (persisted: boolean) => {
  const event = new Event('pageshow')
  Object.assign(event, { persisted })
  window.dispatchEvent(event)
}

describe.each(['history', 'Navigation API'])('pageviews by %s', (api) => {
  let told: (navigationType: string) => void
  beforeEach(() => {
    told = api === 'history' ? () => {} : stubNavigation()
  })
  const push = (path: string) => {
    history.pushState(null, '', path)
    told('push')
  }
  const replace = (path: string) => {
    history.replaceState(null, '', path)
    told('replace')
  }

  it('counts the first page, and every change of the path with the page before as its referrer', () => {
    const { tracked } = begin()
    push('/a?token=1')
    push('/b')
    expect(tracked).toEqual([
      { event: '$pageview', properties: {} },
      { event: '$pageview', properties: { $referer: `${origin}/start` } },
      { event: '$pageview', properties: { $referer: `${origin}/a` } },
    ])
  })

  it('counts neither the same path again nor another query or anchor', () => {
    const { tracked } = begin()
    push('/start')
    push('/start?page=2')
    push('/start#part')
    expect(tracked).toHaveLength(1)
  })

  it('counts another query when it is told to', () => {
    const { tracked } = begin({ query: true })
    push('/start?page=2')
    push('/start?page=2')
    expect(tracked).toHaveLength(2)
  })

  it('counts a route in the fragment', () => {
    const { tracked } = begin()
    push('/start#/notes')
    push('/start#/notes/7')
    expect(tracked).toHaveLength(3)
  })

  it('does not count replaceState, and knows the page for the next one', () => {
    const { tracked } = begin()
    replace('/really')
    push('/next')
    expect(tracked.map(({ properties }) => properties)).toEqual([{}, { $referer: `${origin}/really` }])
  })

  it('counts replaceState when it is told to', () => {
    const { tracked } = begin({ replace: true })
    replace('/really')
    expect(tracked).toHaveLength(2)
  })

  it('counts nothing any more when it is stopped', () => {
    const { tracked } = begin()
    stops.pop()!()
    push('/late')
    restore(true)
    expect(tracked).toHaveLength(1)
  })

  it('does not count a page twice that is mounted twice', () => {
    const host = begin()
    stops.pop()!()
    begin({}, host)
    expect(host.tracked).toHaveLength(1)
    push('/a')
    expect(host.tracked).toHaveLength(2)
  })

  it('counts for each instance', () => {
    const one = begin()
    const other = begin()
    push('/a')
    expect([one.tracked.length, other.tracked.length]).toEqual([2, 2])
  })
})

describe('pageviews', () => {
  it('counts going back, which no wrapper hears', () => {
    const { tracked } = begin()
    history.pushState(null, '', '/a')
    // happy-dom does not go back: this is what a browser does.
    vi.stubGlobal('location', Object.assign(new URL('/start', location.href)))
    window.dispatchEvent(new PopStateEvent('popstate'))
    expect(tracked).toHaveLength(3)
  })

  it('counts a page that is back from the page cache, not one that is loaded', () => {
    const { tracked } = begin()
    restore(false)
    expect(tracked).toHaveLength(1)
    restore(true)
    expect(tracked).toHaveLength(2)
  })

  it('waits for the activation of a prerendered page', () => {
    Object.assign(document, { prerendering: true })
    const { tracked } = begin()
    history.pushState(null, '', '/moved-unseen')
    expect(tracked).toEqual([])
    Object.assign(document, { prerendering: false })
    document.dispatchEvent(new Event('prerenderingchange'))
    expect(tracked).toHaveLength(1)
    history.pushState(null, '', '/seen')
    expect(tracked).toHaveLength(2)
  })

  it('counts nothing of a prerendered page that is never shown, or stopped before', () => {
    Object.assign(document, { prerendering: true })
    const { tracked } = begin()
    stops.pop()!()
    document.dispatchEvent(new Event('prerenderingchange'))
    expect(tracked).toEqual([])
    Object.assign(document, { prerendering: false })
  })

  it('wraps the history once, leaves its results alone, and lets no error into it', () => {
    const host = createHost()
    begin({}, host)
    const wrapped = history.pushState
    begin()
    expect(history.pushState).toBe(wrapped)
    host.host.page = () => {
      throw new Error('never seen')
    }
    expect(() => history.pushState({ kept: 1 }, '', '/a')).not.toThrow()
    expect(history.state).toEqual({ kept: 1 })
    expect(() => history.pushState(null, '', 'https://elsewhere.test/')).toThrow()
  })
})
