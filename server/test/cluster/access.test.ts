import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningIngest, startIngest } from '../../src/startIngest.js'
import { createService } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { eventually } from '../fixtures/eventually.js'
import { writeUsers } from '../fixtures/usersFile.js'
import type { Cluster } from './Cluster.js'
import { createDatabase } from './createDatabase.js'
import { startCluster } from './startCluster.js'

let cluster: Cluster
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-access-'))
  cluster = await startCluster({ standbys: 1 })
})
afterAll(async () => {
  await cluster.close()
  rmSync(folder, { recursive: true, force: true })
})

const headersOf = (name: string, password: string) => ({
  'content-type': 'application/json',
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
})
const root = headersOf('root', 'of all evil')

it('users, keys and environments that one process makes count on all, also on one without an engine, until withdrawn', async () => {
  const database = await createDatabase(cluster.primary)
  const usersFile = join(folder, 'users.json')
  writeUsers(usersFile, { root: ['of all evil', 'admin'] })
  const log = { log: database.url, logDurability: 'quorum', usersFile } as const
  const startAlone = () =>
    startIngest({ port: 0, users: { ada: 'lovelace' }, logLevel: 'silent', role: 'ingest', ...log })
  const one = await createService({ dataFolder: join(folder, 'one'), ...log })
  const two = await createService({ dataFolder: join(folder, 'two'), ...log })
  let alone: RunningIngest = await startAlone()
  try {
    const post = async (url: string, path: string, body: object, headers: Record<string, string> = root) => {
      const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
      return { status: response.status, body: (await response.json()) as Record<string, string> }
    }
    const track = async (key: string | undefined, environment = 'production') =>
      (await post(alone.url, '/track', event('Seen', { environment }), { 'x-api-key': key ?? '' })).status
    const made = await post(one.url, '/access', {
      change: 'make-key',
      name: 'shop',
      kind: 'server',
      environments: null,
    })
    await eventually(async () => expect(await track(made.body['key'])).toBe(200))
    expect(await track(made.body['key'], 'preview')).toBe(400)
    await post(two.url, '/access', { change: 'add-environment', name: 'preview' })
    await eventually(async () => expect(await track(made.body['key'], 'preview')).toBe(200))
    const stored = "SELECT count(*) FROM events WHERE environment = 'preview'"
    for (const service of [one, two])
      await eventually(async () => expect((await service.query(stored)).rows).toEqual([[1]]))

    const { body } = await post(two.url, '/access', { change: 'invite', user: 'zoe', role: 'write' })
    const token = body['address']?.split('=')[1]
    const password = 'a password of hers'
    await eventually(async () =>
      expect((await post(one.url, '/invitation', { token })).body['user']).toBe('zoe'),
    )
    await post(one.url, '/invitation', { token, password })
    const zoe = headersOf('zoe', password)
    const statusOf = async (url: string) => (await fetch(`${url}/session`, { headers: zoe })).status
    await eventually(async () => expect(await statusOf(two.url)).toBe(200))

    // What a process did not hear while it was away, it knows at its start.
    await alone.stop()
    await alone.close()
    alone = await startAlone()
    expect(await track(made.body['key'])).toBe(200)

    const listed = await fetch(`${two.url}/access`, { headers: root })
    const { keys } = (await listed.json()) as { keys: { id: string; from: string | null }[] }
    const { id } = keys.find(({ from }) => from === null)!
    await post(two.url, '/access', { change: 'withdraw-key', id })
    await post(two.url, '/access', { change: 'remove-user', user: 'zoe' })
    await eventually(async () =>
      expect([await track(made.body['key']), await statusOf(one.url)]).toEqual([401, 401]),
    )

    const [kept] = await database.query<{ body: string }>('SELECT body FROM waymark.access')
    expect(kept?.body).toContain('withdraw-key')
    expect(kept?.body).not.toContain(made.body['key'])
  } finally {
    await alone.stop()
    await alone.close()
    await one.stop()
    await two.stop()
  }
})

it('two processes that change at once lose nothing', async () => {
  const database = await createDatabase(cluster.primary)
  const usersFile = join(folder, 'users.json')
  writeUsers(usersFile, { root: ['of all evil', 'admin'] })
  const log = { log: database.url, logDurability: 'quorum', usersFile } as const
  const create = (name: string) => createService({ dataFolder: join(folder, name), ...log })
  const services = await Promise.all([create('three'), create('four')])
  try {
    const invite = (at: number) => {
      const body = JSON.stringify({ change: 'invite', user: `u${at}`, role: 'read' })
      return services[at % 2 === 0 ? 0 : 1].send('POST', '/access', body, root)
    }
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => invite(at)))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
    for (const service of services)
      await eventually(async () => {
        const { body } = await service.send('GET', '/access', undefined, root)
        expect(body['invitations']).toHaveLength(20)
      })
  } finally {
    for (const service of services) await service.stop()
  }
})
