// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { campaign } from '../../src/plugins/campaign'
import { createHost } from './createHost'

afterEach(() => vi.restoreAllMocks())

const visit = (path: string, referrer = '') => {
  history.replaceState(null, '', path)
  vi.spyOn(document, 'referrer', 'get').mockReturnValue(referrer)
  const host = createHost()
  host.start(campaign())
  return host.registered.map(({ properties, ...rest }) => ({
    ...rest,
    given: JSON.parse(JSON.stringify(properties)) as object,
    names: Object.keys(properties),
  }))
}

describe('campaign', () => {
  it('registers the campaign for the session, as the first and as the last touch', () => {
    const [first, last, session] = visit('/shop?utm_source=letter&utm_medium=email&gclid=g1&token=secret')
    const touch = (as: string) => ({
      [`${as}utm_source`]: 'letter',
      [`${as}utm_medium`]: 'email',
      [`${as}gclid`]: 'g1',
      [`${as}landing_url`]: `${location.origin}/shop`,
    })
    expect(first).toMatchObject({ once: true, scope: 'persistent', given: touch('first_') })
    expect(last).toMatchObject({ once: false, scope: 'persistent', given: touch('last_') })
    expect(session).toMatchObject({
      scope: 'session',
      given: { $utm_source: 'letter', $utm_medium: 'email', gclid: 'g1' },
    })
    expect(JSON.stringify(session)).not.toContain('secret')
  })

  it('names also what is absent, so that parts of two campaigns are never mixed', () => {
    const [first, last, session] = visit('/?utm_source=letter')
    expect(first!.names).toContain('first_utm_campaign')
    expect(last!.names).toContain('last_utm_campaign')
    expect(session!.names).toContain('$utm_campaign')
    expect(session!.names.filter((name) => name.startsWith('$')).toSorted()).toEqual([
      '$utm_campaign',
      '$utm_content',
      '$utm_medium',
      '$utm_source',
      '$utm_term',
    ])
  })

  it('takes a referrer on another site for a touch', () => {
    const [first, last] = visit('/', 'https://search.test/?q=private')
    expect(first!.given).toMatchObject({ first_referrer: 'https://search.test/' })
    expect(last!.given).toMatchObject({ last_referrer: 'https://search.test/' })
  })

  it('takes neither its own site nor a direct visit for a touch, but for the first one', () => {
    for (const referrer of ['', `${location.origin}/before`]) {
      expect(visit('/', referrer)).toEqual([expect.objectContaining({ once: true })])
    }
  })

  it('says nothing for a page that is prerendered and never shown', () => {
    Object.assign(document, { prerendering: true })
    expect(visit('/?utm_source=letter')).toEqual([])
    Object.assign(document, { prerendering: false })
  })
})
