import { describe, expect, it } from 'vitest'
import { createService } from '../fixtures/createService.js'
import { useService } from '../fixtures/useService.js'

const service = useService({ idCookie: true, basePath: '/w' })

const ids = { device_id: 'device-a', anonymous_id: 'anonymous-b:;c' }
const none = { device_id: null, anonymous_id: null }

const put = (headers: Record<string, string> = {}, body: unknown = ids) =>
  service.send('POST', '/w/ids', JSON.stringify(body), { 'content-type': 'application/json', ...headers })

describe('the ids cookie of the service', () => {
  it('is out of the reach of scripts, of other sites and of other paths, and lives as long as browsers allow', async () => {
    const { status, body, headers } = await put()
    expect([status, body]).toEqual([200, ids])
    expect(headers.get('set-cookie')).toBe(
      'waymark_ids=device-a:anonymous-b%3A%3Bc; Path=/w; Max-Age=34560000; HttpOnly; SameSite=Lax',
    )
    expect(headers.get('cache-control')).toBe('no-store')
    const secure = await put({ 'x-forwarded-proto': 'https' })
    expect(secure.headers.get('set-cookie')).toMatch(/; Secure$/)
  })

  it('gives back what it was given', async () => {
    const { headers } = await put()
    const cookie = `theme=dark; ${headers.get('set-cookie')!.split(';', 1)[0]}; other=1`
    const { body, headers: answered } = await service.send('GET', '/w/ids', undefined, { cookie })
    expect(body).toEqual(ids)
    expect(answered.get('set-cookie')).toBeNull()
  })

  it.each(['', 'waymark_ids=', 'waymark_ids=a', 'waymark_ids=a:%', 'waymark_ids=:b'])(
    'that reads “%s” is none',
    async (cookie) => {
      expect((await service.send('GET', '/w/ids', undefined, { cookie })).body).toEqual(none)
    },
  )

  it('is found among others of its name, which other ports of the host may have set', async () => {
    for (const other of ['', 'a', 'a:%', ':b', 'a:b:c']) {
      const cookie = `waymark_ids=${other}; waymark_ids=device-a:anonymous-b%3A%3Bc; waymark_ids=x:y`
      expect((await service.send('GET', '/w/ids', undefined, { cookie })).body).toEqual(ids)
    }
  })

  it('goes when the visitor refuses', async () => {
    const { body, headers } = await service.send('DELETE', '/w/ids')
    expect(body).toEqual(none)
    expect(headers.get('set-cookie')).toMatch(/^waymark_ids=; Path=\/w; Max-Age=0;/)
  })

  it('is set by no page of another site', async () => {
    for (const site of ['cross-site', 'same-site'])
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS'])
        expect((await service.send(method, '/w/ids', undefined, { 'sec-fetch-site': site })).status).toBe(403)
    // Nor where a browser does not say so: it asks first for everything but plain text, and is not told that it may.
    const { status, headers } = await put({ origin: 'https://evil.example', 'content-type': 'text/plain' })
    expect([status, headers.get('set-cookie')]).toEqual([400, null])
    const asked = await service.send('OPTIONS', '/w/ids', undefined, { origin: 'https://evil.example' })
    expect(asked.headers.get('access-control-allow-origin')).toBeNull()
    const own = await put({ origin: 'https://shop.example', 'sec-fetch-site': 'same-origin' })
    expect([own.status, own.headers.get('access-control-allow-origin')]).toEqual([200, null])
  })

  it.each([
    {},
    { device_id: 'a' },
    { device_id: '', anonymous_id: 'b' },
    { ...ids, device_id: 'x'.repeat(401) },
  ])('is not made of %j', async (body) => {
    expect((await put({}, body)).status).toBe(400)
  })

  it('is not there unless it is asked for', async () => {
    const usual = await createService()
    try {
      expect((await usual.send('GET', '/ids')).status).toBe(404)
    } finally {
      await usual.close()
    }
  })
})
