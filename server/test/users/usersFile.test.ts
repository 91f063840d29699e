import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Users } from '../../src/users/Users.js'
import { launcher, type Spawned, spawnService, urlIn } from '../fixtures/spawnService.js'
import { writeUsers } from '../fixtures/usersFile.js'
import { eventually } from '../fixtures/eventually.js'

let folder: string
let usersFile: string
let service: Spawned | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-users-file-'))
  usersFile = join(folder, 'users.json')
})
afterEach(async () => {
  service?.kill('SIGKILL')
  await service?.ended
  service = undefined
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
})

const start = (...more: string[]) => {
  const flags = [
    '--port',
    '0',
    '--postgres-port',
    '0',
    '--data',
    join(folder, 'data'),
    '--users-file',
    usersFile,
  ]
  return spawnService([...flags, ...more], { direct: true })
}

it('a file of users counts from SIGHUP on, ends connections of who is gone, and stays when it is broken', async () => {
  writeUsers(usersFile, { bob: ['builder', 'read'], eve: ['apple', 'write'] })
  service = start()
  const line = await service.ready
  const url = urlIn(line)
  const statusOf = async (name: string, password: string) => {
    const authorization = `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
    return (await fetch(`${url}/session`, { headers: { authorization } })).status
  }
  const port = Number(/(\d+) \(Postgres\)/.exec(line!)![1])
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: 'bob',
    password: 'builder',
    database: 'lakehouse',
  })
  const left = new Promise<void>((resolve) => client.once('end', () => resolve()))
  client.on('error', () => undefined)
  await client.connect()
  expect([await statusOf('bob', 'builder'), await statusOf('eve', 'apple')]).toEqual([200, 200])

  writeUsers(usersFile, { eve: ['pear', 'write'] })
  service.kill('SIGHUP')
  await left
  expect(await statusOf('bob', 'builder')).toBe(401)
  expect([await statusOf('eve', 'apple'), await statusOf('eve', 'pear')]).toEqual([401, 200])

  writeFileSync(usersFile, 'broken')
  service.kill('SIGHUP')
  await eventually(() => expect(service!.log()).toContain('is not used'))
  expect(await statusOf('eve', 'pear')).toBe(200)
  service.kill('SIGTERM')
  const { code, stderr } = await service.ended
  expect(code).toBe(0)
  const lines = stderr
    .trim()
    .split('\n')
    .map((each) => JSON.parse(each) as Record<string, unknown>)
  expect(lines).toContainEqual(
    expect.objectContaining({ message: 'The file of users was read again.', changed: 2 }),
  )
  const problem = lines.find(({ level }) => level === 'error')
  expect(problem).toMatchObject({
    message: 'The file of users is not used; those of before stay.',
    reason: `The users file ${usersFile} cannot be used: it is not JSON.`,
  })
})

it('a service whose file of users is broken does not start, and says why in one sentence', async () => {
  writeFileSync(usersFile, '{ "bob": {} }')
  service = start('--quiet')
  const { code, stdout, stderr } = await service.ended
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr.trim()).toMatch(/^The users file .* cannot be used: bob must have required property .*\.$/)
})

it('hash-password makes an entry of such a file from one line of standard input', async () => {
  const hash = (input: string) =>
    spawnSync(process.execPath, [launcher, 'hash-password'], { input, encoding: 'utf8' })
  const { status, stdout } = hash('lovelace of London\nmore\n')
  expect(status).toBe(0)
  expect(stdout).toMatch(/^SCRAM-SHA-256\$[^\n]*\n$/)
  writeFileSync(usersFile, JSON.stringify({ ada: { password: stdout.trim(), role: 'read' } }))
  const users = new Users({ users: {}, usersFile })
  expect(await users.check('ada', 'lovelace of London')).toEqual({ user: 'ada', role: 'read' })
  expect(hash('')).toMatchObject({ status: 2, stdout: '' })
})
