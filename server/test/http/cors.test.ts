import { beforeAll, describe, expect, it } from 'vitest'
import { apiKey, basic } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { useService } from '../fixtures/useService.js'

const service = useService({ origins: ['https://admin.example', 'http://127.0.0.1:*'] })

const shop = 'https://shop.example'
const admin = 'https://admin.example'

const preflight = (path: string, origin: string, more: Record<string, string> = {}) =>
  service.send('OPTIONS', path, undefined, {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type',
    ...more,
  })

const post = (path: string, headers: Record<string, string>) =>
  fetch(service.url + path, {
    method: 'POST',
    body: JSON.stringify({ ...event('cors'), statement: 'SELECT 1' }),
    headers,
  })

describe('a page of any origin', () => {
  it.each(['/track', '/identify', '/alias'])(
    'is answered the credentialed preflight of a beacon to %s',
    async (path) => {
      const { status, headers } = await preflight(path, shop)
      expect(status).toBe(204)
      expect(headers.get('access-control-allow-origin')).toBe(shop)
      expect(headers.get('access-control-allow-credentials')).toBe('true')
      expect(headers.get('access-control-allow-methods')).toContain('POST')
      expect(headers.get('access-control-allow-headers')).toBe(
        'content-type, x-api-key, authorization, x-write-key, anonymousid, sentat',
      )
      expect(Number(headers.get('access-control-max-age'))).toBeGreaterThanOrEqual(600)
      expect(headers.get('vary')).toBe('Origin')
    },
  )

  it('may ask for a private network, and is not told of one that it did not ask for', async () => {
    const asked = await preflight('/track', shop, { 'access-control-request-private-network': 'true' })
    expect(asked.headers.get('access-control-allow-private-network')).toBe('true')
    expect((await preflight('/track', shop)).headers.get('access-control-allow-private-network')).toBeNull()
  })

  it.each([
    ['an accepted event', 200, `/track?apiKey=${apiKey}`],
    ['a wrong key', 401, '/track?apiKey=wrong'],
  ])('can read the answer to %s', async (_, status, path) => {
    const response = await post(path, { origin: shop })
    await response.text()
    expect(response.status).toBe(status)
    expect(response.headers.get('access-control-allow-origin')).toBe(shop)
    expect(response.headers.get('access-control-allow-credentials')).toBe('true')
    const exposed = response.headers.get('access-control-expose-headers')
    expect(exposed).toContain('Retry-After')
    expect(exposed).toContain('Access-Control-Allow-Credentials')
  })
})

describe('a page whose endpoint has a path too many', () => {
  it('can read that it is not there, and Set up tells it', async () => {
    expect((await preflight('/api/track', shop)).status).toBe(204)
    const response = await post('/api/track?apiKey=any', { origin: shop })
    expect(response.status).toBe(404)
    expect(response.headers.get('access-control-allow-origin')).toBe(shop)
    const message = 'A page asks for /api/track, which is not there; /track is. Look at its endpoint.'
    expect(await response.json()).toMatchObject({ error: 'not-found', message })
    const setup = await service.send('GET', '/setup', undefined, { authorization: basic })
    expect(setup.body).toMatchObject({ refused: { code: 'not-found', message, origin: shop } })
  })
})

describe('outside of the paths for events', () => {
  const paths = [
    '/query',
    '/append',
    '/upload',
    '/upsert',
    '/validate',
    '/explain',
    '/autocomplete',
    '/nothing',
  ]

  it.each(paths)('a page that is not listed gets no answer from %s, whatever it sends', async (path) => {
    for (const headers of [
      { origin: shop, authorization: basic },
      { origin: 'null', authorization: basic },
      { origin: `${admin}.evil.example`, authorization: basic },
      { 'sec-fetch-site': 'same-site', authorization: basic },
      { 'sec-fetch-site': 'cross-site', authorization: basic },
    ]) {
      const response = await post(path, headers as Record<string, string>)
      expect(await response.json()).toMatchObject({ error: 'origin-not-allowed' })
      expect(response.status).toBe(403)
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
      expect(response.headers.get('access-control-allow-credentials')).toBeNull()
    }
    expect((await preflight(path, shop)).status).toBe(403)
  })

  it.each([
    ['GET', `/query/${crypto.randomUUID()}`],
    ['DELETE', `/query/${crypto.randomUUID()}?session_id=x`],
    ['GET', `/tasks/${crypto.randomUUID()}`],
  ])('the same holds for %s %s', async (method, path) => {
    const { status, body } = await service.send(method, path, undefined, {
      origin: shop,
      authorization: basic,
    })
    expect(status).toBe(403)
    expect(body).toMatchObject({ error: 'origin-not-allowed' })
  })

  it.each([admin, 'http://127.0.0.1:1234', 'http://127.0.0.1:80'])(
    'the listed %s can read, with a password that it sends itself, and not with a cached one',
    async (origin) => {
      const asked = await preflight('/query', origin)
      expect(asked.status).toBe(204)
      const response = await post('/query', { origin, authorization: basic })
      expect(response.status).toBe(200)
      await response.text()
      for (const { headers } of [asked, response]) {
        expect(headers.get('access-control-allow-origin')).toBe(origin)
        expect(headers.get('access-control-allow-credentials')).toBeNull()
      }
    },
  )

  it.each([{}, { 'sec-fetch-site': 'none' }, { 'sec-fetch-site': 'same-origin' }])(
    'a program is answered (%o)',
    async (headers) => {
      const response = await post('/query', { ...headers, authorization: basic } as Record<string, string>)
      expect(response.status).toBe(200)
      await response.text()
    },
  )
})

