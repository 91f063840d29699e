import { describe, expect, it } from 'vitest'
import { useSenders } from './useSenders.js'

const { service, send, post, replay, objects } = useSenders()
const text = (start: string) => expect.stringMatching(new RegExp(`^${start}`)) as string
const traitsOf = async (id: string): Promise<unknown> =>
  (
    await objects(
      `SELECT traits FROM persons WHERE person_id = (SELECT person_id FROM identities WHERE distinct_id = '${id}')`,
    )
  )[0]?.['traits']

describe("PostHog's SDKs", () => {
  it('have each call of posthog-node understood', async () => {
    expect(await replay('posthog', 'posthog-node')).toEqual(['200'])
    expect(
      await objects(
        `SELECT event, distinct_id, anonymous_id, properties FROM events WHERE lib = 'posthog-node' ORDER BY event_id`,
      ),
    ).toEqual([
      {
        event: 'T',
        distinct_id: 'u1',
        anonymous_id: null,
        properties: {
          ...{ a: 1, groups: { company: 'c' }, is_server: true, insert_id: text('01a21f8e') },
          ...{ $lib: 'posthog-node', $lib_version: '5.70.0' },
        },
      },
      {
        event: '$groupidentify',
        distinct_id: '$company_c',
        anonymous_id: null,
        properties: expect.objectContaining({ group_set: { n: 1 } }) as object,
      },
    ])
    expect(await traitsOf('u1')).toEqual({ email: 'e', z: 1, first: 1 })
    expect(await traitsOf('a1')).toEqual(await traitsOf('u1'))
  })

  it('have each call of the Python SDK understood', async () => {
    expect(await replay('posthog', 'ph-py')).toEqual(['200'])
    expect(
      await objects(`SELECT event, os FROM events WHERE lib = 'posthog-python' ORDER BY event_id`),
    ).toMatchObject([{ event: 'T', os: 'Linux' }, { event: '$groupidentify' }])
    expect(await traitsOf('u1')).toMatchObject({ o: 1 })
  })

  it('have visitors, sessions, pages and campaigns of a browser understood', async () => {
    expect((await replay('posthog', 'posthog')).filter((each) => each !== '200')).toEqual([])
    const found =
      await objects(`SELECT event, path, referrer, utm_source, browser, language, viewport, session_id, device_id, distinct_id, anonymous_id
      FROM events WHERE lib = 'web' ORDER BY "timestamp", event_id`)
    expect(found.map(({ event }) => event)).toContain('$pageleave')
    expect(new Set(found.map(({ session_id: id }) => id)).size).toBe(1)
    const common = {
      path: '/page',
      referrer: 'https://ref.test/',
      utm_source: 'mail',
      browser: 'Chrome',
      language: 'en-US',
      viewport: '1280x720',
    }
    for (const each of found) expect(each).toMatchObject(common)
    const [first] = found
    expect(first).toMatchObject({ event: 'T', distinct_id: null, anonymous_id: first?.['device_id'] })
    expect(found.find(({ event }) => event === '$pageview')).toMatchObject({
      distinct_id: 'u1',
      anonymous_id: null,
    })
    const people = `SELECT DISTINCT person_id FROM events WHERE lib = 'web'`
    expect(await objects(people)).toHaveLength(1)
  })

  it('are told that there are no flags and nothing to record', async () => {
    const ask = async (method: string, path: string) =>
      JSON.parse((await send({ method, path: `/posthog/${path}`, headers: {}, body: '{}' })).text) as object
    expect(await ask('POST', 'flags/?v=2')).toMatchObject({ flags: {}, sessionRecording: false })
    expect(await ask('GET', 'array/pk_x/config')).toMatchObject({ hasFeatureFlags: false })
    const script = await fetch(`${service.url}/posthog/array/pk_x/config.js`)
    expect(script.headers.get('content-type')).toBe('text/javascript')
    expect((await fetch(`${service.url}/posthog/array/wrong/config.js`)).status).toBe(404)
  })

  it('set a trait once: the first stays, and one that is set in any case takes its place', async () => {
    const once = (value: number, more = {}) =>
      post('/posthog/capture', {
        api_key: 'pk_x',
        event: '$set',
        distinct_id: 'once',
        ...more,
        properties: { $set_once: { n: value } },
      })
    await once(1, { timestamp: '2026-11-01T10:00:00Z' })
    await once(2, { timestamp: '2026-11-02T10:00:00Z' })
    expect(await traitsOf('once')).toEqual({ n: 1 })
    await once(3, { timestamp: '2026-10-01T10:00:00Z', $set: { n: 4 } })
    expect(await traitsOf('once')).toEqual({ n: 4 })
  })

  it('are told what is wrong', async () => {
    expect(await post('/posthog/batch/', { api_key: 'wrong', batch: [] })).toMatchObject({ status: 401 })
    const answer = await post('/posthog/batch/', {
      api_key: 'pk_x',
      batch: [{ event: 'nobody', properties: {} }],
    })
    expect(answer).toMatchObject({
      status: 400,
      body: { detail: 'PostHog: event 0: distinct_id must say whose it is.' },
    })
  })
})

