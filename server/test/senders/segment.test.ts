import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { useSenders } from './useSenders.js'

const { service, send, post, replay, objects } = useSenders({
  senders: { on: ['segment'], keys: new Map([['shop.example', 'pk_x']]) },
})
const batch = '/segment/v1/batch'
const auth = { authorization: `Basic ${Buffer.from('pk_x:').toString('base64')}` }
const text = (start: string) => expect.stringMatching(new RegExp(`^${start}`)) as string
const eventsOf = (library: string, columns: string) =>
  objects(`SELECT ${columns} FROM events WHERE lib = '${library}' ORDER BY event_id`)
const propertiesOf = async (event: string) =>
  (await objects(`SELECT properties FROM events WHERE event = '${event}'`)).map((each) => each['properties'])

describe("an SDK that speaks Segment's API", () => {
  it('has each call of analytics-node understood', async () => {
    expect(await replay('segment', 'seg-node')).toEqual(['200', '200', '200'])
    const library = '@segment/analytics-node'
    const common = { $lib: library, $lib_version: '3.1.0', insert_id: text('node-next-') }
    expect(await eventsOf(library, 'event, properties')).toEqual([
      {
        event: 'Signed Up',
        properties: { ...common, plan: 'pro', $ip: '1.2.3.4', $url: 'https://x.test/a?b=1', title: 'T' },
      },
      { event: '$pageview', properties: { ...common, name: 'Home', category: 'c', $url: 'https://x.test/' } },
      { event: '$screen', properties: { ...common, $screen_name: 'S' } },
      { event: '$group', properties: { ...common, group_id: 'g', n: 1 } },
    ])
    // The alias of u1 is u2, to whom the anonymous id a1 was given before.
    expect(await eventsOf(library, 'DISTINCT distinct_id, anonymous_id, person_id')).toEqual([
      { distinct_id: 'u1', anonymous_id: 'a1', person_id: 'u2' },
    ])
    expect(await objects(`SELECT traits FROM persons WHERE person_id = 'u2'`)).toMatchObject([
      { traits: { email: 'x', b: 1 } },
    ])
    // RudderStack's SDK for Node.
    expect(await eventsOf('analytics-node', 'event, distinct_id')).toEqual([
      { event: 'E', distinct_id: 'u1' },
    ])
  })

  it('has each call of the Python SDK understood', async () => {
    expect(await replay('segment', 'seg-py')).toEqual(['200'])
    expect(await eventsOf('analytics-python', 'event, url, anonymous_id')).toEqual([
      { event: 'Py', url: null, anonymous_id: null },
      { event: '$pageview', url: 'https://x.test/', anonymous_id: null },
      { event: '$group', url: null, anonymous_id: null },
      { event: '$screen', url: null, anonymous_id: null },
    ])
  })

  it.each([
    ['segment', 'analytics.js', ['$pageview', 'T', '$group', '$screen']],
    ['rudder', 'RudderLabs JavaScript SDK', ['$pageview', 'T', '$group']],
    ['jitsu', '@jitsu/js', ['$group', '$pageview', 'T']],
  ])('has page, referrer, campaign and device of %s in a browser', async (sdk, library, names) => {
    const answers = await replay('segment', sdk)
    expect(answers.filter((each) => each !== '200')).toEqual([])
    const columns = 'event, path, referrer, utm_source, utm_medium, browser, language, anonymous_id'
    const found = await eventsOf(library, columns)
    expect(found.map(({ event }) => event)).toEqual(names)
    for (const each of found)
      expect(each).toMatchObject({
        path: '/page',
        referrer: 'https://ref.test/',
        utm_source: 'mail',
        utm_medium: 'm',
        browser: 'Chrome',
        language: 'en-US',
        anonymous_id: text('[0-9a-f]{8}-'),
      })
  })

  it("takes a session and a window's size where they are given", async () => {
    await replay('segment', 'rudder')
    const [found] = await eventsOf(
      'RudderLabs JavaScript SDK',
      "DISTINCT session_id, viewport, insert_id LIKE '%-%' AS is_known",
    )
    expect(found).toMatchObject({
      session_id: text('\\d+-8f8ec2ca|\\d+-[0-9a-f]'),
      viewport: '1280x720',
      is_known: true,
    })
  })
})

