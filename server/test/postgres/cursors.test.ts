import pg from 'pg'
import { beforeAll, afterEach, expect, it } from 'vitest'
import { message, ready, WireClient } from '../fixtures/WireClient.js'
import { useService } from '../fixtures/useService.js'

const service = useService({ postgresPort: 0 })
beforeAll(async () => {
  await service.query(
    "CREATE TABLE notes AS SELECT * FROM (VALUES (1, NULL), (2, 'a\tb\n\"'), (3, '')) t(id, note)",
  )
  await service.query('CREATE SCHEMA shop')
})

const open: { end(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.end()))
})
const connect = async (more: pg.ClientConfig = {}) => {
  const known = { user: 'ada', password: 'lovelace', database: 'lakehouse' }
  const client = new pg.Client({ host: '127.0.0.1', port: service.postgresPort, ...known, ...more })
  await client.connect()
  open.push(client)
  return client
}
const numbersOf = async (client: pg.Client, statement: string) => {
  const { rows, command } = await client.query({ text: statement, rowMode: 'array' })
  return [command, ...(rows as unknown[][]).flat().map(Number)]
}

it('a cursor gives its rows as they are fetched, while other statements run', async () => {
  const client = await connect()
  await client.query('BEGIN')
  await client.query({
    text: 'DECLARE c NO SCROLL CURSOR FOR SELECT range FROM range(10) WHERE range >= $1',
    values: [2],
  })
  expect(await numbersOf(client, 'FETCH FORWARD 2 FROM "c"')).toEqual(['FETCH', 2, 3])
  expect(await numbersOf(client, 'SELECT 7')).toEqual(['SELECT', 7])
  expect(await numbersOf(client, 'FETCH c')).toEqual(['FETCH', 4])
  expect((await client.query('MOVE 2 IN c')).rowCount).toBe(2)
  expect(await numbersOf(client, 'FETCH ALL IN c')).toEqual(['FETCH', 7, 8, 9])
  expect(await numbersOf(client, 'FETCH 5 FROM c')).toEqual(['FETCH'])
  await client.query('CLOSE c')
  await expect(client.query('FETCH c')).rejects.toMatchObject({ code: '34000' })
})

it('MOVE and FETCH begin a portal that was bound and not executed, as asyncpg does', async () => {
  const client = await WireClient.logIn(service.postgresPort)
  const parse = message('P', '\0SELECT range AS n FROM range(9)\0\0\0')
  const bind = message('B', 'p\0\0\0\0\0\0\0\0')
  client.say(
    Buffer.concat([
      message('Q', 'BEGIN\0'),
      parse,
      bind,
      message('S', ''),
      message('Q', 'MOVE FORWARD 3 p\0'),
    ]),
  )
  await client.hears(Buffer.from('MOVE '))
  expect(client.received.toString()).toContain('MOVE 3')
  client.forget().say(message('Q', 'FETCH 2 FROM p\0'))
  await client.hears(Buffer.from('FETCH '))
  for (const row of ['\u00013', '\u00014', 'FETCH 2'])
    expect(client.received.toString('latin1')).toContain(row)
})

it('a cursor ends with its transaction, and one WITH HOLD goes on', async () => {
  const client = await connect()
  await expect(client.query('DECLARE c CURSOR FOR SELECT 1')).rejects.toMatchObject({ code: '25P01' })
  await client.query('BEGIN; DECLARE c CURSOR FOR SELECT 1; COMMIT')
  await expect(client.query('FETCH c')).rejects.toMatchObject({ code: '34000' })
  await client.query('DECLARE c CURSOR WITH HOLD FOR SELECT range FROM range(3)')
  await expect(client.query('DECLARE c CURSOR WITH HOLD FOR SELECT 1')).rejects.toMatchObject({
    code: '42P03',
  })
  expect(await numbersOf(client, 'FETCH 2 FROM c')).toEqual(['FETCH', 0, 1])
  for (const way of ['BACKWARD 1', 'PRIOR', 'ABSOLUTE 1'])
    await expect(client.query(`FETCH ${way} FROM c`)).rejects.toMatchObject({ code: '55000' })
  expect(await numbersOf(client, 'FETCH 2 FROM c')).toEqual(['FETCH', 2])
  await client.query('CLOSE ALL')
  await client.query('BEGIN')
  await expect(client.query('DECLARE c CURSOR FOR SELECT nope')).rejects.toMatchObject({ code: '42703' })
  await expect(client.query('FETCH c')).rejects.toMatchObject({ code: '25P02' })
})