describe("Mixpanel's SDKs", () => {
  it('have each call of the Node SDK understood', async () => {
    const answers = await replay('mixpanel', 'mixpanel-node')
    // What counts or collects for a person, a charge, a deletion and a group have no place here.
    expect(answers).toEqual(['200', '200', '200', '200', '400', '200', '400', '400', '400', '200', '400'])
    const found = await objects(
      `SELECT event, distinct_id, properties FROM events WHERE event IN ('B1', 'B2') OR lib = 'node' ORDER BY event_id`,
    )
    expect(found).toMatchObject([{ event: 'T', distinct_id: 'u1' }, { event: 'B1' }, { event: 'B2' }])
    expect(found[0]?.['properties']).toMatchObject({ a: 1, $ip: '1.2.3.4' })
    expect(await traitsOf('u2')).toMatchObject({ $email: 'e', o: 1, z: null })
  })

  it('have each call of the Python SDK understood', async () => {
    expect((await replay('mixpanel', 'mix-py')).filter((each) => each !== '200')).toEqual([])
    expect(
      await objects(
        `SELECT event, year("timestamp") AS year FROM events WHERE lib = 'python' ORDER BY event_id`,
      ),
    ).toEqual([
      { event: 'T', year: 2026 },
      { event: 'Old', year: 2023 },
    ])
  })

  it('have visitors and pages of a browser understood', async () => {
    expect((await replay('mixpanel', 'mixpanel')).filter((each) => each !== '200')).toEqual([])
    const found = await objects(
      `SELECT event, path, utm_source, distinct_id, anonymous_id, device_id, insert_id, person_id FROM events WHERE lib_version = '2.83.0' ORDER BY event_id`,
    )
    expect(found.map(({ event }) => event)).toEqual(['$pageview', 'T', 'T2'])
    expect(found[0]).toMatchObject({
      path: '/page',
      utm_source: 'mail',
      distinct_id: null,
      anonymous_id: text('[0-9a-f-]{36}$'),
    })
    expect(found[2]).toMatchObject({ distinct_id: 'u1', anonymous_id: found[0]?.['anonymous_id'] })
    expect(new Set(found.map(({ person_id: id }) => id)).size).toBe(1)
    expect(new Set(found.map(({ insert_id: id }) => id)).size).toBe(3)
  })

  it('get the answer of their kind', async () => {
    const data = JSON.stringify({ event: 'x', properties: { token: 'pk_x', distinct_id: 'u' } })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const ask = async (path: string, body: string) =>
      (await send({ method: 'POST', path, headers, body })).text
    expect(await ask('/mixpanel/track?verbose=0', `data=${encodeURIComponent(data)}`)).toBe('1')
    expect(await ask('/mixpanel/track', `data=${encodeURIComponent(data)}&verbose=1`)).toBe(
      '{"status":1,"error":null}',
    )
    expect(await ask('/mixpanel/import', data)).toContain('"num_records_imported":1')
    expect(await ask('/mixpanel/track', `data=${encodeURIComponent(data.replace('pk_x', 'no'))}`)).toContain(
      '"status":0',
    )
  })
})

describe("Amplitude's SDKs", () => {
  it('have each call of the Node SDK understood', async () => {
    expect(await replay('amplitude', 'amplitude-node')).toEqual(['200'])
    const found = await objects(
      `SELECT event, distinct_id, anonymous_id, device_id, properties FROM events WHERE lib = 'amplitude-node-ts' ORDER BY event_id`,
    )
    expect(found).toMatchObject([
      {
        event: 'T',
        distinct_id: 'u1',
        anonymous_id: 'd1',
        device_id: 'd1',
        properties: { a: 1, $app_version: '1.2', $ip: '1.2.3.4' },
      },
      { event: 'revenue_amount', anonymous_id: null, properties: { price: 3, productId: 'p', quantity: 1 } },
    ])
    expect(await traitsOf('u1')).toMatchObject({ f: 1, org: 'o', x: null })
    const { body } = await service.get('/setup')
    expect(JSON.stringify(body['refused'])).toContain('$add has no place here')
  })

  it('have each call of the Python SDK understood', async () => {
    expect(await replay('amplitude', 'amp-py')).toEqual(['200'])
    expect(await objects(`SELECT event FROM events WHERE lib = 'amplitude-python'`)).toEqual([{ event: 'T' }])
  })

  it('have visitors, sessions and pages of a browser understood, each once', async () => {
    expect((await replay('amplitude', 'amplitude')).filter((each) => each !== '200')).toEqual([])
    const found = await objects(
      `SELECT event, path, referrer, utm_source, browser, language, distinct_id, session_id, device_id FROM events WHERE lib = 'amplitude-ts' ORDER BY event_id`,
    )
    expect(found).toHaveLength(4)
    expect(new Set(found.map(({ event }) => event))).toEqual(
      new Set(['$pageview', 'T', 'revenue_amount', 'session_start']),
    )
    const page = found.find(({ event }) => event === '$pageview')
    expect(page).toMatchObject({
      path: '/page',
      referrer: 'https://ref.test/',
      utm_source: 'mail',
      browser: 'Chrome',
      language: 'en-US',
      distinct_id: 'u1',
    })
    expect(page?.['session_id']).toBe(
      `${String(page?.['session_id']).split('-')[0]}-${String(page?.['device_id'])}`,
    )
  })

  it('have a clock that is wrong by minutes corrected, and no other', async () => {
    const body = (event: string, wrongMs: number) => {
      const now = Date.now() - wrongMs
      const events = [{ event_type: event, user_id: 'u', time: now - 3_600_000, insert_id: event }]
      return { api_key: 'pk_x', events, client_upload_time: new Date(now).toISOString() }
    }
    expect((await post('/amplitude/batch', body('right', 5000))).status).toBe(200)
    await post('/amplitude/2/httpapi', body('wrong', 86_400_000))
    const hours = `SELECT event, round(epoch(received_at - "timestamp") / 3600, 1) AS hours FROM events WHERE event IN ('right', 'wrong') ORDER BY 1`
    expect(await objects(hours)).toEqual([
      { event: 'right', hours: 1 },
      { event: 'wrong', hours: 1 },
    ])
  })
})
