import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Body, createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { writeUsers } from '../fixtures/usersFile.js'

let folder: string
let service: Service
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-environments-'))
  const usersFile = join(folder, 'users.json')
  writeUsers(usersFile, { root: ['of all evil', 'admin'] })
  service = await createService({
    usersFile,
    apiKeys: ['all', 'stage:staging'],
    retentionDays: { staging: 9 },
  })
})
afterEach(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

const root = {
  'content-type': 'application/json',
  authorization: `Basic ${Buffer.from('root:of all evil').toString('base64')}`,
}
const change = async (body: object) => {
  const answer = await service.send('POST', '/access', JSON.stringify(body), root)
  return { ...answer, said: [answer.status, answer.body['error'] ?? null] }
}
const add = async (name: string) => (await change({ change: 'add-environment', name })).said
const withdraw = async (name: string) => (await change({ change: 'withdraw-environment', name })).said
const list = async () =>
  (await service.send('GET', '/access', undefined, root)).body as Record<
    'environments' | 'keys' | 'changes',
    Body[]
  >
const track = async (environment: string, key: unknown = 'all') => {
  const { status, body } = await service.ingest('/track?sync=true', event('Seen', { environment }), {
    'x-api-key': key,
  })
  return body['error_code'] ?? status
}
const countOf = async (environment: string) => {
  const { rows } = await service.query(`SELECT count(*) FROM events WHERE environment = '${environment}'`)
  return rows[0]?.[0]
}
const known = async (path: string) => (await service.get(path)).body['environments']
const done = [200, null]

it('takes events as soon as it is added, and no more once it is withdrawn; what it has stays', async () => {
  expect(await track('preview')).toBe('environment-not-found')
  expect(await add('preview')).toEqual(done)
  expect([await track('preview'), await track('preview', 'stage')]).toEqual([200, 403])
  expect(await known('/session')).toEqual(['production', 'staging', 'preview'])
  expect(await known('/setup')).toEqual([
    { name: 'production', retention_days: null },
    { name: 'staging', retention_days: 9 },
    { name: 'preview', retention_days: null },
  ])
  await service.restart()
  expect(await track('preview')).toBe(200)
  expect(await withdraw('preview')).toEqual(done)
  expect(await track('preview')).toBe('environment-not-found')
  expect(await countOf('preview')).toBe(2)
  expect(await known('/session')).toEqual(['production', 'staging', 'preview'])
  expect(await known('/setup')).toHaveLength(2)
  expect((await list()).environments.at(-1)).toMatchObject({
    ...{ name: 'preview', from: null, made_by: 'root', withdrawn_at: expect.stringMatching(/Z$/) as string },
  })
  expect(await add('preview')).toEqual(done)
  expect(await track('preview')).toBe(200)
  expect((await list()).changes.map(({ by, change: made, of }) => [by, made, of])).toEqual([
    ['root', 'add-environment', 'preview'],
    ['root', 'withdraw-environment', 'preview'],
    ['root', 'add-environment', 'preview'],
  ])
})

it('takes history that is imported', async () => {
  const send = (environment: string) =>
    service.send('POST', `/history?source=csv&environment=${environment}`, 'event,time\n', {
      authorization: root.authorization,
    })
  expect((await send('preview')).body['message']).toBe('environment must be one of production, staging.')
  await add('preview')
  expect((await send('preview')).status).toBe(200)
})

it('is chosen for a key, also later', async () => {
  await add('preview')
  const make = { change: 'make-key', name: 'shop', kind: 'public', environments: ['preview'] }
  const { key } = (await change(make)).body
  const { id } = (await list()).keys.find((each) => each['key'] === key)!
  expect([await track('preview', key), await track('staging', key)]).toEqual([200, 403])
  const choose = async (environments: unknown) =>
    (await change({ change: 'set-environments', id, environments })).said
  expect(await choose(['staging'])).toEqual(done)
  expect([await track('preview', key), await track('staging', key)]).toEqual([403, 200])
  expect(await choose(null)).toEqual(done)
  await add('later')
  expect(await track('later', key)).toBe(200)
  expect((await list()).keys.find((each) => each['id'] === id)).toMatchObject({
    environments: ['production', 'staging', 'preview', 'later'],
    all: true,
  })
  expect(await choose(['nowhere'])).toEqual([400, 'invalid-body'])
  expect((await change({ change: 'set-environments', id: 'x', environments: null })).said).toEqual([
    404,
    'no-such-key',
  ])
})

it('of the flag is changed there', async () => {
  expect((await list()).environments).toEqual(
    ['production', 'staging'].map((name) => ({
      ...{ name, from: '--environments', made_by: null, made_at: null, withdrawn_at: null },
    })),
  )
  const answer = await change({ change: 'withdraw-environment', name: 'staging' })
  expect(answer.said).toEqual([409, 'fixed'])
  expect(answer.body['message']).toBe('The environment "staging" is from --environments: change it there.')
  expect(await add('staging')).toEqual([409, 'taken'])
})

it('has a name of one line, which no flag would read otherwise', async () => {
  for (const name of ['', ' a', 'a:b', 'a,b', 'a\nb', '\ud800', 'x'.repeat(101)])
    expect([name, await add(name)]).toEqual([name, [400, 'invalid-body']])
  for (const name of ['Ünï cödé', '__proto__', 'a.b-c', '../"$1*', "'; DROP TABLE events --"]) {
    expect([name, await add(name)]).toEqual([name, done])
    expect(await add(name)).toEqual([409, 'taken'])
    expect(await track(name)).toBe(200)
    expect(await countOf(name.replaceAll("'", "''"))).toBe(1)
  }
})

it('is one of at most 100, with those that are withdrawn', async () => {
  for (let at = 0; at < 100; at++) expect(await add(`e${at}`)).toEqual(done)
  expect(await withdraw('e7')).toEqual(done)
  expect(await withdraw('e7')).toEqual([404, 'no-such-environment'])
  expect(await add('one more')).toEqual([409, 'too-many'])
  expect(await add('e7')).toEqual(done)
})

it('needs no entry in a file from before there were any', async () => {
  const path = join(service.folder, 'access.json')
  await change({ change: 'make-key', name: 'shop', kind: 'public', environments: ['staging'] })
  const { environments, ...older } = JSON.parse(readFileSync(path, 'utf8')) as Body
  expect(environments).toEqual([])
  await service.stop()
  writeFileSync(path, JSON.stringify(older))
  await service.restart()
  expect((await list()).keys.at(-1)).toMatchObject({ name: 'shop', all: false })
  expect(await add('preview')).toEqual(done)
})
