// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  fromAltertable,
  fromAmplitude,
  fromGoogleAnalytics,
  fromMixpanel,
  fromPosthog,
  fromSegment,
  importIds,
  type ReadOldIds,
} from '../../src/plugins/importIds'
import { createWorld } from '../world/createWorld'

let cookies: string[] = []
beforeEach(() => {
  localStorage.clear()
  cookies = ['other=1']
  vi.spyOn(document, 'cookie', 'get').mockImplementation(() => cookies.join('; '))
})
afterEach(() => vi.restoreAllMocks())

const store = (name: string, value: unknown) => localStorage.setItem(name, JSON.stringify(value))
const bake = (name: string, value: unknown) =>
  cookies.push(`${name}=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`)

/** The ids of a browser that is new to waymark. */
const visit = async (...readers: ReadOldIds[]) => {
  const world = createWorld()
  const waymark = world.openTab().init({ plugins: [importIds(...readers)] })
  await waymark.ready()
  const { deviceId, anonymousId, userId } = waymark.ids
  return { deviceId, anonymousId, userId }
}

describe('importIds of altertable-js', () => {
  const name = 'atbl.pk_1.production'

  it.each([
    ['localStorage', store],
    ['a cookie', bake],
  ])('reads a visitor from %s', async (_, put) => {
    put(name, { deviceId: 'device-1', distinctId: 'anonymous-1', anonymousId: null, sessionId: 's' })
    expect(await visit(fromAltertable('pk_1'))).toEqual({
      deviceId: 'device-1',
      anonymousId: 'anonymous-1',
      userId: undefined,
    })
  })

  it('reads a user who is signed in', async () => {
    store(name, { deviceId: 'device-1', distinctId: 'ann', anonymousId: 'anonymous-1' })
    expect(await visit(fromAltertable('pk_1'))).toEqual({
      deviceId: 'device-1',
      anonymousId: 'anonymous-1',
      userId: 'ann',
    })
  })

  it('reads the environment that it is given, and no other', async () => {
    store('atbl.pk_1.staging', { deviceId: 'device-1', distinctId: 'anonymous-1' })
    expect(await visit(fromAltertable('pk_1', 'staging'))).toMatchObject({ deviceId: 'device-1' })
    expect(await visit(fromAltertable('pk_1'))).not.toMatchObject({ deviceId: 'device-1' })
  })
})

describe('importIds of posthog-js', () => {
  it('reads a visitor, whose ids may lie in both places', async () => {
    bake('ph_phc_1_posthog', { distinct_id: 'visitor-1' })
    store('ph_phc_1_posthog', { $device_id: 'device-1', $user_state: 'anonymous' })
    expect(await visit(fromPosthog('phc_1'))).toEqual({
      deviceId: 'device-1',
      anonymousId: 'visitor-1',
      userId: undefined,
    })
  })

  it('reads a user who is signed in', async () => {
    store('ph_phc_1_posthog', { distinct_id: 'ann', $device_id: 'device-1', $user_state: 'identified' })
    expect(await visit(fromPosthog('phc_1'))).toEqual({
      deviceId: 'device-1',
      anonymousId: 'device-1',
      userId: 'ann',
    })
  })
})

describe('importIds of Amplitude', () => {
  it.each([
    ['as it is', (text: string) => text],
    ['encoded once more, as a server may have done', encodeURIComponent],
  ])('reads its cookie %s', async (_, encode) => {
    const text = btoa(encodeURIComponent(JSON.stringify({ deviceId: 'device-1', userId: 'änn' })))
    cookies.push(`AMP_0123456789=${encode(text)}`)
    expect(await visit(fromAmplitude('0123456789abcdef'))).toEqual({
      deviceId: 'device-1',
      anonymousId: 'device-1',
      userId: 'änn',
    })
  })
})

describe('importIds of mixpanel-browser', () => {
  it('reads a visitor', async () => {
    bake('mp_token_mixpanel', { distinct_id: '$device:1', $device_id: '1' })
    expect(await visit(fromMixpanel('token'))).toEqual({
      deviceId: '1',
      anonymousId: '$device:1',
      userId: undefined,
    })
  })

  it('reads a user who is signed in', async () => {
    store('mp_token_mixpanel', { distinct_id: 'ann', $device_id: '1', $user_id: 'ann' })
    expect(await visit(fromMixpanel('token'))).toEqual({ deviceId: '1', anonymousId: '1', userId: 'ann' })
  })
})

