import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { createService, type Service } from '../fixtures/createService.js'
import { writeUsers } from '../fixtures/usersFile.js'
import { eventually } from '../fixtures/eventually.js'

let folder: string
let service: Service
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-unread-'))
  const usersFile = join(folder, 'users.json')
  writeUsers(usersFile, { bob: ['builder', 'read'] })
  service = await createService({ usersFile, postgresPort: 0, maxQueries: 2 })
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

const left: (() => void)[] = []
afterEach(() => {
  for (const leave of left.splice(0)) leave()
})

const large = "SELECT repeat('x', 100) AS x FROM range(400000)"
const as = (name: string) => ({ authorization: `Basic ${Buffer.from(name).toString('base64')}` })

/** Asks for a large answer, reads its head, and no more. */
const leaveUnread = async (name: string): Promise<IncomingMessage> => {
  const request = get(`${service.url}/query?${new URLSearchParams({ statement: large, format: 'jsonl' })}`, {
    headers: as(name),
    agent: false,
  })
  left.push(() => request.destroy())
  request.on('error', () => undefined)
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  answer.on('error', () => undefined)
  return answer
}
const answerTo = async (name: string, statement: string): Promise<string> => {
  const response = await fetch(`${service.url}/query`, {
    method: 'POST',
    headers: as(name),
    body: JSON.stringify({ statement, format: 'csv' }),
  })
  return response.text()
}
const connect = async () => {
  const client = new pg.Client({
    host: '127.0.0.1',
    port: service.postgresPort,
    user: 'ada',
    password: 'lovelace',
    database: 'lakehouse',
  })
  client.on('error', () => undefined)
  await client.connect()
  left.push(() => void client.end().catch(() => undefined))
  return client
}

// With two queries at once each of these would wait for the minute that a client may take nothing.
it('answers that nobody reads hold up no other question, by nobody', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => leaveUnread('ada:lovelace')))
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 200))
  expect(await answerTo('bob:builder', 'SELECT 1 AS one')).toBe('one\n1\n')
  expect(await answerTo('ada:lovelace', 'SELECT 2 AS two')).toBe('two\n2\n')
  expect(answers.filter(({ readableEnded, destroyed }) => readableEnded || destroyed)).toEqual([])
})

it('an answer that is read at last is whole', async () => {
  const answers = await Promise.all(Array.from({ length: 5 }, () => leaveUnread('ada:lovelace')))
  expect(await answerTo('bob:builder', 'SELECT 1 AS one')).toBe('one\n1\n')
  for (const answer of answers) {
    let bytes = 0
    for await (const chunk of answer) bytes += (chunk as Buffer).length
    expect(bytes).toBe(400_000 * (100 + '{"x":""}\n'.length))
  }
})

it('portals that are not read on hold up no other question', async () => {
  for (let count = 0; count < 4; count++) {
    const client = await connect()
    const suspended = new Promise<void>((resolve, reject) => {
      const portal = {
        submit(connection: pg.Connection) {
          connection.parse({ name: '', text: large, types: [] }, true)
          connection.bind({}, true)
          connection.execute({ portal: '', rows: '1' }, true)
          connection.flush()
        },
        handleRowDescription: () => undefined,
        handleDataRow: () => undefined,
        handlePortalSuspended: () => resolve(),
        handleError: reject,
      }
      client.query(portal as unknown as pg.Submittable)
    })
    await suspended
  }
  expect(await answerTo('ada:lovelace', 'SELECT 1 AS one')).toBe('one\n1\n')
  const client = await connect()
  expect((await client.query('SELECT 2 AS two')).rows).toEqual([{ two: 2 }])
})

it('when too many do not read, one ends of the user who has most of them', async () => {
  const errorOf = async ({ headers }: IncomingMessage, name: string) => {
    const response = await fetch(`${service.url}/query/${headers['x-query-id'] as string}`, {
      headers: as(name),
    })
    return ((await response.json()) as { error: string | null }).error
  }
  const bobs = await leaveUnread('bob:builder')
  const adas: IncomingMessage[] = []
  for (let count = 0; count < 33; count++) adas.push(await leaveUnread('ada:lovelace'))
  await eventually(async () => {
    const errors = await Promise.all(adas.map((answer) => errorOf(answer, 'ada:lovelace')))
    expect(errors).toContain('The client did not read its answer, and too many others did not read theirs.')
  })
  expect(await errorOf(bobs, 'bob:builder')).toBeNull()
})
