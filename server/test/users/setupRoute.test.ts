import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { writeUsers } from '../fixtures/usersFile.js'

let folder: string
let service: Service
let usersFile: string
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-setup-'))
  usersFile = join(folder, 'users.json')
  writeUsers(usersFile, { bob: ['builder', 'read'] })
  service = await createService({
    usersFile,
    apiKeys: ['site', 'preview:staging'],
    retentionDays: { production: 400 },
  })
})
afterEach(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

const ask = async (pair: string) => {
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`
  return (await service.send('GET', '/setup', undefined, { authorization })).body
}

const environments = [
  { name: 'production', retention_days: 400 },
  { name: 'staging', retention_days: null },
]

it('tells a user who may write the keys, the users and the environments, and no password', async () => {
  expect(await ask('ada:lovelace')).toEqual({
    environments,
    keys: [
      { key: 'site', environments: ['production', 'staging'] },
      { key: 'preview', environments: ['staging'] },
    ],
    users: [
      { user: 'ada', role: 'write' },
      { user: 'bob', role: 'read' },
    ],
    users_file: usersFile,
    refused: null,
    senders: [],
    marked: { ids: 0, times: 0 },
  })
})

it('keeps keys and names from a user who may only read, and all from everybody else', async () => {
  expect(await ask('bob:builder')).toEqual({
    environments,
    keys: null,
    users: null,
    users_file: null,
    refused: null,
    senders: [],
    marked: { ids: 0, times: 0 },
  })
  expect((await service.send('GET', '/setup')).status).toBe(401)
})

it('tells why the newest request for events was refused, and where it came from', async () => {
  const refused = async () => (await ask('ada:lovelace'))['refused']
  await service.ingest('/track', event('Seen'), { 'x-api-key': 'wrong', origin: 'https://shop.example' })
  const at = expect.stringMatching(/^\d{4}-.*Z$/) as string
  expect(await refused()).toEqual({
    at,
    code: 'unauthorized',
    message: 'The API key is wrong.',
    origin: 'https://shop.example',
  })
  await service.ingest('/track', event('Seen', { environment: 'test' }), { 'x-api-key': 'site' })
  expect(await refused()).toMatchObject({ code: 'environment-not-found', origin: null })
})

it('counts ids that a bug gives, and times in seconds or microseconds', async () => {
  const send = (path: string, body: object) => service.ingest(path, body, { 'x-api-key': 'site' })
  const seconds = 1_700_000_000
  await send('/identify', { environment: 'production', distinct_id: 'undefined' })
  await send('/alias', { environment: 'production', distinct_id: 'null', new_user_id: '0' })
  await send('/track', [
    event('Seen', { distinct_id: 'Guest', timestamp: seconds }),
    event('Seen', { timestamp: seconds * 1000 }),
    event('Seen', { timestamp: seconds * 1_000_000 }),
    event('Seen', { timestamp: '1970-01-20T16:13:20+00:00' }),
  ])
  expect((await ask('ada:lovelace'))['marked']).toEqual({ ids: 4, times: 2 })
})
