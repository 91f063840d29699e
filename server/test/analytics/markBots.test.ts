import { describe, expect, it } from 'vitest'
import { type Body } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { useService } from '../fixtures/useService.js'

const service = useService()

const chrome =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0 Safari/537.36'
const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'
const gptbot = 'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2)'

const send = (events: Body[], userAgent = chrome) =>
  service.ingest('/track?sync=true', events, { 'user-agent': userAgent })
const botsOf = async (name: string) =>
  (await service.query(`SELECT bot FROM events WHERE event = '${name}' ORDER BY event_id`)).rows.flat()

describe('the verdict on an event', () => {
  it('is that on its property $user_agent, and none for a browser', async () => {
    await send([
      event('by property', { properties: { $user_agent: googlebot } }),
      event('by property', { properties: { $user_agent: chrome } }),
      event('by property', { properties: { $user_agent: gptbot } }),
      event('by property'),
    ])
    expect(await botsOf('by property')).toEqual(['crawler Googlebot', null, 'AI crawler GPTBot', null])
  })

  it('is that on the sender where the event names no user agent itself', async () => {
    const events = [event('by header'), event('by header', { properties: { $user_agent: chrome } })]
    await send(events, googlebot)
    await send(events)
    expect(await botsOf('by header')).toEqual(['crawler Googlebot', null, null, null])
  })

  it('is automation where the event says that a program drives the browser', async () => {
    await send([event('declared', { properties: { $device_type: 'bot', $user_agent: chrome } })])
    await send([event('declared', { properties: { $device_type: 'bot' } })], googlebot)
    expect(await botsOf('declared')).toEqual(['automation', 'crawler Googlebot'])
  })
})

describe('the speed of a visit', () => {
  const views = (count: number, more: Body) =>
    Array.from({ length: count }, (_, n) =>
      event('$pageview', { timestamp: Date.UTC(2026, 0, 1) + n, ...more }),
    )
  const botsIn = async (device: string) =>
    (await service.query(`SELECT DISTINCT bot FROM events WHERE device_id = '${device}'`)).rows.flat()

  it('is impossible with ten page views in a second, also when they come in several requests', async () => {
    const visit = { device_id: 'fast', session_id: 'fast' }
    await send([...views(4, visit), event('Read', visit)])
    expect(await botsIn('fast')).toEqual([null])
    await send(views(6, visit))
    expect(await botsIn('fast')).toEqual(['impossible speed'])
  })

  it('counts for each device, session and environment alone', async () => {
    await send([...views(9, { device_id: 'nine' }), event('Read', { device_id: 'nine' })])
    await send([
      ...views(9, { device_id: 'tabs', session_id: 'tabs-1' }),
      ...views(9, { device_id: 'tabs', session_id: 'tabs-2' }),
      ...views(9, { device_id: 'tabs', session_id: 'tabs-1', environment: 'staging' }),
    ])
    await send(
      Array.from({ length: 20 }, (_, n) => n).flatMap((n) =>
        views(1, { device_id: 'slow', timestamp: n * 500 }),
      ),
    )
    await send(views(20, { distinct_id: 'server-side' }))
    for (const device of ['nine', 'tabs', 'slow']) expect(await botsIn(device)).toEqual([null])
    const { rows } = await service.query(`SELECT DISTINCT bot FROM events WHERE distinct_id = 'server-side'`)
    expect(rows).toEqual([[null]])
  })

  it('leaves a verdict that says more', async () => {
    await send(views(12, { device_id: 'named', properties: { $user_agent: gptbot } }))
    expect(await botsIn('named')).toEqual(['AI crawler GPTBot'])
  })
})
