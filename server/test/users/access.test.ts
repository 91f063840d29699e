import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { writeUsers } from '../fixtures/usersFile.js'

let folder: string
let service: Service
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-access-'))
  const usersFile = join(folder, 'users.json')
  writeUsers(usersFile, { root: ['of all evil', 'admin'], bob: ['builder', 'read'] })
  service = await createService({ usersFile, postgresPort: 0, serverKeys: ['secret-of-a-flag:staging'] })
})
afterEach(async () => {
  vi.useRealTimers()
  await service.close()
  rmSync(folder, { recursive: true })
})

type Fields = Record<string, unknown>

const json = { 'content-type': 'application/json' }
const page = { ...json, 'sec-fetch-site': 'same-origin' }
const as = (name: string, password: string) => ({
  ...json,
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
})
const root = as('root', 'of all evil')
const post = (path: string, body: object, headers: Fields = root) =>
  service.send('POST', path, JSON.stringify(body), headers)
const change = (body: object, headers: Fields = root) => post('/access', body, headers)
const said = ({ status, body }: { status: number; body: Fields }) => [status, body['error']]
const done = async (body: object, headers: Fields = root) => {
  const answer = await change(body, headers)
  expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ ok: true })])
  return answer.body
}
const list = async (headers: Fields = root) =>
  (await service.send('GET', '/access', undefined, headers)).body as Record<
    'users' | 'keys' | 'invitations' | 'changes',
    Fields[]
  >
const tokenOf = ({ address }: Fields) => /^\/app\/#invite=([\w-]{32})$/.exec(String(address))?.[1] ?? ''
const cookieOf = ({ headers }: { headers: Headers }) => /^[^;]+/.exec(headers.get('set-cookie')!)![0]
const whoIs = async (headers: Fields) => {
  const { status, body } = await service.send('GET', '/session', undefined, headers)
  return status === 200 ? body['user'] : status
}

/** Invites somebody, who takes the invitation. */
const enter = async (user: string, role: string, password = `password of ${user}`) => {
  const token = tokenOf(await done({ change: 'invite', user, role }))
  const taken = await post('/invitation', { token, password }, page)
  expect(taken.status).toBe(200)
  return { headers: as(user, password), cookie: cookieOf(taken) }
}
const makeKey = (more: object = {}) =>
  done({ change: 'make-key', name: 'shop', kind: 'public', environments: null, ...more })
const track = async (key: unknown, environment = 'production') =>
  (await service.ingest('/track', event('Seen', { environment }), { 'x-api-key': key })).status
const idOf = async (key: unknown) => (await list()).keys.find((each) => each['key'] === key)!['id']

