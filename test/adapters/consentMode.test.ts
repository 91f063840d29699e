// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { consentMode } from '../../src/adapters/consentMode'
import { createWorld } from '../world/createWorld'

interface Page {
  dataLayer?: unknown[]
  __tcfapi?: unknown
}
const page = window as Page
const setConsent = vi.fn<(state: string) => void>()
const said = () => setConsent.mock.calls.map(([state]) => state)

/** Google's snippet pushes its `arguments`: they have a length, and are no array. */
const gtag = (...entry: unknown[]) =>
  void (page.dataLayer ||= []).push(Object.assign({ length: entry.length }, entry))

beforeEach(() => {
  delete page.dataLayer
  delete page.__tcfapi
  setConsent.mockReset()
})
afterEach(() => vi.unstubAllGlobals())

describe('consentMode, with Google Consent Mode', () => {
  it('says nothing for a default, because it is no choice', () => {
    gtag('consent', 'default', { analytics_storage: 'denied' })
    consentMode({ setConsent })
    gtag('consent', 'default', { analytics_storage: 'granted' })
    expect(said()).toEqual([])
  })

  it('takes an update that was there before it', () => {
    gtag('consent', 'default', { analytics_storage: 'denied' })
    gtag('consent', 'update', { analytics_storage: 'granted' })
    consentMode({ setConsent })
    expect(said()).toEqual(['granted'])
  })

  it('takes later updates, each change once', () => {
    consentMode({ setConsent })
    gtag('consent', 'update', { analytics_storage: 'granted' })
    gtag('consent', 'update', { analytics_storage: 'granted' })
    gtag('consent', 'update', { analytics_storage: 'denied' })
    expect(said()).toEqual(['granted', 'denied'])
  })

  it('takes no update that is about advertising alone, and no other entry', () => {
    page.dataLayer = [null, { event: 'gtm.js' }, 'text', () => {}]
    consentMode({ setConsent })
    gtag('consent', 'update', { ad_storage: 'granted' })
    gtag('event', 'update', { analytics_storage: 'granted' })
    gtag('consent', 'update')
    expect(said()).toEqual([])
  })

  it('leaves the list of entries as complete as it was, and hands every push on', () => {
    page.dataLayer = []
    const googles = vi.fn<(...entries: unknown[]) => number>(() => 7)
    page.dataLayer.push = googles
    consentMode({ setConsent })
    expect(page.dataLayer.push('a', 'b')).toBe(7)
    expect(googles.mock.calls).toEqual([['a', 'b']])
  })

  it('ends when it is told to, also where another script has wrapped it since', () => {
    page.dataLayer = []
    const { push } = page.dataLayer
    consentMode({ setConsent })()
    expect(page.dataLayer.push).toBe(push)

    const stop = consentMode({ setConsent })
    const ours = page.dataLayer.push
    page.dataLayer.push = (...entries) => ours(...entries)
    stop()
    gtag('consent', 'update', { analytics_storage: 'granted' })
    expect(said()).toEqual([])
  })
})

describe('consentMode, with the TCF', () => {
  type Heard = (data: object | null, isKnown: boolean) => void
  const listen = (options?: { purposes: number[] }) => {
    let heard: Heard = () => {}
    const api = vi.fn<(command: string, version: number, fn: Heard) => void>((_, __, fn) => (heard = fn))
    page.__tcfapi = api
    const stop = consentMode({ setConsent }, options)
    expect(api.mock.calls.map(([command, version]) => [command, version])).toEqual([['addEventListener', 2]])
    return { stop, tell: (data: object | null, isKnown = true) => heard(data, isKnown) }
  }
  const agreesTo = (...purposes: number[]) => ({
    gdprApplies: true,
    eventStatus: 'useractioncomplete',
    purpose: { consents: Object.fromEntries(purposes.map((each) => [each, true])) },
  })

  it('grants when the visitor agrees to storage and to measuring content', () => {
    const { tell } = listen()
    tell(agreesTo(1, 8))
    expect(said()).toEqual(['granted'])
  })

  it('denies when one of the purposes is refused, and when nothing is said of them', () => {
    const { tell } = listen()
    tell(agreesTo(1, 8))
    tell(agreesTo(1, 7))
    tell(agreesTo(1, 8))
    tell({ gdprApplies: true, eventStatus: 'tcloaded' })
    expect(said()).toEqual(['granted', 'denied', 'granted', 'denied'])
  })

  it('asks for the purposes that it is given', () => {
    const { tell } = listen({ purposes: [1, 9] })
    tell(agreesTo(1, 8))
    tell(agreesTo(1, 9))
    expect(said()).toEqual(['denied', 'granted'])
  })

  it('says nothing while the question is on the screen, or where the platform fails', () => {
    const { tell } = listen()
    tell({ ...agreesTo(1, 8), eventStatus: 'cmpuishown' })
    tell(agreesTo(1, 8), false)
    tell(null)
    expect(said()).toEqual([])
  })

  it('grants where the law asks for nothing, unless the browser sends Global Privacy Control', () => {
    vi.stubGlobal('navigator', { globalPrivacyControl: true })
    const { tell } = listen()
    tell({ gdprApplies: false, eventStatus: 'tcloaded' })
    expect(said()).toEqual([])
    vi.stubGlobal('navigator', {})
    tell({ gdprApplies: false, eventStatus: 'tcloaded' })
    expect(said()).toEqual(['granted'])
  })

  it('ends when it is told to', () => {
    const { stop, tell } = listen()
    stop()
    tell(agreesTo(1, 8))
    expect(said()).toEqual([])
  })
})

describe('consentMode', () => {
  it('lets what was tracked before the choice be sent after it, with its time', async () => {
    const world = createWorld()
    const tab = world.openTab()
    const waymark = tab.create()
    consentMode(waymark)
    waymark.init('pk_test', { endpoint: 'https://api.test', consent: 'pending' })
    waymark.track('Early')
    await world.advance(60_000)
    expect(world.service.names()).toEqual([])
    gtag('consent', 'update', { analytics_storage: 'granted' })
    await world.advance(5000)
    expect(world.service.names()).toEqual(['Early'])
  })

  it('keeps a choice that was told before init', async () => {
    const world = createWorld()
    const waymark = world.openTab().create()
    gtag('consent', 'update', { analytics_storage: 'denied' })
    consentMode(waymark)
    waymark.init('pk_test', { endpoint: 'https://api.test' })
    waymark.track('A')
    await world.advance(5000)
    expect(waymark.getConsent()).toBe('denied')
    expect(world.service.names()).toEqual([])
  })

  it('does nothing on a server', () => {
    vi.stubGlobal('document', undefined)
    expect(consentMode({ setConsent })()).toBeUndefined()
    expect(page.dataLayer).toBeUndefined()
  })
})