it('a cursor of very many rows keeps few of them in memory', async () => {
  const client = await connect()
  await client.query('BEGIN')
  await client.query(`DECLARE c CURSOR FOR SELECT repeat('x', 1000), range FROM range(10000000)`)
  const before = process.memoryUsage.rss()
  for (let times = 0; times < 20; times++)
    expect((await client.query('FETCH 1000 FROM c')).rows).toHaveLength(1000)
  expect(process.memoryUsage.rss() - before).toBeLessThan(200 * 2 ** 20)
})

it('only statements that read have cursors and copies', async () => {
  const client = await connect()
  for (const [statement, code] of [
    ['DECLARE c CURSOR WITH HOLD FOR DELETE FROM notes', '25006'],
    ['DECLARE c CURSOR WITH HOLD FOR COMMIT', '42501'],
    ['COPY (DELETE FROM notes RETURNING id) TO STDOUT', '25006'],
    ['COPY (COMMIT) TO STDOUT', '42501'],
    ['COPY notes FROM STDIN', '25006'],
    [`COPY notes TO '/tmp/notes'`, '42501'],
    [`COPY notes TO PROGRAM 'cat'`, '42501'],
    ['COPY (SELECT 1) TO STDOUT (FORMAT parquet)', '42601'],
    ['COPY notes TO STDOUT (HEADER, SECRET 1)', '42601'],
  ] as const) {
    await expect(client.query(statement), statement).rejects.toMatchObject({ code })
  }
  expect(await numbersOf(client, 'SELECT count(*) FROM notes')).toEqual(['SELECT', 3])
})

/** What a COPY sends: the letter of each message, and the bytes of the copy. */
const copied = async (statement: string) => {
  const client = await WireClient.logIn(service.postgresPort)
  client.say(message('Q', `${statement}\0`))
  await client.hears(ready)
  const { received } = client
  client.leave()
  let letters = ''
  const parts: Buffer[] = []
  let head: Buffer | undefined
  for (let at = 0; at < received.length;) {
    const letter = received.toString('latin1', at, at + 1)
    const end = at + 1 + received.readInt32BE(at + 1)
    const body = received.subarray(at + 5, end)
    letters += letter
    if (letter === 'd') parts.push(body)
    if (letter === 'H') head = body
    if (letter === 'C') letters += `:${body.toString('utf8', 0, body.length - 1)}`
    at = end
  }
  return { letters, head: head?.toString('hex'), bytes: Buffer.concat(parts) }
}

it('COPY sends rows as text, as CSV and in binary', async () => {
  const text = await copied('COPY (SELECT id, note FROM notes ORDER BY id) TO STDOUT')
  expect(text).toMatchObject({ letters: 'HdddcC:COPY 3Z', head: '00000200000000' })
  expect(text.bytes.toString()).toBe('1\t\\N\n2\ta\\tb\\n"\n3\t\n')
  const csv = await copied('COPY notes (id, note) TO STDOUT WITH (FORMAT csv, HEADER, FORCE_QUOTE (id))')
  expect(csv.bytes.toString()).toBe('id,note\n"1",\n"2","a\tb\n"""\n"3",""\n')
  const one = await copied('COPY notes (note) TO STDOUT')
  expect(one.bytes.toString()).toBe('\\N\na\\tb\\n"\n\n')
  const odd = await copied(
    `SET datestyle TO SQL, DMY; COPY (SELECT 'a\\"', DATE '2026-01-02') TO STDOUT (FORMAT csv, ESCAPE '\\')`,
  )
  expect(odd.bytes.toString()).toBe('"a\\\\\\"",02/01/2026\n')
  const old = await copied(`COPY main.notes TO STDOUT WITH DELIMITER AS ';' NULL AS '-' CSV QUOTE AS ''''`)
  expect(old.bytes.toString()).toBe(`1;-\n2;'a\tb\n"'\n3;\n`)
  const binary = await copied("COPY (SELECT 1::INTEGER, NULL::VARCHAR, 'x') TO STDOUT (FORMAT binary)")
  expect(binary).toMatchObject({ letters: 'HddcC:COPY 1Z', head: '010003000100010001' })
  expect(binary.bytes.toString('hex')).toBe(
    `${Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1').toString('hex')}000000000000000000030000000400000001ffffffff0000000178ffff`,
  )
  const none = await copied('COPY (SELECT 1 WHERE false) TO STDOUT (FORMAT binary)')
  expect(none.bytes.toString('hex')).toMatch(/^5047434f50590aff0d0a000000000000000000ffff$/)
})

it('COPY of very many rows waits for its client', async () => {
  const client = await WireClient.logIn(service.postgresPort)
  client.pause()
  const before = process.memoryUsage.rss()
  client.say(message('Q', `COPY (SELECT repeat('x', 1000), range FROM range(3000000)) TO STDOUT\0`))
  await new Promise((resolve) => setTimeout(resolve, 1500))
  expect(process.memoryUsage.rss() - before).toBeLessThan(300 * 2 ** 20)
  client.leave()
})