describe('users by invitation', () => {
  it('set their own password by a link that works once, and are logged in', async () => {
    const made = await done({ change: 'invite', user: 'Zoë 🌍', role: 'write' })
    const token = tokenOf(made)
    expect(Date.parse(made['ends_at'] as string) - Date.now()).toBeGreaterThan(6.9 * 86_400_000)
    expect((await post('/invitation', { token }, page)).body).toEqual({
      user: 'Zoë 🌍',
      role: 'write',
      ends_at: made['ends_at'],
    })
    const short = await post('/invitation', { token, password: 'short' }, page)
    expect(said(short)).toEqual([400, 'invalid-body'])
    const taken = await post('/invitation', { token, password: 'a new password' }, page)
    expect(await whoIs({ ...page, cookie: cookieOf(taken) })).toBe('Zoë 🌍')
    expect(await whoIs(as('Zoë 🌍', 'a new password'))).toBe('Zoë 🌍')
    expect(said(await post('/invitation', { token, password: 'another one' }, page))).toEqual([
      404,
      'no-such-invitation',
    ])
    expect((await list()).invitations).toEqual([])
    await service.restart()
    expect(await whoIs(as('Zoë 🌍', 'a new password'))).toBe('Zoë 🌍')
  })

  it('are none after seven days, once withdrawn, or once invited again', async () => {
    const refused = async (token: string) => said(await post('/invitation', { token }, page))
    const first = tokenOf(await done({ change: 'invite', user: 'zoe', role: 'read' }))
    const second = tokenOf(await done({ change: 'invite', user: 'zoe', role: 'write' }))
    expect(await refused(first)).toEqual([404, 'no-such-invitation'])
    expect((await post('/invitation', { token: second }, page)).body['role']).toBe('write')
    await done({ change: 'withdraw-invitation', user: 'zoe' })
    expect(await refused(second)).toEqual([404, 'no-such-invitation'])
    const third = tokenOf(await done({ change: 'invite', user: 'zoe', role: 'read' }))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 7 * 86_400_000 + 1000 })
    expect(await refused(third)).toEqual([404, 'no-such-invitation'])
  })

  it('cannot be guessed at any rate', async () => {
    const statuses: number[] = []
    for (let at = 0; at < 40; at++)
      statuses.push((await post('/invitation', { token: `guess-${at}` }, page)).status)
    expect(statuses.filter((each) => each === 404)).toHaveLength(20)
    expect(statuses.at(-1)).toBe(429)
  })

  it('are at most 100 that nobody has taken, and two takers of one link are one', async () => {
    const inviteTen = (from: number) =>
      Promise.all(
        Array.from({ length: 10 }, (_, at) =>
          change({ change: 'invite', user: `u${from + at}`, role: 'read' }),
        ),
      )
    const answers = await inviteTen(0)
    while (answers.length < 1000) answers.push(...(await inviteTen(answers.length)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(100)
    expect(said(answers.at(-1)!)).toEqual([409, 'too-many'])
    expect((await list()).invitations).toHaveLength(100)
    const token = tokenOf(answers.find(({ status }) => status === 200)!.body)
    const both = await Promise.all(
      ['first password', 'second password'].map((password) => post('/invitation', { token, password }, page)),
    )
    expect(both.map(({ status }) => String(status)).toSorted()).toEqual(['200', '404'])
  })

  it.each([
    ['a:b', 400],
    ['', 400],
    [' ada', 400],
    ['ada\u200b', 400],
    ['a\nb', 400],
    ['\ud800', 400],
    ['x'.repeat(101), 400],
    ['ada', 409],
    ['root', 409],
    ['agent', 409],
    ['__proto__', 200],
    ['<b>"\'; DROP TABLE users --', 200],
    ['constructor', 200],
    ['user@example.com', 200],
  ])('take the name %j: %i', async (user, status) => {
    const answer = await change({ change: 'invite', user, role: 'read' })
    expect(answer.status).toBe(status)
    if (status !== 200) return
    const token = tokenOf(answer.body)
    expect((await post('/invitation', { token, password: 'some password' }, page)).status).toBe(200)
    expect(await whoIs(as(user, 'some password'))).toBe(user)
    expect((await list()).users).toContainEqual({ user, role: 'read', from: null })
  })
})

