import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { writeUsers } from '../fixtures/usersFile.js'

let folder: string
let service: Service
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-roles-'))
  const usersFile = join(folder, 'users.json')
  writeUsers(usersFile, { bob: ['builder', 'read'], eve: ['apple', 'write'] })
  service = await createService({
    usersFile,
    postgresPort: 0,
    apiKeys: ['all', 'for-staging:staging'],
  })
  await service.query('CREATE TABLE kept AS SELECT 1 AS n')
  await service.query('CREATE SEQUENCE numbers')
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

const as = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
})
const reader = as('bob', 'builder')
const query = (statement: string, headers: Record<string, string> = reader, more: object = {}) =>
  service.send('POST', '/query', JSON.stringify({ statement, format: 'jsonl', ...more }), headers)

const place = 'catalog=lakehouse&schema=main&table=kept'

describe('a user who may only read', () => {
  it('asks by name', async () => {
    const { status } = await service.send('POST', '/answer', '{"name":"people","format":"jsonl"}', reader)
    expect(status).toBe(200)
  })

  it.each([
    'SELECT n FROM kept',
    'FROM kept',
    'SELECT count(*) AS n FROM events',
    'DESCRIBE kept',
    'SUMMARIZE kept',
    'EXPLAIN SELECT * FROM kept',
    'EXPLAIN ANALYZE SELECT * FROM kept',
    "SET TimeZone = 'Europe/Berlin'",
    'SET VARIABLE x = 1',
    'USE lakehouse.main',
    'PIVOT kept ON n USING count(*)',
  ])('runs %s', async (statement) => {
    const response = await fetch(`${service.url}/query`, {
      method: 'POST',
      headers: reader,
      body: JSON.stringify({ statement }),
    })
    expect([response.status, await response.text()]).toEqual([200, expect.not.stringContaining('"error"')])
  })

  it.each([
    'INSERT INTO kept VALUES (2)',
    'UPDATE kept SET n = 2',
    'DELETE FROM kept',
    'TRUNCATE kept',
    'MERGE INTO kept USING (SELECT 1 AS n) s ON kept.n = s.n WHEN MATCHED THEN DELETE',
    'DROP TABLE kept',
    'ALTER TABLE kept ADD COLUMN m INTEGER',
    'CREATE TABLE other AS SELECT 1',
    'CREATE TEMP TABLE other AS SELECT 1',
    'CREATE VIEW other AS SELECT 1',
    'CREATE MACRO other() AS 1',
    'CREATE SCHEMA other',
    'WITH x AS (SELECT 1) INSERT INTO kept SELECT * FROM x',
    'EXPLAIN ANALYZE DELETE FROM kept',
    'EXPLAIN ANALYZE WITH x AS (SELECT 2) INSERT INTO kept SELECT * FROM x',
    'EXPLAIN (ANALYZE ")") INSERT INTO kept VALUES (2)',
    'EXPLAIN (ANALYZE ")") DELETE FROM kept',
    "SELECT nextval('numbers')",
    "EXPLAIN ANALYZE SELECT nextval('numbers')",
    "SET VARIABLE x = (SELECT nextval('numbers'))",
  ])('is refused %s', async (statement) => {
    const { status, body } = await query(statement)
    expect([status, body['error']]).toEqual([403, 'read-only-user'])
    expect(
      (
        await service.query(
          "SELECT n, (SELECT count(*) FROM duckdb_tables() WHERE table_name = 'other') FROM kept",
        )
      ).rows,
    ).toEqual([[1, 0]])
  })

  it('replaces no view by a statement before the one that the guard sees', async () => {
    const tag = `$${'a'.repeat(150)}$`
    const statement = `CREATE OR REPLACE VIEW analytics.main.events AS SELECT ${tag} ' ${tag} AS a; SELECT 1 -- '`
    expect((await query(statement)).status).toBe(400)
    expect((await query('SELECT count(person_id) FROM events')).status).toBe(200)
  })

  it.each([
    `/append?${place}`,
    `/upload?${place}&mode=overwrite&format=csv`,
    `/upsert?${place}&primary_key=n`,
  ])('is refused %s', async (path) => {
    const { status, body } = await service.send('POST', path, '[{"n":2}]', reader)
    expect([status, body['error']]).toEqual([403, 'read-only-user'])
  })

  it('is not believed what it says of its own role', async () => {
    const claims = { ...reader, 'x-waymark-role': 'write', 'x-waymark-user': 'ada' }
    expect((await query('DELETE FROM kept', claims)).status).toBe(403)
  })

  it('is told its role with its session, which may write no more than the password', async () => {
    const page = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
    const login = await service.send('POST', '/session', '{"user":"bob","password":"builder"}', page)
    expect(login.body).toEqual({ user: 'bob', role: 'read', environments: ['production', 'staging'] })
    const cookie = login.headers.get('set-cookie')!.replace(/;.*/, '')
    expect((await query('DELETE FROM kept', { ...page, cookie })).body['error']).toBe('read-only-user')
    expect((await query('SELECT 1', { ...page, cookie })).status).toBe(200)
  })

  it('reads by the Postgres protocol, and takes no numbers there either', async () => {
    const client = new pg.Client({
      host: '127.0.0.1',
      port: service.postgresPort,
      user: 'bob',
      password: 'builder',
      database: 'lakehouse',
    })
    await client.connect()
    try {
      expect((await client.query('SELECT n FROM kept')).rows).toEqual([{ n: 1 }])
      for (const statement of ['DELETE FROM kept', "SELECT nextval('numbers')"])
        await expect(client.query(statement)).rejects.toMatchObject({ code: '25006' })
    } finally {
      await client.end()
    }
  })
})

