// @vitest-environment happy-dom
// @vitest-environment-options { "url": "https://www.shop.test/" }
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { cookie } from '../../src/plugins/cookie'
import type { InitConfig } from '../../src/core/types'
import { createWorld } from '../world/createWorld'

const database = 'waymark production pk_test'

/** What the browser keeps, by domain and name. Like a real one it lets nobody write for a public suffix. */
const jar = new Map<string, string>()
/** What the page has written. */
const written = vi.fn<(text: string) => void>()

beforeEach(() => {
  jar.clear()
  written.mockReset()
  vi.spyOn(document, 'cookie', 'get').mockImplementation(() =>
    [...jar].map(([key, value]) => `${key.split(' ')[1]}=${value}`).join('; '),
  )
  vi.spyOn(document, 'cookie', 'set').mockImplementation((text) => {
    written(text)
    const [, name, value] = /^(\w+)=([^;]*)/.exec(text)!
    const domain = /Domain=([^;]+)/.exec(text)?.[1] ?? location.hostname
    if (!domain.includes('.') || !location.hostname.endsWith(domain)) return
    if (text.includes('Max-Age=0')) jar.delete(`${domain} ${name}`)
    else jar.set(`${domain} ${name}`, value!)
  })
})
afterEach(() => vi.restoreAllMocks())

/** A page with the plugin. */
const open = (world: ReturnType<typeof createWorld>, config: Partial<InitConfig> = {}, slow = false) => {
  const tab = slow ? world.openSlowTab() : world.openTab()
  return Object.assign(tab, { waymark: tab.init({ plugins: [cookie()], ...config }) })
}

describe('cookie', () => {
  it('holds two ids, on the widest domain that the browser allows, for a year', async () => {
    const { waymark } = open(createWorld())
    await waymark.ready()
    const { deviceId, anonymousId } = waymark.ids
    expect([...jar]).toEqual([['shop.test waymark', encodeURIComponent(`${deviceId}~${anonymousId}`)]])
    expect(document.cookie.length).toBeLessThan(200)
    const last = written.mock.lastCall![0]
    for (const part of ['Path=/', 'SameSite=Lax', `Max-Age=${365 * 86_400}`, 'Secure'])
      expect(last).toContain(part)
  })

  it('has the name and the domain that are given', async () => {
    const { waymark } = open(createWorld(), { plugins: [cookie({ name: 'ids', domain: 'shop.test' })] })
    await waymark.ready()
    const { deviceId, anonymousId } = waymark.ids
    expect(written.mock.lastCall![0]).toMatch(
      new RegExp(`^ids=${deviceId}~${anonymousId}; .*; Domain=shop.test; Secure$`),
    )
  })

  it('brings the ids back when the database is lost', async () => {
    const world = createWorld()
    const first = open(world)
    await first.waymark.ready()
    const { deviceId, anonymousId } = first.waymark.ids
    await first.waymark.shutdown()
    indexedDB.deleteDatabase(database)
    const second = open(world)
    await second.waymark.ready()
    expect(second.waymark.ids).toMatchObject({ deviceId, anonymousId })
  })

  it('brings the ids of another subdomain, which has begun anew, unless a user is signed in here', async () => {
    for (const user of ['', 'ann']) {
      const world = createWorld()
      const first = open(world)
      await first.waymark.ready()
      if (user) first.waymark.identify(user)
      await world.advance(3000)
      const { anonymousId } = first.waymark.ids
      await first.waymark.shutdown()
      jar.set('shop.test waymark', 'device-there~anonymous-there')
      const second = open(world)
      await second.waymark.ready()
      expect(second.waymark.ids).toMatchObject(
        user ? { anonymousId, userId: user } : { deviceId: 'device-there', anonymousId: 'anonymous-there' },
      )
    }
  })

  it('is renewed at each visit, and follows a reset', async () => {
    const world = createWorld()
    const first = open(world)
    await first.waymark.ready()
    await world.advance(3000)
    await first.waymark.shutdown()
    written.mockReset()
    const { waymark } = open(world)
    await waymark.ready()
    expect(written).toHaveBeenCalled()
    waymark.reset()
    expect(document.cookie).toContain(waymark.ids.anonymousId)
  })

  it('that others have spoilt is none', async () => {
    vi.spyOn(document, 'cookie', 'get').mockReturnValue('other=1; waymark=%')
    const { waymark } = open(createWorld())
    await waymark.ready()
    expect(waymark.ids.deviceId).toMatch(/^device-/)
  })

  it('is none in a sandbox, where asking for it throws', async () => {
    const refuse = () => {
      throw new DOMException('sandboxed', 'SecurityError')
    }
    vi.spyOn(document, 'cookie', 'get').mockImplementation(refuse)
    vi.spyOn(document, 'cookie', 'set').mockImplementation(refuse)
    const { waymark, warnings } = open(createWorld(), { debug: true })
    await waymark.ready()
    expect(waymark.ids.deviceId).toMatch(/^device-/)
    expect(warnings).toEqual([])
  })

  it('does not undo a sign-in in another tab while this one starts', async () => {
    for (let turns = 0; turns < 20; turns++) {
      jar.clear()
      const world = createWorld()
      const first = open(world)
      await first.waymark.ready()
      await world.settle()
      const second = open(world)
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
      first.waymark.identify('ann')
      await world.advance(1000)
      const third = open(world)
      await third.waymark.ready()
      const users = [first, second, third].map(({ waymark }) => waymark.ids.userId)
      expect(users, `after ${turns} turns`).toEqual(['ann', 'ann', 'ann'])
    }
  })
})

describe('the cookie and consent', () => {
  it('waits while consent is pending', async () => {
    const world = createWorld()
    const { waymark } = open(world, { consent: 'pending' })
    waymark.page()
    await world.advance(60_000)
    expect(written).not.toHaveBeenCalled()
    waymark.optIn()
    await world.advance(3000)
    expect(document.cookie).toContain(waymark.ids.anonymousId)
  })

  it('goes with a refusal, which the next page keeps to', async () => {
    const world = createWorld()
    const first = open(world)
    await first.waymark.ready()
    first.waymark.optOut()
    expect(document.cookie).toBe('')
    await world.advance(1000)
    first.leave()

    written.mockReset()
    for (const slow of [false, true]) {
      const next = open(world, {}, slow)
      next.waymark.track('A')
      await world.advance(1500)
      if ('open' in next) (next.open as () => void)()
      await world.advance(10_000)
    }
    expect(written).not.toHaveBeenCalled()
    expect(world.service.names()).toEqual([])
  })

  it('goes where the browser refuses later', async () => {
    const world = createWorld()
    const first = open(world)
    await first.waymark.ready()
    await world.advance(3000)
    first.leave()
    const second = world.openTab()
    second.refuses = true
    second.init({ plugins: [cookie()] }).track('A')
    await world.advance(3000)
    expect(document.cookie).toBe('')
  })
})
