import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Provider from 'oidc-provider'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createService, type Service } from '../fixtures/createService.js'
import { writeUsers } from '../fixtures/usersFile.js'

interface Person {
  sub: string
  email?: string | undefined
  preferred_username?: string
  groups?: string[]
}

let folder: string
let server: Server
let service: Service
let issuer: string
let person: Person
/** What answers at the provider's address. */
let answer: (request: IncomingMessage, response: ServerResponse) => void

const headersOf = (name: string, password: string) => ({
  'content-type': 'application/json',
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
})
const root = headersOf('root', 'of all evil')
const page = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }

/** A provider that asks nobody for a password: whoever comes is `person`. */
const createProvider = () => {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'waymark',
        client_secret: 'a secret of the provider',
        redirect_uris: [`${service.url}/oidc/callback`],
      },
    ],
    pkce: { required: () => true },
    conformIdTokenClaims: false,
    scopes: ['openid', 'profile', 'email', 'groups'],
    claims: { openid: ['sub'], profile: ['preferred_username'], email: ['email'], groups: ['groups'] },
    cookies: { keys: ['only for tests'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/login/${uid}` },
    findAccount: () => ({ accountId: person.sub, claims: () => ({ ...person }) }),
    async loadExistingGrant(context) {
      const grant = new context.oidc.provider.Grant({ clientId: 'waymark', accountId: person.sub })
      grant.addOIDCScope('openid profile email groups')
      await grant.save()
      return grant
    },
  })
  const callback = provider.callback()
  return (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith('/login/') !== true) return void callback(request, response)
    void provider.interactionFinished(request, response, { login: { accountId: person.sub } })
  }
}

beforeEach(async () => {
  // The provider says what a real one should have.
  for (const level of ['info', 'warn'] as const) vi.spyOn(console, level).mockImplementation(() => undefined)
  folder = mkdtempSync(join(tmpdir(), 'waymark-oidc-'))
  const usersFile = join(folder, 'users.json')
  writeUsers(usersFile, { root: ['of all evil', 'admin'] })
  server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  service = await createService({
    usersFile,
    oidcIssuer: issuer,
    oidcClientId: 'waymark',
    oidcClientSecret: 'a secret of the provider',
    oidcRoles: { analysts: 'read', engineers: 'write', owners: 'admin' },
  })
  answer = createProvider()
  person = { sub: 'u-1', email: 'grace@example.com', groups: ['analysts', 'engineers'] }
})
afterEach(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  await service.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  rmSync(folder, { recursive: true })
})

/** A browser: keeps the cookies of each address, and follows redirects only as far as it is told. */
const openBrowser = () => {
  const jars = new Map<string, Map<string, string>>()
  const cookiesOf = (url: string) => {
    const { origin } = new URL(url)
    return jars.get(origin) ?? jars.set(origin, new Map()).get(origin)!
  }
  const visit = async (url: string) => {
    const cookie = [...cookiesOf(url)].map((pair) => pair.join('=')).join('; ')
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie, 'sec-fetch-site': 'cross-site' },
    })
    await response.arrayBuffer()
    for (const each of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? []
      if (value === '') cookiesOf(url).delete(name)
      else cookiesOf(url).set(name, value)
    }
    const next = response.headers.get('location')
    return { status: response.status, next: next === null ? undefined : new URL(next, url).href }
  }
  /** Goes on until an address of the service that `isEnd`, and gives that, unvisited. */
  const follow = async (url: string, isEnd: (next: string) => boolean) => {
    let at = url
    for (let steps = 0; steps < 12; steps++) {
      const { next, status } = await visit(at)
      if (next === undefined) throw new Error(`There is no way on from ${at}: ${status}`)
      if (isEnd(next)) return next
      at = next
    }
    throw new Error(`The redirects have no end: ${at}`)
  }
  const cookie = () => [...cookiesOf(service.url)].map((pair) => pair.join('=')).join('; ')
  return {
    visit,
    cookies: () => cookiesOf(service.url),
    /** Gives the address at which the provider sends the browser back. */
    toCallback: () =>
      follow(`${service.url}/oidc`, (next) => next.startsWith(`${service.url}/oidc/callback`)),
    logIn: () => follow(`${service.url}/oidc`, (next) => next.startsWith(`${service.url}/app/`)),
    session: async () =>
      (await service.send('GET', '/session', undefined, { ...page, cookie: cookie() })).body,
    cookie,
  }
}

const problemAt = (path: string) => `${service.url}/app/#oidc=${path}`
const listed = async () => (await service.send('GET', '/access', undefined, root)).body['users'] as object[]

describe('a login by a provider', () => {
  it('gives the highest role of the groups, a user of the provider, and a cookie as a password does', async () => {
    expect((await service.send('GET', '/session', undefined, page)).body).toEqual({
      user: null,
      has_users: true,
      oidc: true,
    })
    const browser = openBrowser()
    expect(await browser.logIn()).toBe(`${service.url}/app/`)
    expect(await browser.session()).toEqual({
      user: 'grace@example.com',
      role: 'write',
      environments: ['production', 'staging'],
      oidc: true,
    })
    expect([...browser.cookies().keys()]).toEqual([expect.stringMatching(/^waymark_session_/)])
    expect(await listed()).toContainEqual({ user: 'grace@example.com', role: 'write', from: '--oidc-issuer' })
    const cookie = browser.cookie()
    await service.restart()
    const { body } = await service.send('GET', '/session', undefined, { ...page, cookie })
    expect(body['user']).toBe('grace@example.com')
  })

  it('follows the groups at each login, and ends twelve hours after it began', async () => {
    const browser = openBrowser()
    await browser.logIn()
    person = { ...person, groups: ['owners'] }
    await openBrowser().logIn()
    expect((await browser.session())['role']).toBe('admin')
    const now = Date.now()
    for (const [hours, user] of [
      [11, 'grace@example.com'],
      [12.1, null],
    ] as const) {
      vi.useFakeTimers({ toFake: ['Date'], now: now + hours * 3_600_000 })
      expect((await browser.session())['user']).toBe(user)
    }
  })

  it('ends those of before when no group gives a role any more, or when the name is another one', async () => {
    const browser = openBrowser()
    await browser.logIn()
    person = { ...person, email: 'hopper@example.com' }
    const renamed = openBrowser()
    await renamed.logIn()
    expect((await browser.session())['user']).toBeNull()
    expect((await renamed.session())['user']).toBe('hopper@example.com')
    person = { ...person, groups: ['guests'] }
    expect(await openBrowser().logIn()).toBe(problemAt('no-role'))
    expect((await renamed.session())['user']).toBeNull()
    expect(await listed()).toHaveLength(2)
  })

  it('goes on to the provider’s end after a logout, and is over here at once', async () => {
    const browser = openBrowser()
    await browser.logIn()
    const out = await fetch(`${service.url}/session`, { method: 'DELETE', headers: { ...page, cookie: browser.cookie() } }) // prettier-ignore
    expect(out.status).toBe(204)
    expect((await browser.session())['user']).toBeNull()
    const { next } = await browser.visit(`${service.url}/oidc/logout`)
    expect(next).toMatch(new RegExp(`^${issuer}/session/end\\?client_id=waymark`))
  })

  it('is ended by an admin, who can neither change the role nor give a password', async () => {
    const browser = openBrowser()
    await browser.logIn()
    const change = async (body: object) => {
      const { status, body: said } = await service.send('POST', '/access', JSON.stringify(body), root)
      return [status, said['error']]
    }
    const user = 'grace@example.com'
    expect(await change({ change: 'set-role', user, role: 'admin' })).toEqual([409, 'fixed'])
    expect(await change({ change: 'reset-password', user })).toEqual([409, 'fixed'])
    expect(await change({ change: 'invite', user, role: 'admin' })).toEqual([409, 'taken'])
    expect(await change({ change: 'remove-user', user })).toEqual([200, undefined])
    expect((await browser.session())['user']).toBeNull()
  })
})

describe('nobody is logged in, and is told why in one word,', () => {
  const failsAt = async (browser: ReturnType<typeof openBrowser>, url: string, problem: string) => {
    const { status, next } = await browser.visit(url)
    expect([status, next]).toEqual([303, problemAt(problem)])
    expect((await browser.session())['user']).toBeNull()
  }

  it('whose groups give no role, or who has no group', async () => {
    for (const groups of [['guests'], undefined, []]) {
      person = { sub: 'u-2', email: 'eve@example.com', ...(groups && { groups }) }
      expect(await openBrowser().logIn()).toBe(problemAt('no-role'))
    }
    expect(await listed()).toHaveLength(2)
  })

  it('whose name another user has, or who has none that can be used', async () => {
    person = { ...person, email: 'root' }
    expect(await openBrowser().logIn()).toBe(problemAt('taken'))
    person = { ...person, email: 'grace@example.com' }
    await openBrowser().logIn()
    person = { ...person, sub: 'u-3' }
    expect(await openBrowser().logIn()).toBe(problemAt('taken'))
    for (const email of ['a:b', 'x\u200b', undefined]) {
      person = { sub: 'u-4', email, groups: ['owners'] }
      expect(await openBrowser().logIn()).toBe(problemAt('no-name'))
    }
  })

  it('with a state that is not this browser’s, was used before, or is made up', async () => {
    const [browser, other] = [openBrowser(), openBrowser()]
    const callback = await browser.toCallback()
    await failsAt(other, callback, 'expired')
    const forged = openBrowser()
    for (const [name, value] of browser.cookies()) forged.cookies().set(name, `${value.slice(0, -4)}AAAA`)
    await failsAt(forged, callback, 'expired')
    const copied = openBrowser()
    for (const [name, value] of browser.cookies()) copied.cookies().set(name, value)
    expect((await browser.visit(callback)).next).toBe(`${service.url}/app/`)
    await failsAt(copied, callback, 'expired')
  })

  it('after ten minutes at the provider', async () => {
    const browser = openBrowser()
    const callback = await browser.toCallback()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_001 })
    await failsAt(browser, callback, 'expired')
  })

  it.each([
    ['another code', (url: URL) => url.searchParams.set('code', 'made-up')],
    ['no code', (url: URL) => url.searchParams.delete('code')],
    ['another issuer', (url: URL) => url.searchParams.set('iss', 'https://evil.example')],
    ['no issuer', (url: URL) => url.searchParams.delete('iss')],
    ['the provider’s error', (url: URL) => url.searchParams.set('error', 'access_denied')],
  ])('with %s', async (_, change) => {
    const browser = openBrowser()
    const url = new URL(await browser.toCallback())
    change(url)
    await failsAt(browser, url.href, 'refused')
  })

  it('with a code that was used', async () => {
    const [first, second] = [openBrowser(), openBrowser()]
    const used = new URL(await first.toCallback())
    await first.visit(used.href)
    const mine = new URL(await second.toCallback())
    mine.searchParams.set('code', used.searchParams.get('code')!)
    await failsAt(second, mine.href, 'refused')
  })

  it('while the provider is away or sends nonsense, and others log in by password', async () => {
    const own = answer
    const browser = openBrowser()
    const callback = await browser.toCallback()
    answer = (_, response) => response.writeHead(500).end('the provider’s own secret')
    await failsAt(browser, callback, 'refused')
    answer = (_, response) => response.destroy()
    const second = openBrowser()
    answer = own
    const later = await second.toCallback()
    answer = (_, response) => response.destroy()
    await failsAt(second, later, 'away')
    const body = JSON.stringify({ user: 'ada', password: 'lovelace' })
    expect((await service.send('POST', '/session', body, page)).status).toBe(200)
  })

  it('while the provider hangs, whom nobody waits for who logs in by password', async () => {
    const hanging = new Set<ServerResponse>()
    answer = (_, response) => hanging.add(response)
    const waiting = Array.from({ length: 30 }, () => openBrowser().visit(`${service.url}/oidc`))
    await vi.waitFor(() => expect(hanging.size).toBe(1), { timeout: 60_000 })
    const body = JSON.stringify({ user: 'ada', password: 'lovelace' })
    expect((await service.send('POST', '/session', body, page)).status).toBe(200)
    for (const { next } of await Promise.all(waiting)) expect(next).toBe(problemAt('away'))
    // All have waited for one question, and the next one does not ask at once.
    expect((await openBrowser().visit(`${service.url}/oidc`)).next).toBe(problemAt('away'))
    expect(hanging.size).toBe(1)
  })
})

it('without the flags there is no such address, and users of a provider are nobody', async () => {
  const browser = openBrowser()
  await browser.logIn()
  await service.stop()
  const plain = await createService({ dataFolder: service.folder })
  try {
    expect((await plain.send('GET', '/oidc')).status).toBe(404)
    const { body } = await plain.send('GET', '/session', undefined, { ...page, cookie: browser.cookie() })
    expect(body).toEqual({ user: null, has_users: true })
  } finally {
    await plain.stop()
    await service.restart()
  }
})
