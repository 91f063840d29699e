import type { EventEmitter } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createService, type Service } from '../../fixtures/createService.js'
import { writeUsers } from '../../fixtures/usersFile.js'
import { inText, refusedCalls } from './escapes.js'
import { share } from '../../fixtures/share.js'

const people = { ada: 'lovelace', bob: 'builder' }
type Person = keyof typeof people

let folder: string
let service: Service
let clients: Record<Person, pg.Client>
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-doors-'))
  const usersFile = join(folder, 'users.json')
  writeUsers(usersFile, { bob: [people.bob, 'read'] })
  service = await createService({ usersFile, postgresPort: 0 })
  const connect = async (user: Person) => {
    const { postgresPort: port } = service
    const client = new pg.Client({
      host: '127.0.0.1',
      port,
      user,
      password: people[user],
      database: 'lakehouse',
    })
    await client.connect()
    return client
  }
  clients = { ada: await connect('ada'), bob: await connect('bob') }
  for (const statement of [
    'CREATE SEQUENCE numbers',
    'CREATE TABLE kept AS SELECT 1 AS n',
    "CREATE VIEW taking AS SELECT nextval('numbers') AS n",
    "CREATE MACRO take() AS nextval('numbers')",
    "CREATE MACRO takes() AS TABLE SELECT nextval('numbers') AS n",
  ]) {
    expect((await service.query(statement)).status).toBe(200)
  }
})
afterAll(async () => {
  await Promise.all(Object.values(clients).map((client) => client.end()))
  await service.close()
  rmSync(folder, { recursive: true })
})

/** What came back, and whether the statement was refused. */
interface Reply {
  isRefused: boolean
  text: string
}