describe('the session of somebody who has logged in', () => {
  let cookie: string
  beforeAll(async () => {
    const login = (headers: Record<string, string>) =>
      service.send('POST', '/session', '{"user":"ada","password":"lovelace"}', {
        'content-type': 'application/json',
        ...headers,
      })
    // Each counts where it was given, over http or https.
    const answers = [await login({}), await login({ 'x-forwarded-proto': 'https' })]
    cookie = answers.map(({ headers }) => headers.get('set-cookie')!.split(';', 1)[0]).join('; ')
  })

  // A browser sends a `SameSite=Strict` cookie with none of the first three; they must not count on it.
  const foreign = () => [
    { origin: shop },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'cross-site', origin: service.url },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'null' },
    { origin: `${service.url}0` },
    { origin: `${service.url}.evil.example` },
    { origin: service.url.replace(/:\d+$/, '') },
    { referer: `${shop}/?${service.url}` },
    // Listed, and so to show a password of its own.
    { origin: admin },
    { origin: 'http://127.0.0.1:1' },
    // Nobody vouches for these.
    { 'sec-fetch-site': 'none' },
    {},
    // A page that came in the clear is not the one that came by https.
    { origin: service.url, 'x-forwarded-proto': 'https' },
  ]
  const requests: [method: string, path: string, body?: string][] = [
    ['POST', '/query', '{"statement":"SELECT 1","format":"jsonl"}'],
    ['GET', '/query?statement=SELECT+1&format=jsonl'],
    ['GET', `/query/${crypto.randomUUID()}`],
    ['DELETE', `/query/${crypto.randomUUID()}?session_id=x`],
    ['POST', '/validate', '{"statement":"SELECT 1"}'],
    ['POST', '/append?catalog=lakehouse&schema=main&table=t', '[]'],
    ['GET', `/tasks/${crypto.randomUUID()}`],
    ['GET', '/session'],
    ['GET', '/setup'],
  ]

  it.each(requests)('gives nothing to pages of other addresses: %s %s', async (method, path, body) => {
    for (const headers of foreign()) {
      const answer = await service.send(method, path, body, { ...headers, cookie })
      // Whoever asks who is logged in hears that nobody is.
      if (answer.body['user'] !== null) expect([401, 403], JSON.stringify(headers)).toContain(answer.status)
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
    }
  })

  it.each(requests)('serves pages of the same address: %s %s', async (method, path, body) => {
    for (const headers of [
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'same-origin', origin: 'https://behind.a.proxy' },
      { origin: service.url },
      { referer: `${service.url}/app/` },
      { origin: service.url.replace('http', 'https'), 'x-forwarded-proto': 'https' },
    ]) {
      const answer = await service.send(method, path, body, { ...headers, cookie })
      expect([200, 400, 404], JSON.stringify(headers)).toContain(answer.status)
      expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  it('cannot be begun or ended by a page of another address', async () => {
    const told = foreign().filter((each) => 'origin' in each || each['sec-fetch-site']?.endsWith('-site'))
    for (const headers of told) {
      for (const [method, body] of [
        ['POST', '{"user":"ada","password":"lovelace"}'],
        ['DELETE', undefined],
      ] as const) {
        const answer = await service.send(method, '/session', body, {
          'content-type': 'application/json',
          ...headers,
          cookie,
        })
        expect([method, answer.status, answer.headers.get('set-cookie')]).toEqual([method, 403, null])
      }
    }
    const own = { 'sec-fetch-site': 'same-origin', cookie }
    expect((await service.send('GET', '/session', undefined, own)).status).toBe(200)
  })

  it('is not looked at where a password or a key decides', async () => {
    const wrong = `Basic ${Buffer.from('ada:byron').toString('base64')}`
    const own = { 'sec-fetch-site': 'same-origin', cookie }
    const asked = await service.send('GET', '/session', undefined, { ...own, authorization: wrong })
    expect(asked.status).toBe(401)
    expect((await service.send('POST', '/track', '[]', own)).status).toBe(401)
  })
})

describe('other requests', () => {
  it('answers 404 to a path that is not there', async () => {
    expect(await service.get('/nothing')).toMatchObject({ status: 404, body: { error: 'not-found' } })
  })

  it('answers 405 to a method that the path does not have, and names the right one', async () => {
    const answer = await service.send('PUT', '/track', '{}')
    expect(answer).toMatchObject({ status: 405, body: { error: 'method-not-allowed' } })
    expect(answer.headers.get('allow')).toBe('POST')
  })
})