describe('a user who was made here', () => {
  it('loses logins and Postgres connections when removed, and is nobody', async () => {
    const { headers, cookie } = await enter('zoe', 'write')
    const client = new pg.Client({
      ...{ host: '127.0.0.1', port: service.postgresPort, database: 'lakehouse' },
      ...{ user: 'zoe', password: 'password of zoe' },
    })
    const left = new Promise<void>((resolve) => client.once('end', () => resolve()))
    client.on('error', () => undefined)
    await client.connect()
    expect(await whoIs({ ...page, cookie })).toBe('zoe')
    const reset = tokenOf(await done({ change: 'reset-password', user: 'zoe' }))
    await done({ change: 'remove-user', user: 'zoe' })
    await left
    expect([await whoIs({ ...page, cookie }), await whoIs(headers)]).toEqual([null, 401])
    expect((await post('/invitation', { token: reset }, page)).status).toBe(404)
    // Another person of that name has none of the first one's logins.
    await enter('zoe', 'read', 'another password')
    expect(await whoIs({ ...page, cookie })).toBeNull()
  })

  it('has a changed role from the next request on', async () => {
    const { cookie, headers } = await enter('zoe', 'read')
    const statement = 'CREATE OR REPLACE TABLE t AS SELECT 1 AS a'
    const write = () => post('/query', { statement, format: 'jsonl' }, { ...page, cookie })
    expect((await write()).status).toBe(403)
    await done({ change: 'set-role', user: 'zoe', role: 'write' })
    expect((await write()).status).toBe(200)
    await done({ change: 'set-role', user: 'zoe', role: 'admin' })
    expect((await write()).status).toBe(200)
    expect((await list(headers)).users).toContainEqual({ user: 'zoe', role: 'admin', from: null })
    await done({ change: 'set-role', user: 'zoe', role: 'read' })
    expect(said(await change({ change: 'remove-user', user: 'zoe' }, headers))).toEqual([403, 'admins-only'])
  })

  it('changes the own password with the old one, which ends all other logins', async () => {
    const { cookie, headers } = await enter('zoe', 'read')
    const other = cookieOf(await post('/session', { user: 'zoe', password: 'password of zoe' }, page))
    const set = (old: string, next: string) => post('/password', { old, new: next }, { ...page, cookie })
    expect(said(await set('a guess', 'my new password'))).toEqual([403, 'wrong-password'])
    expect(said(await set('password of zoe', 'short'))).toEqual([400, 'invalid-body'])
    const changed = await set('password of zoe', 'my new password')
    expect(await whoIs({ ...page, cookie: cookieOf(changed) })).toBe('zoe')
    expect([await whoIs({ ...page, cookie: other }), await whoIs(headers)]).toEqual([null, 401])
    expect(await whoIs(as('zoe', 'my new password'))).toBe('zoe')
    expect(said(await post('/password', { old: 'builder', new: 'my new password' }, as('bob', 'builder')))).toEqual([409, 'fixed']) // prettier-ignore
  })

  it('ends a link of an admin to a new password by changing the own one', async () => {
    const { headers } = await enter('zoe', 'read')
    const token = tokenOf(await done({ change: 'reset-password', user: 'zoe' }))
    await post('/password', { old: 'password of zoe', new: 'my new password' }, headers)
    const late = await post('/invitation', { token, password: 'of whoever has the link' }, page)
    expect(said(late)).toEqual([404, 'no-such-invitation'])
    expect(await whoIs(as('zoe', 'my new password'))).toBe('zoe')
  })

  it('gets a new password by a link of an admin, with the role that counts then', async () => {
    const { headers } = await enter('zoe', 'write')
    const token = tokenOf(await done({ change: 'reset-password', user: 'zoe' }))
    expect(await whoIs(headers)).toBe('zoe')
    await done({ change: 'set-role', user: 'zoe', role: 'read' })
    await post('/invitation', { token, password: 'the next password' }, page)
    expect(await whoIs(headers)).toBe(401)
    expect((await list()).users).toContainEqual({ user: 'zoe', role: 'read', from: null })
  })
})

describe('the last admin', () => {
  it('can neither leave nor lower the role, and of two who remove each other one stays', async () => {
    const [ann, eve] = [await enter('ann', 'admin'), await enter('eve', 'admin')]
    writeUsers(join(folder, 'users.json'), { bob: ['builder', 'read'] })
    await service.restart()
    const both = await Promise.all([
      change({ change: 'remove-user', user: 'eve' }, ann.headers),
      change({ change: 'remove-user', user: 'ann' }, eve.headers),
    ])
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
    const [left, name] = both[0].status === 200 ? [ann.headers, 'ann'] : [eve.headers, 'eve']
    for (const last of [
      { change: 'remove-user', user: name },
      { change: 'set-role', user: name, role: 'write' },
    ])
      expect(said(await change(last, left))).toEqual([409, 'last-admin'])
    expect((await list(left)).users).toContainEqual({ user: name, role: 'admin', from: null })
  })
})

