import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import * as hashes from '../../src/users/passwordHash.js'
import { Users } from '../../src/users/Users.js'
import { cheapHash, writeUsers } from '../fixtures/usersFile.js'

let folder: string
let usersFile: string
let tries: () => number
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-users-'))
  usersFile = join(folder, 'users.json')
  const isPasswordOf = vi.spyOn(hashes, 'isPasswordOf')
  tries = () => isPasswordOf.mock.calls.length
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('users of a file', () => {
  it('are known by their passwords, each with a role', async () => {
    writeUsers(usersFile, { bob: ['builder', 'read'], eve: ['apple', 'write'] })
    const users = new Users({ users: { ada: 'lovelace' }, usersFile })
    expect(await users.check('bob', 'builder')).toEqual({ user: 'bob', role: 'read' })
    expect(await users.check('eve', 'apple')).toEqual({ user: 'eve', role: 'write' })
    expect(await users.check('ada', 'lovelace')).toEqual({ user: 'ada', role: 'write' })
    for (const [name, password] of [
      ['bob', 'apple'],
      ['eve', ''],
      ['ada', 'builder'],
      ['nobody', 'builder'],
      ['__proto__', ''],
    ] as const) {
      expect(await users.check(name, password)).toBeUndefined()
    }
  })

  it('are checked against their hash once, and each wrong password and unknown name every time', async () => {
    writeUsers(usersFile, { bob: ['builder', 'read'] })
    const users = new Users({ users: {}, usersFile })
    for (let at = 0; at < 3; at++) await users.check('bob', 'builder')
    expect(tries()).toBe(1)
    for (let at = 0; at < 3; at++) await users.check('bob', 'wrong')
    for (let at = 0; at < 3; at++) await users.check('nobody', 'builder')
    expect(tries()).toBe(7)
  })

  it('are not known by the text of their hash', async () => {
    const hash = cheapHash('builder')
    writeFileSync(usersFile, JSON.stringify({ bob: { password: hash, role: 'read' } }))
    expect(await new Users({ users: {}, usersFile }).check('bob', hash)).toBeUndefined()
  })
})

it('gives unknown names the rounds of known ones, each always the same', async () => {
  const rounds = async (users: Users, prefix: string) => {
    const names = Array.from({ length: 200 }, (_, n) => `${prefix}${n}`)
    const ask = () => Promise.all(names.map(async (name) => (await users.hashOf(name)).iterations))
    const found = await ask()
    expect(await ask()).toEqual(found)
    return [...new Set(found)].toSorted((a, b) => a - b)
  }
  expect(await rounds(new Users({ users: { ada: 'lovelace' }, usersFile: '' }), 'x')).toEqual([4096])
  const listed = { bob: 5000, eve: 6000 }
  const hashed = async (password: string, count: number) => ({
    role: 'read',
    password: await hashes.hashPassword(password, count),
  })
  const entries = Object.entries(listed).map(async ([name, count]) => [name, await hashed(name, count)])
  writeFileSync(usersFile, JSON.stringify(Object.fromEntries(await Promise.all(entries))))
  expect(await rounds(new Users({ users: {}, usersFile }), 'y')).toEqual([5000, 6000])
  expect(await rounds(new Users({ users: { ada: 'lovelace' }, usersFile }), 'z')).toEqual([4096, 5000, 6000])
})

describe('a file that is read again', () => {
  it('counts from then on, for passwords that were found right before too', async () => {
    writeUsers(usersFile, { bob: ['builder', 'read'], eve: ['apple', 'write'], max: ['same', 'read'] })
    const users = new Users({ users: {}, usersFile })
    for (const [name, password] of [
      ['bob', 'builder'],
      ['eve', 'apple'],
    ] as const) {
      expect(await users.check(name, password)).toBeDefined()
    }
    writeUsers(usersFile, { bob: ['new', 'read'], zoe: ['z', 'read'] })
    expect(users.reload().toSorted()).toEqual(['bob', 'eve', 'max'])
    expect(await users.check('bob', 'builder')).toBeUndefined()
    expect(await users.check('eve', 'apple')).toBeUndefined()
    expect(await users.check('bob', 'new')).toEqual({ user: 'bob', role: 'read' })
    expect(await users.check('zoe', 'z')).toEqual({ user: 'zoe', role: 'read' })
  })

  it('changes nothing when it is broken', async () => {
    writeUsers(usersFile, { bob: ['builder', 'read'] })
    const users = new Users({ users: {}, usersFile })
    writeFileSync(usersFile, '{')
    expect(() => users.reload()).toThrow('cannot be used')
    expect(await users.check('bob', 'builder')).toEqual({ user: 'bob', role: 'read' })
  })
})

describe('a file that cannot be used is refused in one sentence', () => {
  const hash = cheapHash('x')
  it.each([
    ['is not JSON', '{ "bob": ', 'it is not JSON'],
    ['is a list', '[]', 'it must be object'],
    ['lacks a role', JSON.stringify({ 'b/b': { password: hash } }), "b/b must have required property 'role'"],
    [
      'has another role',
      JSON.stringify({ bob: { password: hash, role: 'owner' } }),
      'bob/role must be equal to one',
    ],
    [
      'has a field too many',
      JSON.stringify({ bob: { password: hash, role: 'read', x: 1 } }),
      'bob must NOT have',
    ],
    ['has a password', JSON.stringify({ bob: { password: 'builder', role: 'read' } }), 'hash-password'],
    [
      'has a name with a colon',
      JSON.stringify({ 'b:b': { password: hash, role: 'read' } }),
      '"b:b" is empty or has a colon',
    ],
    [
      'has a user of --users',
      JSON.stringify({ ada: { password: hash, role: 'read' } }),
      'The user ada is in --users and in',
    ],
  ])('because it %s', (_, text, problem) => {
    writeFileSync(usersFile, text)
    const open = () => new Users({ users: { ada: 'lovelace' }, usersFile })
    expect(open).toThrow(problem)
    expect(open).toThrow(/^The user[^\n]*\.$/)
    expect(open).not.toThrow('builder')
  })

  it('because it is not there', () => {
    const open = () => new Users({ users: {}, usersFile: join(folder, 'none.json') })
    expect(open).toThrow(/^The users file .*none\.json cannot be used: ENOENT.*\.$/)
  })
})
