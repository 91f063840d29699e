// @vitest-environment happy-dom
// @vitest-environment-options { "url": "https://shop.test/plans" }
import { describe, expect, it } from 'vitest'
import type { InitConfig } from '../../src/core/types'
import { readRequest } from '../../src/node/readRequest'
import { cookie } from '../../src/plugins/cookie'
import { requestHeader } from '../../src/plugins/requestHeader'
import { createWorld } from '../world/createWorld'

const minute = 60_000
const options = { cookie: 'waymark', header: 'x-waymark', idleMs: 30 * minute, now: Date.now() }
const read = (headers: Record<string, string>, more: object = {}) =>
  readRequest({ headers, ...more }, options)

/** A page whose visitor has done something. */
const open = async (config: Partial<InitConfig>) => {
  const waymark = createWorld().openTab('https://shop.test/plans').init(config)
  await waymark.ready()
  waymark.track('Seen')
  return waymark
}
const idsOf = ({ ids }: Awaited<ReturnType<typeof open>>) => ({
  deviceId: ids.deviceId,
  anonymousId: ids.anonymousId,
  sessionId: ids.sessionId,
})

describe('who asks', () => {
  it('is the visitor of the page, by its cookie', async () => {
    const waymark = await open({ plugins: [cookie({ session: true })] })
    const header = document.cookie
    expect(read({ cookie: `a=1; ${header}; waymarks=2` })).toMatchObject(idsOf(waymark))
    expect(
      readRequest(new Request('https://shop.test/', { headers: { 'x-cookie': '' } }), options),
    ).not.toHaveProperty('deviceId')
    // A session that is over is not begun anew by a server.
    const late = { ...options, now: options.now + 33 * minute }
    expect(readRequest({ headers: { cookie: header } }, late)).toMatchObject({
      ...idsOf(waymark),
      sessionId: '',
    })
    waymark.optOut()
    expect(read({ cookie: document.cookie })).not.toHaveProperty('anonymousId')
  })

  it('has no session by a cookie that keeps none', async () => {
    const waymark = await open({ plugins: [cookie()] })
    expect(read({ cookie: document.cookie })).toMatchObject({ ...idsOf(waymark), sessionId: '' })
    waymark.optOut()
  })

  it('is the visitor of the page, by the header of its own requests alone', async () => {
    const asked: [string, string | null][] = []
    const usual = window.fetch
    window.fetch = async (input, init) => {
      const { url } = new Request(input, init)
      asked.push([url, new Headers(init?.headers).get('x-waymark')])
      return new Response()
    }
    const waymark = await open({ plugins: [requestHeader()] })
    await fetch('/order', { method: 'POST', headers: { a: 'b' } })
    await fetch(new Request('https://shop.test/order'))
    await fetch('https://other.test/order')
    await fetch('/w/track', { credentials: 'omit' })
    const told = asked[0]![1]!
    expect(asked.map(([, header]) => header)).toEqual([told, told, null, null])
    expect(readRequest({ headers: new Headers({ 'X-Waymark': told }) }, options)).toMatchObject(
      idsOf(waymark),
    )
    waymark.optOut()
    await fetch('/order')
    await waymark.shutdown()
    await fetch('/order')
    expect(asked.slice(-2).map(([, header]) => header)).toEqual([null, null])
    window.fetch = usual
  })

  it('is known by the cookie of the service, too', () => {
    expect(read({ cookie: 'waymark_ids=d%3A1:a' })).toMatchObject({
      deviceId: 'd:1',
      anonymousId: 'a',
      sessionId: '',
    })
  })

  it.each(['', '~', 'a', 'a~', '%', '%E0%A4%A', 'waymark'])(
    'is nobody by a text that is none: %j',
    (text) => {
      expect(read({ cookie: `waymark=${text}; waymark_ids=${text}`, 'x-waymark': text })).not.toHaveProperty(
        'anonymousId',
      )
    },
  )
})

describe('the page', () => {
  const from = { host: 'shop.test', referer: 'https://shop.test/plans?a=1' }

  it('is the one that a script asks from', () => {
    expect(read(from, { url: '/api/order', method: 'POST' }).page.url).toBe('https://shop.test/plans?a=1')
    expect(read({ ...from, referer: 'https://other.test/' }, { url: '/api' }).page.url).toBe('')
    const url = 'https://shop.test/api'
    expect(readRequest(new Request(url, { referrer: '' }), options).page).toEqual({
      url: '',
      referrer: '',
      viewport: '',
    })
  })

  it('is the document that is asked for', () => {
    const headers = { ...from, 'sec-fetch-dest': 'document', 'x-forwarded-proto': 'https' }
    expect(read(headers, { url: '/next', method: 'GET' }).page).toMatchObject({
      url: 'https://shop.test/next',
      referrer: from.referer,
    })
  })
})