it('DEALLOCATE forgets a statement, and search paths, styles and RESET ALL do what they say', async () => {
  const client = await connect({ application_name: 'mine' })
  const prepare = (name: string) => client.query({ name, text: 'SELECT $1::int', values: [1] })
  await prepare('a')
  await client.query('DEALLOCATE a')
  await expect(client.query('DEALLOCATE a')).rejects.toMatchObject({ code: '26000' })
  await prepare('b')
  await client.query('DEALLOCATE ALL')
  await expect(client.query('DEALLOCATE b')).rejects.toMatchObject({ code: '26000' })
  const one = async (statement: string) => Object.values((await client.query(statement)).rows[0] as object)
  await client.query('SET search_path TO analytics')
  expect(await one('SHOW search_path')).toEqual(['analytics'])
  await client.query(`SET search_path TO 'main'`)
  expect(await one('SELECT current_database(), current_schema(), count(*)::int FROM notes')).toEqual([
    'lakehouse',
    'main',
    3,
  ])
  await client.query(
    "SET search_path TO shop; SET intervalstyle = iso_8601; SET datestyle TO German, DMY; SET TIME ZONE 'Europe/Paris'",
  )
  expect(
    await one(
      `SELECT current_schema(), (INTERVAL '1 month 2 days 03:04:05')::text IS NOT NULL, current_setting('datestyle')`,
    ),
  ).toEqual(['shop', true, 'German, DMY'])
  const types = { getTypeParser: () => (text: string) => text }
  const { rows } = await client.query({
    text: `SELECT INTERVAL '1 month 2 days 03:04:05', DATE '2026-01-02', TIMESTAMPTZ '2026-01-02 03:04:05Z'`,
    rowMode: 'array',
    types,
  } as unknown as pg.QueryArrayConfig)
  expect(rows).toEqual([['P1M2DT3H4M5S', '02.01.2026', '02.01.2026 04:04:05 +01']])
  await client.query('RESET ALL')
  expect(
    await one(
      `SELECT current_schema() a, current_setting('intervalstyle') b, current_setting('timezone') c, current_setting('application_name') d`,
    ),
  ).toEqual(['main', 'postgres', 'UTC', 'mine'])
  await expect(client.query('SET datestyle = Klingon')).rejects.toMatchObject({ code: '22023' })
  await expect(client.query('SET client_encoding = latin1')).rejects.toMatchObject({ code: '22023' })
  await client.query(`SET client_encoding = '''utf-8'''`)
})

it('asyncpg’s words when a pool takes a connection back are understood', async () => {
  const client = await connect()
  await client.query('SELECT pg_advisory_unlock_all();\nCLOSE ALL;\nUNLISTEN *;\nRESET ALL;')
})

it('Describe tells the types of lists and JSON', async () => {
  const client = await WireClient.logIn(service.postgresPort)
  const ask = async (statement: string) => {
    const parse = message('P', `\0${statement}\0\0\0`)
    client.forget().say(Buffer.concat([parse, message('D', 'S\0'), message('S', '')]))
    await client.hears(ready)
    const { received } = client
    const at = received.indexOf('t')
    const count = received.readInt16BE(at + 5)
    return Array.from({ length: count }, (_, nth) => received.readInt32BE(at + 7 + 4 * nth))
  }
  expect(await ask('SELECT * FROM notes WHERE id = ANY($1) AND note = ANY ($2) LIMIT $3')).toEqual([
    1007, 1009, 20,
  ])
  expect(await ask('SELECT $1::jsonb, $2::int[], CAST($3 AS numeric), $4::pg_catalog.oid, $5')).toEqual([
    3802, 1007, 1700, 26, 25,
  ])
  expect(await ask(`SELECT 1 FROM events WHERE properties = $1`)).toEqual([114])
  client.leave()
})

it('a portal that is read in batches says how many rows each had', async () => {
  const client = await WireClient.logIn(service.postgresPort)
  const execute = message('E', Buffer.from('\0\0\0\0\x02', 'latin1'))
  const [parse, bind] = [message('P', '\0SELECT range FROM range(4)\0\0\0'), message('B', '\0\0\0\0\0\0\0\0')]
  client.say(Buffer.concat([parse, bind, execute, execute, execute, message('S', '')]))
  await client.hears(ready)
  // The second batch has the last row, and what comes behind it is empty, as with PostgreSQL.
  const text = client.received.toString('latin1')
  expect(text.split('s\0\0\0\x04')).toHaveLength(3)
  expect(text).toContain('SELECT 0\0')
  client.leave()
})
