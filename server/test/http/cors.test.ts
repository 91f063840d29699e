import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiKey, basic, createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'

let service: Service
beforeAll(async () => {
  service = await createService()
})
afterAll(() => service.close())

const origin = 'https://shop.example'

describe('cross-origin requests', () => {
  it.each(['/track?apiKey=x', '/identify', '/alias', '/query'])(
    'answers the credentialed preflight of a beacon to %s',
    async (path) => {
      const { status, headers } = await service.send('OPTIONS', path, undefined, {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      })
      expect(status).toBe(204)
      expect(headers.get('access-control-allow-origin')).toBe(origin)
      expect(headers.get('access-control-allow-credentials')).toBe('true')
      expect(headers.get('access-control-allow-methods')).toContain('POST')
      expect(headers.get('access-control-allow-headers')).toBe('content-type, x-api-key, authorization')
      expect(Number(headers.get('access-control-max-age'))).toBeGreaterThanOrEqual(600)
      expect(headers.get('vary')).toBe('Origin')
    },
  )

  it('answers a page that asks for a private network, and no other', async () => {
    const ask = (more: Record<string, string>) =>
      service.send('OPTIONS', '/track', undefined, { origin, ...more })
    const asked = await ask({ 'access-control-request-private-network': 'true' })
    expect(asked.headers.get('access-control-allow-private-network')).toBe('true')
    expect((await ask({})).headers.get('access-control-allow-private-network')).toBeNull()
  })

  it.each([
    ['an accepted event', 200, `/track?apiKey=${apiKey}`, {}],
    ['a wrong key', 401, '/track?apiKey=wrong', {}],
    ['a query', 200, '/query', { authorization: basic }],
    ['an unknown path', 404, '/nothing', {}],
  ])('lets the page read the answer to %s', async (_, status, path, more) => {
    const body = JSON.stringify({ ...event('cors'), statement: 'SELECT 1' })
    const response = await fetch(service.url + path, { method: 'POST', body, headers: { origin, ...more } })
    await response.text()
    expect(response.status).toBe(status)
    expect(response.headers.get('access-control-allow-origin')).toBe(origin)
    expect(response.headers.get('access-control-allow-credentials')).toBe('true')
    expect(response.headers.get('access-control-expose-headers')).toContain('Retry-After')
    expect(response.headers.get('access-control-expose-headers')).toContain(
      'Access-Control-Allow-Credentials',
    )
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
