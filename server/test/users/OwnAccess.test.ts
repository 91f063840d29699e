import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AccessState, KeptUser } from '../../src/users/Access.js'
import { openOwnAccess, tellAccess } from '../../src/users/OwnAccess.js'
import { isPasswordOf, parseHash } from '../../src/users/passwordHash.js'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-own-'))
  file = join(folder, 'access.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = (more = {}) => openOwnAccess({ dataFolder: folder, ...more })
const read = () => JSON.parse(readFileSync(file, 'utf8')) as AccessState
const change = (more: Partial<AccessState>) => writeFileSync(file, JSON.stringify({ ...read(), ...more }))

describe('without a flag', () => {
  it('makes an admin and a key, and keeps them for the folder’s owner alone, without the password', async () => {
    const { news } = await open()
    const { users, keys } = read()
    expect(users).toEqual([{ user: 'admin', role: 'admin', password: expect.any(String) as string }])
    expect(keys).toMatchObject([{ kind: 'public', environments: null, key: news!.apiKey, ends_at: null }])
    expect(await isPasswordOf(news!.password!, parseHash(users[0]?.password ?? '')!)).toBe(true)
    expect(readFileSync(file, 'utf8')).not.toContain(news!.password)
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('tells all of it in four lines, the password at the first start alone', async () => {
    const first = (await open()).news!
    const told = tellAccess(first, { url: 'http://127.0.0.1:8787', isTerminal: false })
    expect(told.trimEnd().split('\n')).toHaveLength(4)
    expect(told).toContain(`admin, password ${first.password}`)
    expect(told).toMatch(/http:\/\/127\.0\.0\.1:8787\/app\/#login=[\w-]{24} /)
    const second = (await open()).news!
    expect([second.password, second.apiKey]).toEqual([undefined, first.apiKey])
    const again = tellAccess(second, { url: 'http://0.0.0.0:8787', isTerminal: false })
    expect(again).not.toContain('password ')
    // A log may be read by many, a terminal by whoever sits before it.
    expect(again).toContain('Open     http://127.0.0.1:8787/\n')
    expect(tellAccess(second, { url: 'http://x', isTerminal: true })).toContain('#login=')
  })

  it('makes an admin again where none is left, and keeps all else', async () => {
    const before = (await open()).news!
    const bob = { user: 'bob', role: 'read', password: read().users[0]?.password ?? '' } as const
    change({ users: [bob] })
    const after = (await open()).news!
    expect(after.apiKey).toBe(before.apiKey)
    expect(after.password).toMatch(/^[\w-]{16}$/)
    expect(after.password).not.toBe(before.password)
    expect(read().users.map(({ user }) => user)).toEqual(['bob', 'admin'])
  })

  it('gives its link to an admin with a password, and never to one of a provider', async () => {
    await open()
    const [own] = read().users as [KeptUser]
    const foreign = { ...own, user: 'grace@example.com', subject: 'https://login.example u-1' }
    change({ users: [foreign, own] })
    expect((await open()).news!.link.user).toBe('admin')
    change({ users: [foreign] })
    expect((await open()).news!.password).toMatch(/^[\w-]{16}$/)
  })

  it('takes back what it has made when the service does not start, and only that', async () => {
    const { undo } = await open()
    undo()
    expect(existsSync(file)).toBe(false)
    await open()
    change({ users: [] })
    const before = readFileSync(file, 'utf8')
    const second = await open()
    second.undo()
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  it('says so where the last key was withdrawn, and makes no other', async () => {
    await open()
    change({ keys: [] })
    const { news } = await open()
    expect(news!.apiKey).toBeUndefined()
    expect(tellAccess(news!, { url: 'http://x', isTerminal: false })).toContain('API key  none: make one')
  })

  it.each([
    ['is not JSON', 'broken', 'it is not JSON'],
    ['is of another form', '{"format":2}', "must have required property 'users'"],
    [
      'has a password',
      JSON.stringify({
        ...{ format: 1, keys: [], invitations: [], changes: [] },
        users: [{ user: 'bob', role: 'read', password: 'builder' }],
      }),
      'the password of bob is not a hash',
    ],
  ])('refuses a file that %s in one sentence, and leaves it', async (_, text, problem) => {
    writeFileSync(file, text)
    await expect(open()).rejects.toThrow(problem)
    await expect(open()).rejects.toThrow(/^\S+access\.json cannot be used: [^\n]*\.$/)
    expect(readFileSync(file, 'utf8')).toBe(text)
  })
})

it.each([
  { users: { ada: 'x' } },
  { usersFile: '/some/file' },
  { apiKeys: ['mine'] },
  // Several processes share the work, and each would make its own.
  { log: 'postgres://log' },
  { role: 'ingest' },
  { role: 'engine' },
])('with %o nothing is made and nothing told', async (given) => {
  expect((await open(given)).news).toBeUndefined()
  expect(existsSync(file)).toBe(false)
})
