import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Logger } from '../../src/Logger.js'
import { Access, type AccessPlace } from '../../src/users/Access.js'
import { accessChanges } from '../../src/users/accessChanges.js'
import { Users } from '../../src/users/Users.js'
import { eventually } from '../fixtures/eventually.js'
import { spawnService, urlIn } from '../fixtures/spawnService.js'
import { cheapHash, writeUsers } from '../fixtures/usersFile.js'

/** A place that several processes share, as the row in PostgreSQL is. */
const sharedPlace = () => {
  const looks: (() => void)[] = []
  let [kept, revision] = [undefined as string | undefined, 0]
  return (): AccessPlace => ({
    name: 'The table',
    async read() {
      await Promise.resolve()
      return { text: kept, revision }
    },
    async write(text, before) {
      await Promise.resolve()
      if (before !== revision) return false
      ;[kept, revision] = [text, revision + 1]
      for (const look of looks) look()
      return true
    },
    follow: (look) => looks.push(look),
  })
}

const openProcess = async (place: AccessPlace, passwords: Record<string, string> = {}) => {
  const access = await Access.open(place, { logger: new Logger('silent'), mayBeAway: false })
  const users = new Users({ users: passwords, usersFile: '', oidcIssuer: 'https://login.example' })
  const take = () => users.keep(access.state.users)
  take()
  access.on('changed', take)
  return { access, users, changes: accessChanges({ access, users, environments: ['production'] }) }
}

const openTwo = async () => {
  const place = sharedPlace()
  const one = await openProcess(place())
  const password = cheapHash('x')
  await one.access.change(() => ({
    state: { users: ['ann', 'eve'].map((user) => ({ user, role: 'admin', password })) },
    note: { by: 'test', change: 'accept', of: 'ann', as: null },
    answer: undefined,
  }))
  return [one, await openProcess(place())] as const
}

const invite = (user: string): Parameters<ReturnType<typeof accessChanges>['change']>[0] => ({
  change: 'invite',
  user,
  role: 'read',
  id: '',
  name: '',
  kind: 'public',
  environments: null,
})

it('loses no change of two processes that change something at once, and both know all of them', async () => {
  const [one, two] = await openTwo()
  const names = Array.from({ length: 40 }, (_, at) => `u${at}`)
  await Promise.all(names.map((name, at) => (at % 2 ? one : two).changes.change(invite(name), 'ann')))
  for (const { access } of [one, two])
    await eventually(() => {
      expect(access.state.invitations.map(({ user }) => user).toSorted()).toEqual(names.toSorted())
      expect(access.state.changes).toHaveLength(41)
    })
})

it('lets one of two admins who remove each other on two processes stay', async () => {
  const [one, two] = await openTwo()
  const both = await Promise.allSettled([
    one.changes.change({ ...invite('eve'), change: 'remove-user' }, 'ann'),
    two.changes.change({ ...invite('ann'), change: 'remove-user' }, 'eve'),
  ])
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  const refused = both.find((each) => each.status === 'rejected')
  expect(refused).toMatchObject({ reason: { status: 403, code: 'admins-only' } })
  await eventually(() => {
    expect(one.users.list()).toHaveLength(1)
    expect(one.users.list()).toEqual(two.users.list())
  })
})

it('does not count an admin whom a user of a flag hides as one who could take a change back', async () => {
  const place = sharedPlace()
  const { access } = await openProcess(place())
  const password = cheapHash('kept')
  await access.change(() => ({
    state: { users: ['ada', 'ann'].map((user) => ({ user, role: 'admin', password })) },
    note: { by: 'test', change: 'accept', of: 'ann', as: null },
    answer: undefined,
  }))
  const { changes } = await openProcess(place(), { ada: 'lovelace' })
  await expect(changes.change({ ...invite('ann'), change: 'remove-user' }, 'ann')).rejects.toMatchObject({
    code: 'last-admin',
  })
})

it('where all admins are of a provider, one of them removes others, but not the last admin', async () => {
  const { access, users, changes } = await openProcess(sharedPlace()())
  const kept = (user: string, role: 'read' | 'admin') => ({
    ...{ user, role, password: cheapHash('x'), subject: `https://login.example ${user}` },
  })
  await access.change(() => ({
    state: { users: [kept('olga', 'admin'), kept('grace', 'read')] },
    note: { by: 'test', change: 'enter', of: 'olga', as: 'admin' },
    answer: undefined,
  }))
  await changes.change({ ...invite('grace'), change: 'remove-user' }, 'olga')
  expect(users.list().map(({ user }) => user)).toEqual(['olga'])
  await expect(changes.change({ ...invite('olga'), change: 'remove-user' }, 'olga')).rejects.toMatchObject({
    code: 'last-admin',
  })
})

it('gives up with a sentence where others are always first', async () => {
  const place: AccessPlace = { ...sharedPlace()(), write: () => Promise.resolve(false) }
  const { access } = await openProcess(place)
  const note = { by: 'x', change: 'x', of: 'x', as: null }
  await expect(access.change(() => ({ state: {}, note, answer: 1 }))).rejects.toMatchObject({ status: 503 })
})

it('a name that a flag gives later is the flag’s', async () => {
  const place = sharedPlace()
  const { access } = await openProcess(place())
  await access.change(() => ({
    state: { users: [{ user: 'ada', role: 'admin', password: cheapHash('kept') }] },
    note: { by: 'test', change: 'accept', of: 'ada', as: null },
    answer: undefined,
  }))
  const { users } = await openProcess(place(), { ada: 'lovelace' })
  expect(users.list()).toEqual([{ user: 'ada', role: 'write', from: '--users' }])
  expect(await users.check('ada', 'kept')).toBeUndefined()
})

it('keeps, through kills at any moment, what was answered, each change with its note', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-access-'))
  const usersFile = join(folder, 'users.json')
  writeUsers(usersFile, { root: ['of all evil', 'admin'] })
  const authorization = `Basic ${Buffer.from('root:of all evil').toString('base64')}`
  const start = () =>
    spawnService(['--port', '0', '--data', join(folder, 'data'), '--users-file', usersFile], { direct: true })
  const answered: string[] = []
  let service = start()
  try {
    for (let round = 0; round < 3; round++) {
      const url = urlIn(await service.ready)
      const headers = { authorization, 'content-type': 'application/json' }
      const before = answered.length
      const make = async (name: string) => {
        const body = JSON.stringify({ change: 'make-key', name, kind: 'public', environments: null })
        const { status } = await fetch(`${url}/access`, { method: 'POST', headers, body })
        if (status === 200) answered.push(name)
        // More may be answered by the time that it is dead.
        if (answered.length >= before + 10) service.kill('SIGKILL')
      }
      await Promise.allSettled(Array.from({ length: 40 }, (_, at) => make(`${round}-${at}`)))
      await service.ended
      service = start()
      const next = urlIn(await service.ready)
      const { keys, changes } = (await (await fetch(`${next}/access`, { headers })).json()) as {
        keys: { name: string }[]
        changes: { of: string }[]
      }
      const made = keys.map(({ name }) => name)
      expect(made).toEqual(expect.arrayContaining(answered))
      expect(changes.map(({ of }) => of).toSorted()).toEqual(made.toSorted())
    }
  } finally {
    service.kill('SIGKILL')
    await service.ended
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
})
