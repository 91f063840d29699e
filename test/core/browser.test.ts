// @vitest-environment happy-dom
import { IDBFactory } from 'fake-indexeddb'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createBrowser, type Send } from '../../src/core/browser'

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const heard = ['pagehide', 'pageshow', 'visibilitychange', 'freeze', 'resume', 'online', 'offline'] as const

const fire = (event: (typeof heard)[number]) => {
  const isOfDocument = event === 'visibilitychange' || event === 'freeze' || event === 'resume'
  const target = isOfDocument ? document : window
  target.dispatchEvent(new Event(event))
}

describe('createBrowser', () => {
  it.each(heard)('hears %s, and nothing else for it, until stopped', (event) => {
    const fn = vi.fn()
    const stop = createBrowser().on({ [event]: fn })
    heard.forEach(fire)
    expect(fn.mock.calls.map(([{ type }]) => type)).toEqual([event])
    stop()
    fire(event)
    expect(fn).toHaveBeenCalledTimes(1)
  })

  it('calls what hears an event with nothing before its first statement', () => {
    const add = vi.spyOn(globalThis, 'addEventListener')
    const pagehide = () => {}
    createBrowser().on({ pagehide })()
    expect(add.mock.calls.map(([event, fn]) => [event, fn === pagehide])).toEqual([['pagehide', true]])
  })

  it('hears of a page that goes before the page’s own listeners do', () => {
    const order: string[] = []
    const own = () => order.push('own')
    document.addEventListener('visibilitychange', own)
    const stop = createBrowser().on({ visibilitychange: () => order.push('waymark') })
    fire('visibilitychange')
    stop()
    document.removeEventListener('visibilitychange', own)
    expect(order).toEqual(['waymark', 'own'])
  })

  it('lets no error out of a timer, a microtask or a message', async () => {
    const browser = createBrowser()
    const told = vi.spyOn(console, 'debug').mockReturnValue()
    const fail = vi.fn(() => {
      throw new Error('never seen')
    })
    browser.soon(fail)
    browser.after(0, fail)
    const [one, two] = [browser.channel('a', fail)!, browser.channel('a', fail)!]
    one.postMessage('hello')
    await vi.waitFor(() => expect(fail).toHaveBeenCalledTimes(3))
    one.close()
    two.close()
    expect(told.mock.calls.map(([text]) => text)).toEqual(Array(3).fill('[waymark] internal'))
  })

  it('cancels a timer', async () => {
    const fn = vi.fn()
    createBrowser().after(0, fn)()
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect(fn).not.toHaveBeenCalled()
  })

  it('waits for ever with a timer that is longer than browsers have', async () => {
    const fn = vi.fn()
    const stop = createBrowser().after(Infinity, fn)
    await new Promise((resolve) => setTimeout(resolve, 30))
    stop()
    expect(fn).not.toHaveBeenCalled()
  })

  it('reads the URL anew at every call, and the viewport when it has changed', () => {
    const browser = createBrowser()
    const width = vi.spyOn(window, 'innerWidth', 'get').mockReturnValue(500)
    // All of a page share what was read of it, also the tests before this one.
    window.dispatchEvent(new Event('resize'))
    history.pushState({}, '', '/one')
    expect(browser.page()).toMatchObject({
      url: expect.stringMatching(/\/one$/),
      viewport: `500x${innerHeight}`,
    })
    history.pushState({}, '', '/two')
    expect(browser.page()).toMatchObject({
      url: expect.stringMatching(/\/two$/),
      viewport: `500x${innerHeight}`,
    })
    expect(width).toHaveBeenCalledTimes(1)
    width.mockReturnValue(600)
    window.dispatchEvent(new Event('resize'))
    expect(browser.page().viewport).toBe(`600x${innerHeight}`)
  })

  it('asks for the time zone once, and not before it is wanted', () => {
    const format = vi.fn(() => ({ resolvedOptions: () => ({ timeZone: 'Europe/Rome' }) }))
    vi.stubGlobal('Intl', { DateTimeFormat: format })
    const browser = createBrowser()
    expect(format).not.toHaveBeenCalled()
    expect([browser.timeZone(), browser.timeZone()]).toEqual(['Europe/Rome', 'Europe/Rome'])
    expect(format).toHaveBeenCalledTimes(1)
  })

  it('has no time zone where Intl throws', () => {
    const throwing = () => {
      throw new RangeError('no such locale')
    }
    vi.stubGlobal('Intl', { DateTimeFormat: throwing })
    expect(createBrowser().timeZone()).toBeUndefined()
  })

  it('does not say that it took a beacon where there are none', () => {
    vi.stubGlobal('navigator', {})
    const attempt = { begun: false }
    expect(createBrowser().prepareBeacon('https://api.test', { body: '[]' })(attempt)).toBeFalsy()
  })

  it('does not say that it took a beacon where another script throws in its place, or says nothing', () => {
    const attempt = { begun: false }
    const send = () => createBrowser().prepareBeacon('https://api.test', { body: '[]' })(attempt)
    const beacon = vi.spyOn(navigator, 'sendBeacon').mockImplementation(() => {
      throw new Error('no')
    })
    expect(send()).toBe(false)
    beacon.mockReturnValue(undefined as never)
    expect(send()).toBe(false)
  })

  it('gives the time as a number, also where the page has made a date of it', () => {
    vi.spyOn(Date, 'now').mockReturnValue(new Date() as never)
    expect(typeof createBrowser().now()).toBe('number')
  })

  it('reads from the document what an image or a form of the page hides by its name', () => {
    for (const name of ['hidden', 'referrer', 'URL'])
      Object.defineProperty(document, name, { value: document.createElement('img'), configurable: true })
    const browser = createBrowser()
    expect([browser.hidden(), browser.page().url]).toEqual([false, location.href])
    for (const name of ['hidden', 'referrer', 'URL']) Reflect.deleteProperty(document, name)
  })

  it('sends a beacon as JSON', () => {
    const send = vi.spyOn(navigator, 'sendBeacon').mockReturnValue(true)
    const attempt = { begun: false }
    expect(createBrowser().prepareBeacon('https://api.test', { body: '[]' })(attempt)).toBe(true)
    expect(attempt.begun).toBe(true)
    expect((send.mock.calls[0]![1] as Blob).type).toBe('application/json')
  })

  it('does without tabs where there is no BroadcastChannel', () => {
    vi.stubGlobal('BroadcastChannel', undefined)
    expect(createBrowser().channel('a', () => {})).toBeUndefined()
  })

  it('notes text where the next page reads it at once, and forgets it', () => {
    createBrowser().writeNote('a', 'text')
    expect([createBrowser().readNote('a'), createBrowser().readNote('b')]).toEqual(['text', ''])
    createBrowser().writeNote('a', '')
    expect(createBrowser().readNote('a')).toBe('')
    expect(localStorage.length).toBe(0)
  })

  it('does without notes where the page may have no storage', () => {
    vi.stubGlobal('localStorage', undefined)
    const browser = createBrowser()
    expect(() => browser.writeNote('a', 'text')).not.toThrow()
    expect(browser.readNote('a')).toBe('')
  })

  it('says whether there is a database, and makes none; there may be one where the browser does not say', async () => {
    const indexedDB = new IDBFactory()
    vi.stubGlobal('indexedDB', indexedDB)
    const { hasDatabase } = createBrowser()
    expect(await hasDatabase('a')).toBe(false)
    expect(await indexedDB.databases()).toEqual([])
    await new Promise((resolve) => (indexedDB.open('a').onsuccess = resolve))
    expect([await hasDatabase('a'), await hasDatabase('b')]).toEqual([true, false])
    vi.stubGlobal('indexedDB', {})
    expect(await hasDatabase('b')).toBe(true)
  })

  it('is no page where the browser is older than the README says', () => {
    expect(createBrowser().isPage).toBe(true)
    const { at } = Array.prototype
    Reflect.deleteProperty(Array.prototype, 'at')
    const { isPage } = createBrowser()
    Reflect.defineProperty(Array.prototype, 'at', { value: at, writable: true, configurable: true })
    expect(isPage).toBe(false)
  })

  it('takes a path for one of the page’s own address, wherever that has put its base', () => {
    const base = vi.spyOn(document, 'baseURI', 'get').mockReturnValue('https://cdn.test/app/')
    vi.stubGlobal('location', new URL('https://shop.test/maps/elderwood'))
    const browser = createBrowser()
    expect(browser.fullUrl('/w')).toBe('https://shop.test/w')
    expect(browser.fullUrl('https://api.test/v1')).toBe('https://api.test/v1')
    expect(browser.fullUrl('https://')).toBeUndefined()
    // A frame without an address of its own has that of its parent.
    vi.stubGlobal('location', new URL('about:srcdoc'))
    base.mockReturnValue('https://shop.test/maps/')
    expect(browser.fullUrl('/w')).toBe('https://shop.test/w')
    expect(browser.fullUrl('https://api.test/v1')).toBe('https://api.test/v1')
  })

  it('takes a path for one of the address that a worker made of text was made at', () => {
    vi.stubGlobal('document', undefined)
    vi.stubGlobal('location', new URL('blob:https://shop.test/0b5f4b5a'))
    expect(createBrowser().fullUrl('/w')).toBe('https://shop.test/w')
  })
})