describe('importIds of Segment', () => {
  it('reads ids that are stored as JSON', async () => {
    store('ajs_anonymous_id', 'anonymous-1')
    store('ajs_user_id', 'ann')
    expect(await visit(fromSegment())).toMatchObject({ anonymousId: 'anonymous-1', userId: 'ann' })
  })

  it('reads ids that lie in cookies, as they are', async () => {
    bake('ajs_anonymous_id', 'anonymous-1')
    bake('ajs_user_id', '4711')
    expect(await visit(fromSegment())).toEqual({
      deviceId: 'anonymous-1',
      anonymousId: 'anonymous-1',
      userId: '4711',
    })
  })
})

describe('importIds of Google Analytics', () => {
  it('reads the client id', async () => {
    cookies.push('_ga=GA1.1.1154812034.1700000000')
    expect(await visit(fromGoogleAnalytics())).toMatchObject({ anonymousId: '1154812034.1700000000' })
  })
})

describe('importIds', () => {
  it('takes the first library that has any', async () => {
    store('ajs_anonymous_id', 'anonymous-1')
    cookies.push('_ga=GA1.1.1.2')
    expect(await visit(fromPosthog('phc_1'), fromSegment(), fromGoogleAnalytics())).toMatchObject({
      anonymousId: 'anonymous-1',
    })
  })

  it('makes new ids where no library has any, or what is stored is spoilt', async () => {
    localStorage.setItem('atbl.pk_1.production', '{"deviceId":')
    localStorage.setItem('ph_phc_1_posthog', 'null')
    cookies.push('mp_token_mixpanel=%', 'AMP_0123456789=?', '_ga=1')
    const ids = await visit(
      fromAltertable('pk_1'),
      fromPosthog('phc_1'),
      fromMixpanel('token'),
      fromAmplitude('0123456789'),
      fromSegment(),
      fromGoogleAnalytics(),
    )
    expect(ids.deviceId).toMatch(/^device-/)
    expect(ids.anonymousId).toMatch(/^anonymous-/)
  })

  it('makes new ids where storage is refused', async () => {
    const refuse = () => {
      throw new DOMException('sandboxed', 'SecurityError')
    }
    vi.spyOn(document, 'cookie', 'get').mockImplementation(refuse)
    vi.stubGlobal('localStorage', { getItem: refuse })
    const ids = await visit(fromAltertable('pk_1'), fromSegment(), fromGoogleAnalytics())
    vi.unstubAllGlobals()
    expect(ids.deviceId).toMatch(/^device-/)
  })

  it('links the events to both ids of a user who is signed in', async () => {
    store('ajs_anonymous_id', 'anonymous-1')
    store('ajs_user_id', 'ann')
    const world = createWorld()
    world
      .openTab()
      .init({ plugins: [importIds(fromSegment())] })
      .track('A')
    await world.advance(5000)
    expect(world.service.events()[0]).toMatchObject({ distinct_id: 'ann', anonymous_id: 'anonymous-1' })
  })

  it('takes no user id that nobody can have', async () => {
    store('ajs_anonymous_id', 'anonymous-1')
    store('ajs_user_id', 'undefined')
    expect(await visit(fromSegment())).toMatchObject({ anonymousId: 'anonymous-1', userId: undefined })
  })

  it('happens once: a visitor who signs out stays signed out on the next page', async () => {
    store('ajs_anonymous_id', 'anonymous-1')
    store('ajs_user_id', 'ann')
    const world = createWorld()
    const plugins = [importIds(fromSegment())]
    const first = world.openTab()
    const waymark = first.init({ plugins })
    await waymark.ready()
    waymark.reset()
    const { anonymousId } = waymark.ids
    await world.advance(1000)
    first.leave()
    const next = world.openTab().init({ plugins })
    await next.ready()
    expect(next.ids).toMatchObject({ anonymousId, userId: undefined })
  })
})