describe('a key that was made here', () => {
  it('writes to its environments, is public or shown once, and counts from the next request', async () => {
    const all = (await makeKey())['key']
    const staging = (await makeKey({ kind: 'server', environments: ['staging'] }))['key']
    expect([all, staging]).toEqual([expect.stringMatching(/^pk_/), expect.stringMatching(/^sk_/)])
    expect([await track(all), await track(all, 'staging')]).toEqual([200, 200])
    expect([await track(staging), await track(staging, 'staging')]).toEqual([403, 200])
    const { keys } = await list()
    expect(keys).toContainEqual(
      expect.objectContaining({ kind: 'public', key: all, from: null, made_by: 'root' }),
    )
    expect(keys).toContainEqual(
      expect.objectContaining({ kind: 'server', key: null, from: null, environments: ['staging'] }),
    )
    expect(keys).toContainEqual(
      expect.objectContaining({ kind: 'server', key: null, from: '--server-keys', id: null }),
    )
    const kept = readFileSync(join(service.folder, 'access.json'), 'utf8')
    expect(JSON.stringify(await list()) + kept).not.toMatch(new RegExp(`${String(staging)}|secret-of-a-flag`))
    await service.restart()
    expect([await track(all), await track(staging, 'staging')]).toEqual([200, 200])
    const setup = await service.get('/setup')
    expect(setup.body['keys']).toContainEqual({ key: all, environments: ['production', 'staging'] })
    expect(JSON.stringify(setup.body)).not.toContain(staging)
  })

  it('works for a day after it was replaced, and not at all once withdrawn', async () => {
    const { key } = await makeKey()
    const id = await idOf(key)
    const made = await done({ change: 'rotate-key', id })
    expect(made['key']).not.toBe(key)
    expect((await list()).keys.find((each) => each['id'] === id)!['ends_at']).toBe(made['old_ends_at'])
    expect([await track(key), await track(made['key'])]).toEqual([200, 200])
    expect(said(await change({ change: 'rotate-key', id }))).toEqual([409, 'replaced'])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(made['old_ends_at'] as string) + 1 })
    expect([await track(key), await track(made['key'])]).toEqual([401, 200])
    vi.useRealTimers()
    await done({ change: 'withdraw-key', id: await idOf(made['key']) })
    expect(await track(made['key'])).toBe(401)
    await done({ change: 'withdraw-key', id })
    expect(await track(key)).toBe(401)
  })

  it('is of environments that there are', async () => {
    const answer = await change({ change: 'make-key', name: 'x', kind: 'public', environments: ['prod'] })
    expect([answer.status, answer.body['message']]).toEqual([
      400,
      'environments names "prod"; there are production, staging.',
    ])
    expect((await change({ change: 'make-key', name: 'x', kind: 'public', environments: [] })).status).toBe(
      400,
    )
    expect(said(await change({ change: 'withdraw-key', id: 'nothing' }))).toEqual([404, 'no-such-key'])
  })
})

describe('what flags give', () => {
  it('is shown as such, and cannot be changed', async () => {
    const { users, keys } = await list()
    expect(users).toEqual([
      { user: 'ada', role: 'write', from: '--users' },
      { user: 'root', role: 'admin', from: '--users-file' },
      { user: 'bob', role: 'read', from: '--users-file' },
    ])
    expect(keys.map(({ from }) => from)).toEqual(['--api-keys', '--api-keys', '--server-keys'])
    for (const body of [
      { change: 'remove-user', user: 'bob' },
      { change: 'set-role', user: 'ada', role: 'admin' },
      { change: 'reset-password', user: 'ada' },
    ])
      expect(said(await change(body))).toEqual([409, 'fixed'])
  })
})

describe('changes', () => {
  it('are noted with who, when and what, without a secret', async () => {
    const { headers } = await enter('zoe', 'admin')
    const { key } = await makeKey({ kind: 'server', environments: ['staging'] })
    await done({ change: 'remove-user', user: 'zoe' }, headers)
    const { changes } = await list()
    const at = expect.stringMatching(/^\d{4}-.*Z$/) as string
    expect(changes).toEqual([
      { at, by: 'zoe', change: 'remove-user', of: 'zoe', as: null },
      { at, by: 'root', change: 'make-key', of: 'shop', as: 'staging' },
      { at, by: 'zoe', change: 'accept', of: 'zoe', as: 'admin' },
      { at, by: 'root', change: 'invite', of: 'zoe', as: 'admin' },
    ])
    expect(JSON.stringify(changes)).not.toContain(key)
  })

  it('are refused while the file is broken, which says so and stays, and what was known counts on', async () => {
    const { key } = await makeKey()
    const file = join(service.folder, 'access.json')
    const whole = readFileSync(file, 'utf8')
    writeFileSync(file, whole.slice(0, -20))
    const { status, body } = await change({ change: 'invite', user: 'zoe', role: 'read' })
    expect([status, body['error'], body['message']]).toEqual([
      503,
      'not-kept',
      expect.stringContaining('access.json cannot be used (it is not JSON)'),
    ])
    expect(await track(key)).toBe(200)
    writeFileSync(file, whole)
    await done({ change: 'invite', user: 'zoe', role: 'read' })
  })
})