const ask = async (user: Person, path: string, body?: object): Promise<{ status: number; text: string }> => {
  const response = await fetch(service.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${user}:${people[user]}`).toString('base64')}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, text: await response.text() }
}
const asked = ({ status, text }: { status: number; text: string }): Reply => ({
  isRefused: status === 400 || status === 403,
  text,
})
const looked = ({ text }: { text: string }): Reply => ({
  isRefused: (JSON.parse(text) as { error: string | null }).error !== null,
  text,
})
const tried = async (work: () => Promise<unknown>): Promise<Reply> => {
  try {
    return { isRefused: false, text: JSON.stringify(await work()) }
  } catch (error) {
    return { isRefused: true, text: String(error) }
  }
}
const wired = (user: Person, text: string, values?: []) =>
  tried(
    async () =>
      (await clients[user].query(values === undefined ? { text } : { text, values, name: '' })).rows,
  )
const byCursor = (user: Person, statement: string, values?: []) =>
  tried(async () => {
    const query = (text: string) => clients[user].query({ text, ...(values && { values }) })
    try {
      await query(`DECLARE c CURSOR WITH HOLD FOR ${statement}`)
      return (await query('FETCH ALL FROM c')).rows
    } finally {
      await query('CLOSE ALL')
    }
  })
/** The bytes of the copy; node pg tells them on its connection alone. */
const byCopy = (user: Person, statement: string) =>
  tried(async () => {
    const client = clients[user]
    const { connection } = client as unknown as { connection: EventEmitter }
    let copied = ''
    const hear = ({ chunk }: { chunk: Buffer }) => (copied += chunk.toString())
    connection.on('copyData', hear)
    await client
      .query(`COPY (${statement}) TO STDOUT (NULL ':null')`)
      .finally(() => connection.off('copyData', hear))
    return copied.trim()
  })

/** Each way on which SQL comes to the engine. */
const doors: Record<string, (user: Person, statement: string) => Promise<Reply>> = {
  'POST /query': async (user, statement) => asked(await ask(user, '/query', { statement })),
  'POST /query in Parquet': async (user, statement) =>
    asked(await ask(user, '/query', { statement, format: 'parquet' })),
  'POST /query in csv': async (user, statement) =>
    asked(await ask(user, '/query', { statement, format: 'csv', ephemeral: true })),
  'GET /query': async (user, statement) =>
    asked(await ask(user, `/query?${new URLSearchParams({ statement, format: 'jsonl' })}`)),
  'POST /validate': async (user, statement) => looked(await ask(user, '/validate', { statement })),
  'POST /explain': async (user, statement) =>
    looked(await ask(user, '/explain', { statement, include_plan: true })),
  'simple Postgres': (user, statement) => wired(user, statement),
  'extended Postgres': (user, statement) => wired(user, statement, []),
  'a cursor by Postgres': (user, statement) => byCursor(user, statement),
  'a prepared cursor by Postgres': (user, statement) => byCursor(user, statement, []),
  'COPY by Postgres': byCopy,
}
/** It answers whatever it is asked. */
const autocomplete = (user: Person, statement: string) =>
  ask(user, '/autocomplete', { statement: `WITH x AS (${statement}) SELECT x.` })

/** Each takes a number of a sequence, which is writing. */
const takers = [
  "SELECT nextval('numbers')",
  'SELECT "nextval"(\'numbers\')',
  "FROM range(nextval('numbers'))",
  'FROM taking',
  'SELECT take()',
  'FROM takes()',
  'SELECT (SELECT n FROM taking) + 1 FROM kept',
  'SELECT list_transform([1], lambda x: x + take())',
  'PIVOT taking ON n',
  'EXPLAIN ANALYZE FROM taking',
  'SET VARIABLE x = (SELECT n FROM taking)',
  'FROM kept WHERE n = take() OR true',
]

const call = `json_serialize_plan(${inText}, optimize := true)`
/** Each would leave a call for others. */
const leftBehind = [
  `CREATE VIEW left_behind AS SELECT ${call}`,
  `CREATE MACRO left_behind() AS ${call}`,
  `CREATE MACRO left_behind(x := ${call}) AS x`,
  `CREATE MACRO left_behind() AS TABLE SELECT ${call}`,
  `CREATE TABLE left_behind (a VARCHAR DEFAULT ${call})`,
  `CREATE TABLE left_behind (a INT, b VARCHAR GENERATED ALWAYS AS (${call}))`,
  `CREATE TABLE left_behind (a VARCHAR CHECK (a <> ${call}))`,
  `CREATE INDEX left_behind ON kept ((${call}))`,
  `CREATE TYPE left_behind AS ENUM (SELECT ${call})`,
  `ALTER TABLE kept ALTER n SET DEFAULT ${call}`,
  `INSERT INTO kept SELECT length(${call})`,
  `UPDATE kept SET n = length(${call})`,
  `DELETE FROM kept WHERE length(${call}) > 0 RETURNING ${call}`,
]

describe.each(Object.entries(doors))('%s', (door, enter) => {
  it.each(Object.keys(people) as Person[])('refuses what is on no list to %s', async (user) => {
    for (const statement of share(refusedCalls, Object.keys(doors).indexOf(door))) {
      const { isRefused, text } = await enter(user, statement)
      // By the Postgres protocol current_setting is Postgres' own, which knows none of DuckDB's.
      const isOther = door.endsWith('Postgres') && /SELECT current_setting/.test(statement)
      expect([statement, isRefused || (isOther && /:null(\}\])?"?$/.test(text))]).toEqual([statement, true])
      expect(text).not.toContain(service.folder)
    }
  })

  it('takes no number for a user who may only read, however it is asked for', async () => {
    for (const statement of takers) {
      const { isRefused } = await enter('bob', statement)
      // What only looks at a statement does not run it, and what is never run takes none.
      expect([statement, isRefused || /validate|explain/.test(door)]).toEqual([statement, true])
    }
    expect(
      (await service.query("SELECT last_value FROM duckdb_sequences() WHERE sequence_name = 'numbers'")).rows,
    ).toEqual([[null]])
  })

  it('goes on after all that', async () => {
    for (const user of Object.keys(people) as Person[])
      expect((await enter(user, 'SELECT n FROM kept')).isRefused).toBe(false)
  })
})

it('/autocomplete tells nothing of what is on no list', async () => {
  for (const [turn, user] of (Object.keys(people) as Person[]).entries()) {
    for (const statement of [...share(refusedCalls, turn), 'FROM taking', 'FROM takes()']) {
      const { status, text } = await autocomplete(user, statement)
      expect([statement, status]).toEqual([statement, 200])
      expect(text).not.toContain(service.folder)
    }
  }
})

it('what a writer leaves for others calls nothing that is on no list', async () => {
  for (const statement of leftBehind) {
    expect(await service.query(statement), statement).toMatchObject({
      status: 400,
      error: { message: 'The function json_serialize_plan is not allowed here.' },
    })
  }
})

it('a guest of a link has nothing of it run', async () => {
  const value = { path: null, answers: null, ends_at: null, origins: [] }
  const made = await ask('ada', '/saved', {
    ...{ kind: 'link', name: 'all' },
    value: { ...value, search: 'env=production', environment: 'production' },
  })
  expect([made.status, made.text]).toEqual([200, expect.stringContaining('#')])
  const [, token = ''] = /#([\w-]+)/.exec(made.text) ?? []
  const time = { from: '2026-01-01T00:00:00.000Z', until: '2026-01-02T00:00:00.000Z' }
  const visit = async (body: object) => {
    const headers = { 'x-waymark-link': token }
    return fetch(`${service.url}/guest`, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  for (const statement of refusedCalls) {
    const statuses = [{ name: 'totals', statement }, { name: statement }].map(
      async (body) => (await visit({ ...time, ...body })).status,
    )
    expect([statement, await Promise.all(statuses)]).toEqual([statement, [400, 400]])
    // As a value it is a text like any other.
    const answer = await visit({ name: 'explore', event: statement.slice(0, 500), ...time })
    expect([answer.status, (await answer.text()).split('\n')[2]]).toEqual([200, '[0]'])
  }
})

it('the docs say how many statements that is', () => {
  const byEachDoor = 2 * refusedCalls.length + takers.length
  const tries =
    Object.keys(doors).length * byEachDoor +
    2 * (refusedCalls.length + 2) +
    leftBehind.length +
    refusedCalls.length
  const page = readFileSync(new URL('../../../../docs/how-it-works.md', import.meta.url), 'utf8')
  expect(page).toContain(`sends ${tries.toLocaleString('en')} statements`)
  expect(page).toContain(`${byEachDoor} by each of eleven doors`)
})
