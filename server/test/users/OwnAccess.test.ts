import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openOwnAccess, tellAccess } from '../../src/users/OwnAccess.js'
import { isPasswordOf, parseHash } from '../../src/users/passwordHash.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-own-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = (more = {}) => openOwnAccess({ dataFolder: folder, ...more })
const read = (name: string) => readFileSync(join(folder, name), 'utf8')

describe('without a flag', () => {
  it('makes a user and a key, and keeps them for the folder’s owner alone, without the password', async () => {
    const { news, options } = await open()
    expect(options).toMatchObject({ apiKeys: [news!.apiKey], usersFile: news!.usersFile })
    const { admin } = JSON.parse(read('users.json')) as { admin: { role: string; password: string } }
    expect(admin.role).toBe('write')
    expect(await isPasswordOf(news!.password!, parseHash(admin.password)!)).toBe(true)
    expect(read('users.json')).not.toContain(news!.password)
    expect(read('api-keys.txt')).toBe(`${news!.apiKey}\n`)
    if (process.platform !== 'win32')
      for (const name of ['users.json', 'api-keys.txt'])
        expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
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

  it('makes another user once that file is gone, and keeps the key that pages have', async () => {
    const before = (await open()).news!
    rmSync(before.usersFile)
    const after = (await open()).news!
    expect(after.apiKey).toBe(before.apiKey)
    expect(after.password).toMatch(/^[\w-]{16}$/)
    expect(after.password).not.toBe(before.password)
  })

  it('takes back what it has made when the service does not start, and only that', async () => {
    writeFileSync(join(folder, 'api-keys.txt'), 'mine\n')
    const { undo } = await open()
    undo()
    expect(() => read('users.json')).toThrow('ENOENT')
    expect(read('api-keys.txt')).toBe('mine\n')
  })

  it('reads several keys, and says what is wrong with an empty file', async () => {
    await open()
    writeFileSync(join(folder, 'api-keys.txt'), 'site\n\n preview:staging \n')
    expect((await open()).options.apiKeys).toEqual(['site', 'preview:staging'])
    writeFileSync(join(folder, 'api-keys.txt'), '\n')
    await expect(open()).rejects.toThrow(/^There is no key in .*api-keys\.txt: write one a line, or/)
    writeFileSync(join(folder, 'users.json'), '{}')
    writeFileSync(join(folder, 'api-keys.txt'), 'site')
    await expect(open()).rejects.toThrow(/^There is no user in .*users\.json: add one, or delete/)
  })
})

describe('flags win', () => {
  it.each([{ users: { ada: 'x' } }, { usersFile: '/some/file' }, { apiKeys: ['mine'] }])(
    'with %o nothing is made and nothing told',
    async (given) => {
      const { options, news } = await open(given)
      expect(options).toEqual({ dataFolder: folder, ...given })
      expect(news).toBeUndefined()
      expect(() => read('users.json')).toThrow('ENOENT')
      expect(() => read('api-keys.txt')).toThrow('ENOENT')
    },
  )

  it('and what no flag names stays as it was made', async () => {
    const { news } = await open()
    const { options } = await open({ users: { ada: 'x' } })
    expect(options).toEqual({ dataFolder: folder, users: { ada: 'x' }, apiKeys: [news!.apiKey] })
  })

  it('also that several processes share the work: each would make its own', async () => {
    expect((await open({ log: 'postgres://log' })).options.apiKeys).toBeUndefined()
    for (const role of ['ingest', 'engine'] as const) expect((await open({ role })).news).toBeUndefined()
    expect(() => read('users.json')).toThrow('ENOENT')
  })
})
