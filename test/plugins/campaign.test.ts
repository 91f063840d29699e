// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { campaign } from '../../src/plugins/campaign'
import { createWorld } from '../world/createWorld'

afterEach(() => vi.restoreAllMocks())

/** One visitor, whose pages load one after the other: what an event of each carries of campaigns. */
function createVisitor() {
  const world = createWorld()
  return {
    async visit(path: string, referrer = '', afterMs = 0) {
      await world.advance(afterMs)
      history.replaceState(null, '', path)
      vi.spyOn(document, 'referrer', 'get').mockReturnValue(referrer)
      const waymark = world.openTab().init({ plugins: [campaign()] })
      waymark.track('E')
      await world.advance(5000)
      await waymark.shutdown()
      const names = /^(first|last)_|^\$utm_|clid$|^li_fat_id$/
      return Object.fromEntries(
        Object.entries(world.service.events().at(-1)!.properties).filter(([name]) => names.test(name)),
      )
    },
  }
}

/** What a visit with these names in its URL is remembered as. */
const touch = (as: string, properties: object) =>
  Object.fromEntries(Object.entries(properties).map(([name, value]) => [`${as}_${name}`, value]))

const shop = { landing_url: `${location.origin}/shop` }
const nextSession = 31 * 60_000

describe('campaign', () => {
  it('registers the campaign for the session, as the first and as the last touch', async () => {
    const { visit } = createVisitor()
    const carried = await visit('/shop?utm_source=letter&utm_medium=email&gclid=g1&token=secret#/utm_term=no')
    const named = { utm_source: 'letter', utm_medium: 'email', gclid: 'g1' }
    expect(carried).toEqual({
      $utm_source: 'letter',
      $utm_medium: 'email',
      gclid: 'g1',
      ...touch('first', { ...named, landing_url: expect.stringContaining('/shop?utm_source=letter') }),
      ...touch('last', { ...named, landing_url: expect.stringContaining('/shop?utm_source=letter') }),
    })
    expect(JSON.stringify(carried)).not.toContain('secret')
  })

  it('keeps the first visit for good, also a direct one, and takes no part of a later one', async () => {
    const { visit } = createVisitor()
    const first = touch('first', shop)
    expect(await visit('/shop')).toEqual(first)
    expect(await visit('/shop?utm_source=ads&gclid=g1', 'https://search.test/', nextSession)).toMatchObject({
      ...first,
      last_utm_source: 'ads',
    })
    expect(await visit('/shop', '', nextSession)).not.toHaveProperty('first_utm_source')
  })

  it('never mixes parts of two campaigns', async () => {
    const { visit } = createVisitor()
    await visit('/shop?utm_source=letter&utm_campaign=spring')
    const carried = await visit('/shop?utm_source=ads&gclid=g1')
    expect(carried).toMatchObject({ $utm_source: 'ads', gclid: 'g1', last_utm_source: 'ads' })
    for (const name of ['$utm_campaign', 'last_utm_campaign', 'first_gclid'])
      expect(carried).not.toHaveProperty([name])
  })

  it('lets the campaign go with the session, and keeps the last touch', async () => {
    const { visit } = createVisitor()
    await visit('/shop?utm_source=letter')
    const carried = await visit('/shop', '', nextSession)
    expect(carried).not.toHaveProperty(['$utm_source'])
    expect(carried).toMatchObject({ last_utm_source: 'letter' })
  })

  it('takes a referrer on another site for a touch', async () => {
    const { visit } = createVisitor()
    expect(await visit('/shop', 'https://search.test/?q=private')).toEqual({
      ...touch('first', { ...shop, referrer: 'https://search.test/' }),
      ...touch('last', { ...shop, referrer: 'https://search.test/' }),
    })
  })

  it('takes neither its own site nor a direct visit for a touch, but for the first one', async () => {
    for (const referrer of ['', `${location.origin}/before`]) {
      const { visit } = createVisitor()
      expect(await visit('/shop', referrer)).toEqual(touch('first', shop))
    }
  })

  it('says nothing for a page that is prerendered and never shown', async () => {
    const { visit } = createVisitor()
    Object.assign(document, { prerendering: true })
    expect(await visit('/shop?utm_source=letter')).toEqual({})
    Object.assign(document, { prerendering: false })
  })
})