describe('a batch', () => {
  const message = (event: string, more = {}) => ({
    type: 'track',
    event,
    userId: 'u',
    messageId: event,
    ...more,
  })

  it('is stored once, however often it is sent', async () => {
    const body = { batch: [message('once'), message('once, too')] }
    for (let at = 0; at < 3; at++) expect((await post(batch, body, auth)).status).toBe(200)
    expect(await objects(`SELECT event FROM events WHERE event LIKE 'once%' ORDER BY 1`)).toEqual([
      { event: 'once' },
      { event: 'once, too' },
    ])
  })

  it("has its times by this service's clock", async () => {
    const hour = 3_600_000
    const wrong = Date.now() - 5 * hour
    const at = (ms: number) => new Date(wrong + ms).toISOString()
    const body = { batch: [message('late', { timestamp: at(0) })], sentAt: at(2 * hour) }
    expect((await post(batch, body, auth)).status).toBe(200)
    const [{ hours } = {}] = await objects(
      `SELECT round(epoch(received_at - "timestamp") / 3600) AS hours FROM events WHERE event = 'late'`,
    )
    expect(hours).toBe(2)
  })

  it('keeps the order of its messages, so that an anonymous id belongs to the first who has it', async () => {
    const body = {
      batch: [
        message('first', { userId: 'first', anonymousId: 'shared' }),
        { type: 'identify', userId: 'second', anonymousId: 'shared' },
        message('anonymous', { userId: undefined, anonymousId: 'shared' }),
      ],
    }
    expect((await post(batch, body, auth)).status).toBe(200)
    expect(await objects(`SELECT person_id FROM events WHERE event = 'anonymous'`)).toEqual([
      { person_id: 'first' },
    ])
  })

  it('loses what is wrong, says which and why, and keeps the others', async () => {
    const body = {
      batch: [
        message('right'),
        message('wrong', { timestamp: 'yesterday' }),
        { type: 'track', event: 'nobody' },
        { type: 'sing', userId: 'u' },
      ],
    }
    const answer = await post(batch, body, auth)
    expect(answer).toMatchObject({ status: 200, body: { success: true, rejected: 3 } })
    const refused =
      'Segment: batch 2: userId or anonymousId must say whose it is. So were 2 more of this request.'
    expect((await service.get('/setup')).body).toMatchObject({ refused: { message: refused } })
    expect(await objects(`SELECT event FROM events WHERE event IN ('right', 'wrong', 'nobody')`)).toEqual([
      { event: 'right' },
    ])
    const alone = await post(batch, { batch: [body.batch[1]] }, auth)
    expect(alone).toMatchObject({ status: 400, body: { success: false } })
    expect(alone.body['message']).toMatch(/^Segment: batch 0: timestamp must be/)
  })

  it('has no name of its own taken for a built-in one', async () => {
    const properties = { $url: 'mine', $weird: 1, insert_id: 'mine', __proto__: null, nothing: null }
    await post(batch, { batch: [message('names', { properties })] }, auth)
    expect(await propertiesOf('names')).toEqual([
      { insert_id: 'names', _insert_id: 'mine', url: 'mine', weird: 1 },
    ])
  })
})

describe('a request', () => {
  const one = { type: 'track', event: 'asked', userId: 'u' }

  it.each([
    ['no key', {}, one, 401],
    ['a wrong key', { authorization: `Basic ${Buffer.from('nobody:').toString('base64')}` }, one, 401],
    ['the name of what every object has', {}, { ...one, writeKey: 'constructor' }, 401],
    ['a key for several environments', {}, { ...one, writeKey: 'pk_all' }, 403],
    ['a body that is no JSON', auth, '{"batch":', 400],
    ['a list that is none', auth, { batch: 3 }, 400],
    ['too many levels', auth, `${'['.repeat(1e5)}${']'.repeat(1e5)}`, 400],
    ['too many names', auth, { batch: Array.from({ length: 60_000 }, () => ({ a: 1 })) }, 413],
  ])('with %s is refused as its SDK understands it', async (_, headers, body, status) => {
    expect((await post('/segment/v1/track', body, headers)).status).toBe(status)
  })

  it('may give in place of its key what --senders names', async () => {
    expect((await post('/segment/v1/track', { ...one, writeKey: 'shop.example' })).status).toBe(200)
  })

  it('is not unpacked beyond what a body may have', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1_048_576, 0x20))
    const response = await fetch(service.url + batch, { method: 'POST', headers: auth, body: bomb })
    expect(response.status).toBe(413)
    expect(((await response.json()) as { message: string }).message).toContain('unpacks to more than 8 MiB')
  })

  it('leaves the endpoints of the contract as they are', async () => {
    const { status } = await post('/track', { batch: [one], writeKey: 'pk_x' }, { 'x-api-key': 'pk_x' })
    expect(status).toBe(400)
    expect((await post('/elsewhere/track', one, auth)).body['message']).toContain('Look at its endpoint')
  })

  it('of a page is answered with what the SDK needs to know', async () => {
    const settings = await fetch(`${service.url}/segment/v1/projects/pk_x/settings`, {
      headers: { origin: 'https://shop.test' },
    })
    const host = new URL(service.url).host
    expect(settings.headers.get('access-control-allow-origin')).toBe('https://shop.test')
    expect(await settings.json()).toMatchObject({
      integrations: { 'Segment.io': { apiKey: 'pk_x', apiHost: `${host}/segment/v1`, protocol: 'http' } },
    })
    expect((await fetch(`${service.url}/segment/v1/projects/other/settings`)).status).toBe(404)
    const source = await fetch(`${service.url}/segment/sourceConfig/?writeKey=pk_x`)
    expect(await source.json()).toMatchObject({ source: { enabled: true, writeKey: 'pk_x' } })
  })

  it('is told on Set up, with its SDK', async () => {
    await post(
      batch,
      { batch: [{ ...one, context: { library: { name: 'analytics-go', version: '3.3' } } }] },
      auth,
    )
    const { body } = await service.get('/setup')
    expect(body['senders']).toContainEqual({
      sender: 'Segment',
      sdk: 'analytics-go 3.3',
      events: 1,
      at: text('2'),
    })
  })

  it('of a sender that is not on is not there', async () => {
    expect((await send({ method: 'POST', path: '/posthog/batch', headers: {}, body: '{}' })).status).toBe(404)
  })
})