describe('keepsAlive', () => {
  class Request {
    keepalive = false
  }
  const known = { prototype: new Request() }
  it.each([
    ['a browser that knows it', known, Math.max, true],
    ['one that does not (Firefox before 133)', { prototype: {} }, Math.max, false],
    ['a page in which another script has replaced fetch', known, async () => {}, false],
  ])('in %s', (_, request, fetch, expected) => {
    vi.stubGlobal('Request', request)
    vi.stubGlobal('fetch', fetch)
    expect(createBrowser().keepsAlive()).toBe(expected)
  })
})

describe('prepareFetch', () => {
  const request = { method: 'POST', body: '[]', keepalive: true }

  /** What took a request: the browser's `fetch`, its `fetchLater`, or a `fetch` of the page's own. */
  const send = (isBehindWorker: boolean, by?: () => Promise<Response>) => {
    const calls: [by: string, url: string, init: RequestInit][] = []
    const record = (name: string, result: () => unknown) => (url: string, init: RequestInit) => {
      calls.push([name, url, init])
      return result()
    }
    vi.stubGlobal(
      'fetch',
      record('fetch', () => Promise.reject(new TypeError('Failed to fetch'))),
    )
    vi.stubGlobal(
      'fetchLater',
      record('fetchLater', () => ({ activated: false })),
    )
    vi.stubGlobal('navigator', { serviceWorker: isBehindWorker ? { controller: {} } : undefined })
    const attempt: Parameters<Send>[0] = { begun: false }
    const isTaken = createBrowser().prepareFetch('https://api.test', request, by)(attempt)
    return { calls, attempt, isTaken }
  }

  it('sends as it was given, when nothing stands between the page and the network', () => {
    const { calls, attempt, isTaken } = send(false)
    expect(calls).toEqual([['fetch', 'https://api.test', request]])
    expect([attempt.begun, attempt.isDeferred, isTaken]).toEqual([true, false, true])
  })

  it('defers behind a service worker, for the browser to send when the page is gone', () => {
    const { calls, attempt, isTaken } = send(true)
    expect(calls).toEqual([['fetchLater', 'https://api.test', { ...request, activateAfter: 0 }]])
    expect([attempt.begun, attempt.isDeferred, isTaken]).toEqual([true, true, true])
  })

  it('uses the page’s own fetch before everything else, and says when it throws', () => {
    const own = vi.fn(() => Promise.reject(new Error('no')))
    expect(send(true, own).calls).toEqual([])
    expect(own).toHaveBeenCalledTimes(1)
    const { isTaken, attempt } = send(true, () => {
      throw new Error('no')
    })
    expect([attempt.begun, attempt.isDeferred, isTaken]).toEqual([true, false, false])
  })

  it('sends by fetch behind a service worker where there is no fetchLater', () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
    vi.stubGlobal('navigator', { serviceWorker: { controller: {} } })
    const browser = createBrowser()
    expect(browser.hasWorker()).toBe(true)
    const attempt: Parameters<Send>[0] = { begun: false }
    expect(browser.prepareFetch('https://api.test', request)(attempt)).toBe(true)
    expect(attempt.isDeferred).toBe(false)
  })

  it('says that nothing was taken when there is too much to defer', () => {
    vi.stubGlobal('fetchLater', () => {
      throw new DOMException('too much', 'QuotaExceededError')
    })
    vi.stubGlobal('navigator', { serviceWorker: { controller: {} } })
    const browser = createBrowser()
    expect(browser.hasWorker()).toBe(true)
    expect(browser.prepareFetch('https://api.test', request)({ begun: false })).toBe(false)
  })
})

describe('defer', () => {
  const request = { method: 'POST', body: '[]' }

  it('leaves a request to the browser for so long, and takes it back', () => {
    const fetchLater = vi.fn((_url: string, _init: RequestInit) => ({ activated: false }))
    vi.stubGlobal('fetchLater', fetchLater)
    const stop = createBrowser().defer('https://api.test', request, 5000)
    const [url, init] = fetchLater.mock.calls[0]!
    expect([url, init]).toEqual([
      'https://api.test',
      { ...request, activateAfter: 5000, signal: expect.any(AbortSignal) },
    ])
    expect(init.signal!.aborted).toBe(false)
    stop()
    expect(init.signal!.aborted).toBe(true)
    expect(fetchLater).toHaveBeenCalledTimes(1)
  })

  it.each([
    ['there is no fetchLater', undefined],
    [
      'there is no room for it',
      () => {
        throw new DOMException('too much', 'QuotaExceededError')
      },
    ],
  ])('does nothing where %s', (_, fetchLater) => {
    vi.stubGlobal('fetchLater', fetchLater)
    const stop = createBrowser().defer('https://api.test', request, 5000)
    expect(stop).not.toThrow()
  })
})
