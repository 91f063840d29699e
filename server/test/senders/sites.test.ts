import { describe, expect, it } from 'vitest'
import { useSenders } from './useSenders.js'

const { service, send, post, replay, objects } = useSenders({
  senders: { on: ['plausible', 'umami', 'ga4', 'snowplow', 'otlp'], keys: new Map([['shop.test', 'pk_x']]) },
})
const eventsOf = (where: string, columns: string) =>
  objects(`SELECT ${columns} FROM events WHERE ${where} ORDER BY event_id`)

describe("Plausible's script", () => {
  it('is counted without ids, by the key of its domain', async () => {
    expect(await replay('plausible', 'plausible')).toEqual(['202', '202', '202'])
    const columns = 'event, path, referrer, utm_source, anonymous, anonymous_id, distinct_id, properties'
    const found = await eventsOf(`lib = 'plausible'`, columns)
    const common = { path: '/page', utm_source: 'mail', anonymous: true, distinct_id: null }
    expect(found).toMatchObject([
      { event: '$pageview', referrer: 'https://ref.test/' },
      { event: 'Signup', properties: { plan: 'pro', revenue: 3, currency: 'EUR' } },
      { event: 'engagement', properties: { scroll_depth: 100 } },
    ])
    for (const each of found) expect(each).toMatchObject(common)
    expect(new Set(found.map((each) => each['anonymous_id'])).size).toBe(1)
  })

  it('is refused for a domain that stands for no key', async () => {
    const event = { name: 'pageview', url: 'https://other.test/', domain: 'other.test' }
    expect(await post('/plausible/api/event', event)).toMatchObject({
      status: 401,
      body: { message: 'domain is no API key.' },
    })
  })
})

describe("Umami's client", () => {
  it('has events counted without ids, and a user of the site where it names one', async () => {
    // An identify that names nobody is refused.
    expect(await replay('umami', 'umami-node')).toEqual(['200', '200', '400'])
    const found = await eventsOf(
      `lib = 'umami'`,
      'event, url, referrer, viewport, language, anonymous, properties',
    )
    expect(found).toMatchObject([
      {
        event: '$pageview',
        url: 'https://x.test/a?b=1',
        referrer: 'https://r.test/',
        viewport: '1280x720',
        language: 'de',
        anonymous: true,
      },
      { event: 'Signup', url: null, properties: { plan: 'pro' }, anonymous: true },
    ])
    const payload = { website: 'pk_x', id: 'ada', url: '/', hostname: 'x.test' }
    await post('/umami/api/send', { type: 'identify', payload: { ...payload, data: { plan: 'free' } } })
    await post('/umami/api/send', { type: 'event', payload: { ...payload, timestamp: 1_790_000_000 } })
    expect(await eventsOf(`distinct_id = 'ada'`, 'anonymous, year("timestamp") AS year')).toEqual([
      { anonymous: false, year: 2026 },
    ])
    expect(await objects(`SELECT traits FROM persons WHERE person_id = 'ada'`)).toEqual([
      { traits: { plan: 'free' } },
    ])
  })
})

describe('the Measurement Protocol', () => {
  const ask = async (search: string, body: unknown) =>
    send({ method: 'POST', path: `/ga4/mp/collect?${search}`, headers: {}, body: JSON.stringify(body) })

  it('has events, ids, time and user properties understood', async () => {
    const answer = await ask('measurement_id=G-1&api_secret=pk_x', {
      client_id: 'c.1',
      user_id: 'grace',
      timestamp_micros: 1_790_000_000_123_456,
      user_properties: { plan: { value: 'pro' } },
      device: { category: 'mobile', operating_system: 'Android', language: 'de' },
      user_location: { country_id: 'DE' },
      events: [
        { name: 'page_view', params: { page_location: 'https://x.test/a', page_title: 'A', session_id: 7 } },
        { name: 'purchase', params: { value: 9.5, items: [{ item_id: 'i' }] } },
      ],
    })
    expect(answer.status).toBe(204)
    const columns =
      'event, path, anonymous_id, session_id, os, country, epoch_ms("timestamp") AS ms, properties'
    const common = { anonymous_id: 'c.1', os: 'Android', country: 'DE', ms: 1_790_000_000_123 }
    expect(await eventsOf(`distinct_id = 'grace'`, columns)).toMatchObject([
      { ...common, event: '$pageview', path: '/a', session_id: '7-c.1', properties: { title: 'A' } },
      { ...common, event: 'purchase', properties: { value: 9.5, items: [{ item_id: 'i' }] } },
    ])
    expect(await objects(`SELECT traits FROM persons WHERE person_id = 'grace'`)).toEqual([
      { traits: { plan: 'pro' } },
    ])
  })

  it('is refused without its secret, and without a client', async () => {
    expect((await ask('measurement_id=G-1', { client_id: 'c', events: [] })).status).toBe(401)
    expect((await ask('api_secret=pk_x', { events: [] })).text).toContain('client_id')
  })
})

describe("Snowplow's tracker", () => {
  it('has each kind of event understood, by POST and GET', async () => {
    expect(await replay('snowplow', 'snowplow-node')).toEqual(['200', '200'])
    const found = await eventsOf(`lib = 'snowplow'`, 'event, url, distinct_id, properties')
    expect(found).toMatchObject([
      { event: '$pageview', url: 'https://x.test/a', distinct_id: 'u1', properties: { title: 'T' } },
      { event: 'a', properties: { category: 'c', label: 'l', property: 'p', value: '2' } },
      { event: 'sign_up', distinct_id: 'u1', properties: { plan: 'pro' } },
      { event: '$pageview', url: 'https://x.test/g', properties: { title: 'G' } },
    ])
    await replay('snowplow', 'snowplow-node')
    expect(await eventsOf(`lib = 'snowplow'`, 'event')).toHaveLength(4)
  })

  it('has its entities and an event that it does not know told', async () => {
    const entity = (n: number) => ({ schema: 'iglu:com.acme/item/jsonschema/1-0-0', data: { n } })
    const co = JSON.stringify({ schema: 'iglu:x/contexts/jsonschema/1-0-0', data: [entity(1), entity(2)] })
    const events = [
      { e: 'se', se_ac: 'with entities', aid: 'pk_x', duid: 'd', co },
      { e: 'ue', ue_pr: '{', aid: 'pk_x' },
    ]
    const path = '/snowplow/com.snowplowanalytics.snowplow/tp2'
    const answer = await send({ method: 'POST', path, headers: {}, body: JSON.stringify({ data: events }) })
    expect(answer).toMatchObject({ status: 200, text: 'ok' })
    expect(await eventsOf(`event = 'with entities'`, 'anonymous_id, properties')).toMatchObject([
      { anonymous_id: 'd', properties: { item: [{ n: 1 }, { n: 2 }] } },
    ])
    expect(JSON.stringify((await service.get('/setup')).body['refused'])).toContain(
      'Snowplow: data 1: e must be',
    )
  })
})

describe("OpenTelemetry's log exporter", () => {
  it('brings events, and no logs', async () => {
    expect(await replay('otlp', 'otlp-node')).toEqual(['200', '400'])
    expect(
      await eventsOf(`lib = 'opentelemetry'`, 'event, url, distinct_id, session_id, properties'),
    ).toMatchObject([
      {
        event: 'Signed Up',
        url: 'https://x.test/a',
        distinct_id: 'u1',
        session_id: 's1',
        properties: { plan: 'pro', n: 3, list: ['a', 1] },
      },
    ])
  })
})