describe('strangers', () => {
  const everyChange = [
    { change: 'invite', user: 'eve', role: 'admin' },
    { change: 'reset-password', user: 'root' },
    { change: 'withdraw-invitation', user: 'eve' },
    { change: 'set-role', user: 'bob', role: 'admin' },
    { change: 'remove-user', user: 'root' },
    { change: 'make-key', name: 'x', kind: 'server', environments: null },
    { change: 'rotate-key', id: 'x' },
    { change: 'withdraw-key', id: 'x' },
    { change: 'nonsense' },
    {},
  ]

  it.each([
    ['who may read', as('bob', 'builder')],
    ['who may write', as('ada', 'lovelace')],
    [
      'who says to be an admin',
      { ...as('bob', 'builder'), 'x-waymark-role': 'admin', 'x-waymark-user': 'root' },
    ],
  ])('a user %s is refused everything', async (_, headers) => {
    for (const body of everyChange) expect(said(await change(body, headers))).toEqual([403, 'admins-only'])
    expect(said(await service.send('GET', '/access', undefined, headers))).toEqual([403, 'admins-only'])
  })

  it('nobody is refused everything, also with an API key', async () => {
    const key = { ...json, 'x-api-key': 'key-1', authorization: 'Bearer key-1' }
    for (const headers of [json, key]) {
      for (const body of everyChange) expect((await change(body, headers)).status).toBe(401)
      expect((await service.send('GET', '/access', undefined, headers)).status).toBe(401)
      expect((await post('/password', { old: 'x', new: 'long enough' }, headers)).status).toBe(401)
    }
  })

  it('a page of another origin changes nothing with an admin’s login or password', async () => {
    const login = await post('/session', { user: 'root', password: 'of all evil' }, page)
    const cookie = cookieOf(login)
    const body = { change: 'make-key', name: 'x', kind: 'server', environments: null }
    for (const [headers, status] of [
      [{ ...page, cookie }, 200],
      [{ ...json, cookie, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, 403],
      [{ ...json, cookie, 'sec-fetch-site': 'same-site' }, 403],
      [{ ...json, cookie, origin: 'https://evil.example' }, 403],
      [{ ...json, cookie }, 401],
      [{ ...root, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, 403],
      [{ ...root, 'content-type': 'text/plain' }, 400],
      [{ ...page, cookie, 'content-type': 'application/x-www-form-urlencoded' }, 400],
    ] as [Fields, number][]) {
      expect([headers, (await change(body, headers)).status]).toEqual([headers, status])
      expect((await service.send('GET', '/access', undefined, { cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(403) // prettier-ignore
    }
  })

  it('a page of --origins, which may ask by SQL, may not change users and keys', async () => {
    const listed = await createService({
      usersFile: join(folder, 'users.json'),
      origins: ['https://admin.example'],
    })
    try {
      const headers = { ...root, origin: 'https://admin.example', 'sec-fetch-site': 'cross-site' }
      const body = JSON.stringify({ change: 'invite', user: 'eve', role: 'admin' })
      expect(
        (await listed.send('POST', '/query', '{"statement":"SELECT 1","format":"jsonl"}', headers)).status,
      ).toBe(200)
      for (const path of ['/access', '/invitation', '/password'])
        expect((await listed.send('POST', path, body, headers)).status).toBe(403)
    } finally {
      await listed.close()
    }
  })
})
