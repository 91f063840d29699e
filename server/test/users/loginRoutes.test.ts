import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createService } from '../fixtures/createService.js'
import { useService } from '../fixtures/useService.js'

const service = useService()

const page = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }

const login = (
  body: unknown = { user: 'ada', password: 'lovelace' },
  headers: Record<string, string> = page,
) => service.send('POST', '/session', JSON.stringify(body), headers)

/** What a browser keeps of a `Set-Cookie`. */
const cookieOf = ({ headers }: { headers: Headers }) => /^[^;]+/.exec(headers.get('set-cookie')!)![0]

const select = (headers: Record<string, string>) =>
  service.send('GET', '/query?statement=SELECT+1&format=jsonl', undefined, headers)

describe('a login', () => {
  it('answers who it is, and with a cookie that no script, other site or clear connection gets', async () => {
    const { status, body, headers } = await login()
    expect(status).toBe(200)
    expect(body).toEqual({ user: 'ada', role: 'write', environments: ['production', 'staging'] })
    expect(headers.get('set-cookie')).toMatch(
      /^waymark_session_[\da-f]{8}=[\w.-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    )
    expect(headers.get('cache-control')).toBe('no-store')
    const secure = await login(undefined, { ...page, 'x-forwarded-proto': 'https' })
    expect(secure.headers.get('set-cookie')).toMatch(/^__Host-waymark_session_.*; SameSite=Strict; Secure$/)
  })

  it('is refused with a wrong name or password, and sets no cookie', async () => {
    for (const wrong of [
      { user: 'ada', password: 'byron' },
      { user: 'ad', password: 'lovelace' },
      { user: 'ada:lovelace', password: '' },
    ]) {
      const { status, body, headers } = await login(wrong)
      expect([status, body['error'], headers.get('set-cookie')]).toEqual([401, 'unauthorized', null])
    }
  })

  it('takes JSON alone, which a page of another site cannot send without asking', async () => {
    const { status, body } = await login(undefined, { ...page, 'content-type': 'text/plain' })
    expect([status, body['error']]).toEqual([400, 'invalid-headers'])
    expect((await login({ user: 'ada' })).body).toMatchObject({ error: 'invalid-body' })
  })

  it('is asked about without an error when nobody is logged in', async () => {
    const { status, body } = await service.send('GET', '/session', undefined, page)
    expect([status, body]).toEqual([200, { user: null, has_users: true }])
    const wrong = `Basic ${Buffer.from('ada:byron').toString('base64')}`
    expect((await service.send('GET', '/session', undefined, { authorization: wrong })).status).toBe(401)
  })

  it('says that there is no user, and not that the password is wrong', async () => {
    const empty = await createService({ users: {} })
    try {
      expect((await empty.send('GET', '/session', undefined, page)).body).toEqual({
        user: null,
        has_users: false,
      })
      const body = JSON.stringify({ user: 'ada', password: 'lovelace' })
      const { status, body: said } = await empty.send('POST', '/session', body, page)
      expect([status, said['message']]).toEqual([
        401,
        expect.stringMatching(/^This service has no user\. Start/),
      ])
    } finally {
      await empty.close()
    }
  })

  it('outlives a restart of the service', async () => {
    const cookie = cookieOf(await login())
    await service.restart()
    expect((await service.send('GET', '/session', undefined, { ...page, cookie })).body['user']).toBe('ada')
  })
})

describe('the cookie of a session', () => {
  it('stands for the password wherever the lakehouse is asked, among other cookies too', async () => {
    const cookie = `other=1; ${cookieOf(await login())}; more=2`
    const asked = await select({ ...page, cookie })
    expect([asked.status, asked.body]).toEqual([200, { '1': 1 }])
    const validated = await service.send('POST', '/validate', '{"statement":"SELECT 1"}', { ...page, cookie })
    expect(validated.body['valid']).toBe(true)
    const task = await service.send('GET', `/tasks/${crypto.randomUUID()}`, undefined, { ...page, cookie })
    expect(task.body['error']).toBe('invalid-task-id')
    const me = await service.send('GET', '/session', undefined, { ...page, cookie })
    expect(me.body).toEqual({ user: 'ada', role: 'write', environments: ['production', 'staging'] })
  })

  it('is worth nothing when it was changed, cut off or made up', async () => {
    const cookie = cookieOf(await login())
    const [name, ...rest] = cookie.split('.')
    const own = cookie.slice(0, cookie.indexOf('='))
    const bob = `${own}=${Buffer.from('bob').toString('base64url')}`
    for (const odd of [
      cookie.slice(0, -1),
      `${cookie}x`,
      [bob, ...rest].join('.'),
      [name, rest[0], rest[1], 'zzzzzzzz', rest[3]].join('.'),
      `${own}=`,
      `${own}=....`,
    ]) {
      expect((await select({ ...page, cookie: odd })).status).toBe(401)
    }
  })

  it('ends with the logout, also where it was copied', async () => {
    const cookie = cookieOf(await login())
    const out = await service.send('DELETE', '/session', undefined, { ...page, cookie })
    expect(out.status).toBe(204)
    expect(out.headers.get('set-cookie')).toMatch(/^waymark_session_[\da-f]{8}=; Path=\/; Max-Age=0;/)
    expect((await select({ ...page, cookie })).status).toBe(401)
  })

  it('lets no browser ask for a password by itself', async () => {
    expect((await select(page)).headers.get('www-authenticate')).toBe('Session realm="waymark"')
    expect((await select({})).headers.get('www-authenticate')).toBe('Basic realm="waymark"')
  })

  it('belongs to the path that a proxy leaves', async () => {
    const below = await createService({ basePath: '/w' })
    try {
      const answer = await below.send('POST', '/w/session', '{"user":"ada","password":"lovelace"}', page)
      expect(answer.headers.get('set-cookie')).toContain('; Path=/w;')
      // The service answers without the prefix, too, and a browser sends this cookie there.
      const own = await below.send('POST', '/session', '{"user":"ada","password":"lovelace"}', page)
      expect(own.headers.get('set-cookie')).toContain('; Path=/;')
      const secure = { ...page, 'x-forwarded-proto': 'https' }
      const given = await below.send('POST', '/w/session', '{"user":"ada","password":"lovelace"}', secure)
      // A browser takes `__Host-` for the path `/` alone.
      expect(given.headers.get('set-cookie')).toMatch(/^__Secure-waymark_session_.*; Path=\/w;.*; Secure$/)
    } finally {
      await below.close()
    }
  })
})

/** A browser sends a host's cookies to each of its ports, and those of a longer path first. */
describe('beside cookies of other programs on its host, the cookie of a session', () => {
  const whoAsks = async (cookie: string, more: Record<string, string> = {}) =>
    (await service.send('GET', '/session', undefined, { ...page, ...more, cookie })).body['user']
  const nameOf = (cookie: string) => cookie.slice(0, cookie.indexOf('='))

  it('counts wherever it stands among others of its name', async () => {
    const own = cookieOf(await login())
    const name = nameOf(own)
    const dead = cookieOf(await login())
    await service.send('DELETE', '/session', undefined, { ...page, cookie: dead })
    for (const other of [
      '',
      '....',
      '"quoted"',
      'a=b',
      '%',
      'é',
      dead.slice(name.length + 1),
      'x'.repeat(4000),
    ])
      for (const cookie of [
        `${name}=${other}; ${own}`,
        `${own};${name}=${other}`,
        `${name}; ${name}=${other};${own}`,
      ])
        expect(await whoAsks(cookie), cookie.slice(0, 200)).toBe('ada')
  })

  it('is given by a login whatever comes with it', async () => {
    const name = nameOf(cookieOf(await login()))
    const cookie = `${name}=foreign; ${name}=; waymark_session=x`
    const answer = await login(undefined, { ...page, cookie })
    expect(await whoAsks(`${cookie}; ${cookieOf(answer)}`)).toBe('ada')
  })

  it('is ended by a logout with all others of its name', async () => {
    const [first, second] = [cookieOf(await login()), cookieOf(await login())]
    await service.send('DELETE', '/session', undefined, { ...page, cookie: `${first}; ${second}` })
    for (const cookie of [first, second]) expect(await whoAsks(cookie)).toBeNull()
  })

  it('has a name that no other service has, nor the same one over a clear connection', async () => {
    // A new store: a prepared one has the secret of every other copy.
    const dataFolder = mkdtempSync(join(tmpdir(), 'waymark-other-'))
    const other = await createService({ dataFolder })
    try {
      const names = [
        await login(),
        await login(undefined, { ...page, 'x-forwarded-proto': 'https' }),
        await other.send('POST', '/session', '{"user":"ada","password":"lovelace"}', page),
      ].map((answer) => nameOf(cookieOf(answer)))
      expect(new Set(names).size).toBe(3)
    } finally {
      await other.close()
    }
    // No browser lets http replace a cookie of https, and no page over http can have set this one.
    const secure = { 'x-forwarded-proto': 'https' }
    const cookie = cookieOf(await login(undefined, { ...page, ...secure }))
    expect([await whoAsks(cookie, secure), await whoAsks(cookie)]).toEqual(['ada', null])
  })

  it('has room beside many, and beyond that it is said what is wrong', async () => {
    const own = cookieOf(await login())
    const many = (bytes: number) => `${'theme=dark; '.repeat(bytes / 12)}${own}`
    expect(await whoAsks(many(24_000))).toBe('ada')
    const long = `/query?format=jsonl&statement=SELECT+1+--${'x'.repeat(24_000)}`
    const asked = await service.send('GET', long, undefined, { ...page, cookie: many(6000) })
    expect([asked.status, asked.body]).toEqual([200, { '1': 1 }])
    const { status, body } = await service.send('GET', '/app/', undefined, { cookie: many(40_000) })
    expect([status, body]).toEqual([
      431,
      {
        error: 'headers-too-large',
        message:
          'The headers have more than 32 KiB. In a browser, delete the cookies of this host; other ports of the host have set some of them.',
      },
    ])
  })
})