it('a user of the file who may write does, and is one of their own', async () => {
  const eve = as('eve', 'apple')
  expect((await query('CREATE TABLE hers AS SELECT 1 AS n', eve)).status).toBe(200)
  const id = crypto.randomUUID()
  expect((await query('SELECT 1', eve, { query_id: id })).status).toBe(200)
  expect((await service.send('GET', `/query/${id}`, undefined, eve)).status).toBe(200)
  expect((await service.get(`/query/${id}`)).status).toBe(404)
})

describe('an API key', () => {
  const track = (key: string, body: unknown, path = '/track') =>
    service.send('POST', path, typeof body === 'string' ? body : JSON.stringify(body), { 'x-api-key': key })
  const inProduction = { ...event('never'), environment: 'production' }
  const inStaging = { ...event('kept'), environment: 'staging' }

  it('for one environment writes to that one alone', async () => {
    expect((await track('for-staging', inStaging)).body['ok']).toBe(true)
    for (const body of [inProduction, [inStaging, inProduction]]) {
      const answer = await track('for-staging', body)
      expect([answer.status, answer.body]).toEqual([
        403,
        {
          ok: false,
          task_id: null,
          error_code: null,
          error: 'environment-not-allowed',
          message: expect.stringContaining(
            'this API key may not write to the environment "production"',
          ) as string,
        },
      ])
    }
    const unknown = await track('for-staging', { ...inStaging, environment: 'nowhere' })
    expect([unknown.status, unknown.body['error_code']]).toEqual([400, 'environment-not-found'])
    expect((await track('all', inProduction)).body['ok']).toBe(true)
  })

  it.each([
    ['/track', '"event":"never","properties":{}'],
    ['/identify', '"distinct_id":"a","traits":{}'],
    ['/alias', '"distinct_id":"a","new_user_id":"b"'],
  ])('gets past its environment by no name that comes twice in %s', async (path, rest) => {
    for (const name of ['environment', String.raw`environ\u006dent`]) {
      const body = `[{"${name}":"production","environment":"staging",${rest}}]`
      expect((await track('for-staging', body, path)).status).toBe(400)
    }
  })

  it('reads nothing', async () => {
    const headers = { 'x-api-key': 'all', authorization: 'Bearer all' }
    for (const [method, path] of [
      ['POST', '/query?apiKey=all'],
      ['GET', '/query?statement=SELECT+1&apiKey=all'],
      ['GET', `/query/${crypto.randomUUID()}?apiKey=all`],
      ['DELETE', `/query/${crypto.randomUUID()}?session_id=x`],
      ['POST', '/append?apiKey=all'],
      ['POST', '/upload'],
      ['POST', '/upsert'],
      ['POST', '/validate'],
      ['POST', '/explain'],
      ['POST', '/autocomplete'],
      ['GET', '/setup?apiKey=all'],
    ] as const) {
      const { status } = await service.send(method, path, method === 'POST' ? '{}' : undefined, headers)
      expect([method, path, status]).toEqual([method, path, 401])
    }
  })
})
