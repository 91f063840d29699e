// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createBrowser } from '../src/browser'
import type { PageEvent } from '../src/browser/browser'
import { readTag } from '../src/browser/readTag'

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const page = window as unknown as { waymark?: unknown }

const fire = (event: PageEvent | 'visible') => {
  if (event === 'hidden' || event === 'visible') {
    vi.spyOn(document, 'hidden', 'get').mockReturnValue(event === 'hidden')
    document.dispatchEvent(new Event('visibilitychange'))
  } else {
    const target = event === 'freeze' || event === 'resume' ? document : window
    target.dispatchEvent(new Event(event))
  }
}

describe('createBrowser', () => {
  it.each(['pagehide', 'pageshow', 'hidden', 'freeze', 'resume', 'online'] as const)(
    'hears %s, and nothing else for it, until stopped',
    (event) => {
      const heard: string[] = []
      const stop = createBrowser().on({ [event]: () => heard.push(event) })
      for (const other of [
        'pagehide',
        'pageshow',
        'hidden',
        'visible',
        'freeze',
        'resume',
        'online',
      ] as const) {
        fire(other)
      }
      expect(heard).toEqual([event])
      stop()
      fire(event)
      expect(heard).toHaveLength(1)
    },
  )

  it('lets no error out of a timer, a microtask or a listener', async () => {
    const browser = createBrowser()
    const fail = vi.fn(() => {
      throw new Error('never seen')
    })
    browser.soon(fail)
    browser.after(0, fail)
    const stop = browser.on({ online: fail })
    fire('online')
    await new Promise((resolve) => setTimeout(resolve, 10))
    stop()
    expect(fail).toHaveBeenCalledTimes(3)
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

  it('does not say that it took a beacon where there are none', () => {
    vi.stubGlobal('navigator', {})
    const attempt = { begun: false }
    expect(createBrowser().prepareBeacon('https://api.test', '[]')(attempt)).toBeFalsy()
  })

  it('sends a beacon as JSON', () => {
    const send = vi.spyOn(navigator, 'sendBeacon').mockReturnValue(true)
    const attempt = { begun: false }
    expect(createBrowser().prepareBeacon('https://api.test', '[]')(attempt)).toBe(true)
    expect(attempt.begun).toBe(true)
    expect((send.mock.calls[0]![1] as Blob).type).toBe('application/json')
  })

  it('does without tabs where there is no BroadcastChannel', () => {
    vi.stubGlobal('BroadcastChannel', undefined)
    expect(createBrowser().channel('a', () => {})).toBeUndefined()
  })

  it('notes a refusal where the next page reads it at once, and takes it back', () => {
    createBrowser().noteRefusal('a', true)
    expect([createBrowser().isRefused('a'), createBrowser().isRefused('b')]).toEqual([true, false])
    createBrowser().noteRefusal('a', false)
    expect(createBrowser().isRefused('a')).toBe(false)
    expect(localStorage.length).toBe(0)
  })

  it('knows of no refusal where the page may have no storage', () => {
    vi.stubGlobal('localStorage', undefined)
    const browser = createBrowser()
    expect(() => browser.noteRefusal('a', true)).not.toThrow()
    expect(browser.isRefused('a')).toBeFalsy()
  })

  it('knows an origin, also of a path, and what is none', () => {
    vi.stubGlobal('origin', location.origin)
    const browser = createBrowser()
    expect(browser.originOf('https://api.test/v1')).toBe('https://api.test')
    expect(browser.originOf('/ingest')).toBe(browser.originOf(''))
    expect(browser.originOf('https://')).toBeUndefined()
  })
})

describe('readTag', () => {
  const withTag = (attributes: Record<string, string>) => {
    const script = document.createElement('script')
    for (const [name, value] of Object.entries(attributes)) script.setAttribute(name, value)
    vi.spyOn(document, 'currentScript', 'get').mockReturnValue(script)
    return readTag()
  }

  it('reads the key, the options and the early calls', () => {
    page.waymark = [['track', 'Early']]
    const { apiKey, config, commands } = withTag({
      'data-api-key': 'pk',
      'data-endpoint': 'https://api.test',
      'data-environment': 'staging',
      'data-debug': '',
      'data-config': '{"batch":{"intervalMs":5}}',
    })
    expect(apiKey).toBe('pk')
    expect(config).toEqual({
      endpoint: 'https://api.test',
      environment: 'staging',
      debug: true,
      batch: { intervalMs: 5 },
    })
    expect(commands).toEqual([['track', 'Early']])
  })

  it('says when data-config is not JSON, and goes on without', () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    expect(withTag({ 'data-config': '{oops' }).config).toEqual({})
    expect(warn).toHaveBeenCalledOnce()
  })

  it('publishes the instance under the name of the array', () => {
    const tag = withTag({})
    tag.publish('instance')
    expect(page.waymark).toBe('instance')
  })
})
