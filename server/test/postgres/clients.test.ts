import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { beforeAll, afterEach, expect, it } from 'vitest'
import { loginEnd, loginStart } from '../fixtures/WireClient.js'
import { useService } from '../fixtures/useService.js'
import { eventually } from '../fixtures/eventually.js'

const service = useService({ postgresPort: 0, headersWithinMs: 1500 })
beforeAll(async () => {
  await service.query('CREATE TABLE numbers AS SELECT range AS n FROM range(10)')
})

const open: pg.Client[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.end().catch(() => undefined)))
})
const connectClient = async (more: pg.ClientConfig = {}) => {
  const client = new pg.Client({
    host: '127.0.0.1',
    port: service.postgresPort,
    user: 'ada',
    password: 'lovelace',
    database: 'lakehouse',
    ...more,
  })
  client.on('error', () => undefined)
  await client.connect()
  open.push(client)
  return client
}
const rowsOf = async (client: pg.Client, text: string, values?: unknown[], more: object = {}) =>
  (
    await client.query({
      text,
      rowMode: 'array',
      ...(values === undefined ? {} : { values }),
      ...more,
    } as pg.QueryArrayConfig)
  ).rows

it('node pg binds parameters as text, by their place and in lists', async () => {
  const client = await connectClient()
  expect(await rowsOf(client, 'SELECT n FROM numbers WHERE n = $1', [5])).toEqual([['5']])
  expect(
    await rowsOf(client, 'SELECT n FROM numbers WHERE n < $2 AND n > $1 ORDER BY n LIMIT $3', [1, 8, 2]),
  ).toEqual([['2'], ['3']])
  expect(await rowsOf(client, 'SELECT n FROM numbers WHERE n = ANY($1) ORDER BY n', [[3, 4]])).toEqual([
    ['3'],
    ['4'],
  ])
  expect(
    await rowsOf(client, 'SELECT $1::INTEGER + 1, $2::VARCHAR, $3::BOOLEAN, $4', [41, "it's $1", true, null]),
  ).toEqual([[42, "it's $1", true, null]])
})

it('a value of a parameter stays a value, whatever it says', async () => {
  const client = await connectClient()
  const hostile = `'; DROP TABLE numbers; SELECT '" $1 \\' -- /*`
  expect(await rowsOf(client, 'SELECT $1::VARCHAR AS a, $1::VARCHAR AS b', [hostile])).toEqual([
    [hostile, hostile],
  ])
  expect(await rowsOf(client, 'SELECT count(*) FROM numbers')).toEqual([['10']])
})

it('columns have the types of Postgres, and binary results are the same values as texts', async () => {
  const sql = `SELECT 1::INTEGER AS i, 2::BIGINT AS b, 1.25::DECIMAL(5,2) AS d, 1.5::DOUBLE AS f, true AS t, 'x' AS v, DATE '2026-01-02' AS day,
    TIMESTAMP '2026-01-02 03:04:05.678' AS ts, TIMESTAMPTZ '2026-01-02 03:04:05Z' AS tz, '{"a":1}'::JSON AS j, [1, 2]::INTEGER[] AS l`
  const client = await connectClient()
  const text = await client.query(sql)
  expect(text.fields.map((field) => field.dataTypeID)).toEqual([
    23, 20, 1700, 701, 16, 25, 1082, 1114, 1184, 114, 1007,
  ])
  expect(text.rows[0]).toMatchObject({
    i: 1,
    b: '2',
    d: '1.25',
    f: 1.5,
    t: true,
    v: 'x',
    j: { a: 1 },
    l: [1, 2],
    tz: new Date('2026-01-02T03:04:05Z'),
  })
  const binary = await client.query({
    text: sql.replace(', [1, 2]::INTEGER[] AS l', '').replace(`, '{"a":1}'::JSON AS j`, ''),
    values: [],
    binary: true,
  } as pg.QueryConfig)
  expect(binary.rows[0]).toMatchObject({
    i: 1,
    b: '2',
    f: 1.5,
    t: true,
    v: 'x',
    tz: new Date('2026-01-02T03:04:05Z'),
  })
  expect(Number((binary.rows[0] as { d: unknown }).d)).toBe(1.25)
})

it('an error beside a parameter of unknown type is about the statement, not about a type', async () => {
  const client = await connectClient()
  for (const [sql, code] of [
    ['SELECT * FROM numbers WHERE n > $1 AND nothing = $2', '42703'],
    ['SELECT nothing(n, $1) FROM numbers WHERE n < $2', '42883'],
  ] as const)
    await expect(client.query(sql, [1, 2])).rejects.toMatchObject({ code })
})

it.each([
  ['CREATE TABLE made AS SELECT 1', "send CREATE by POST /query; dbt's models are `ephemeral` here."],
  ['DROP TABLE IF EXISTS made', "send DROP by POST /query; dbt's models are `ephemeral` here."],
  ['ALTER TABLE numbers RENAME TO others', "send ALTER by POST /query; dbt's models are `ephemeral` here."],
  ['INSERT INTO numbers VALUES (1)', 'send INSERT by POST /query.'],
  ['EXPLAIN ANALYZE DELETE FROM numbers', 'send EXPLAIN of a change by POST /query.'],
])('what changes something is refused with what to use instead: %s', async (sql, instead) => {
  const client = await connectClient()
  const refused = {
    code: '25006',
    message: `By the Postgres protocol this service is for reading only: ${instead}`,
  }
  await expect(client.query(sql)).rejects.toMatchObject(refused)
  await expect(client.query({ text: sql, values: [] })).rejects.toMatchObject(refused)
})

it('a prepared statement is used again, and closed by name', async () => {
  const client = await connectClient()
  for (const n of [1, 2, 3]) {
    expect(await rowsOf(client, 'SELECT $1::BIGINT * 2', [n], { name: 'twice' })).toEqual([[String(2 * n)]])
  }
})

it('after an error the connection goes on', async () => {
  const client = await connectClient()
  await expect(client.query('SELECT nope FROM numbers WHERE n = $1', [1])).rejects.toMatchObject({
    code: '42703',
  })
  await expect(
    client.query('SELECT $1', [1, 2].slice(0, 1)).then(() => client.query('DELETE FROM numbers')),
  ).rejects.toMatchObject({ code: '25006' })
  expect(await rowsOf(client, 'SELECT 1')).toEqual([[1]])
})

it('a cancel request stops the query, and nothing else', async () => {
  const client = await connectClient()
  const running = expect(client.query('SELECT count(*) FROM range(100000000000) a')).rejects.toMatchObject({
    code: '57014',
  })
  const { processID, secretKey } = client as unknown as { processID: number; secretKey: number }
  const ask = async (secret: number) => {
    const socket = connect(service.postgresPort, '127.0.0.1')
    const message = Buffer.alloc(16)
    message.writeInt32BE(16, 0)
    message.writeInt32BE(80_877_102, 4)
    message.writeInt32BE(processID, 8)
    message.writeInt32BE(secret, 12)
    socket.end(message).resume()
    await once(socket, 'close')
  }
  let isOver = false
  void running.finally(() => (isOver = true))
  for (let times = 0; times < 10; times++) {
    await ask(secretKey ^ 1)
    await delay(20)
  }
  expect(isOver).toBe(false)
  await eventually(async () => {
    await ask(secretKey)
    await delay(20)
    expect(isOver).toBe(true)
  })
  await running
  expect(await rowsOf(client, 'SELECT 2')).toEqual([[2]])
})

it('statement_timeout of the client ends its statements', async () => {
  const client = await connectClient()
  await client.query('SET statement_timeout = 50')
  await expect(client.query('SELECT count(*) FROM range(100000000000) a')).rejects.toMatchObject({
    code: '57014',
  })
})

/** What was heard, a word for each message: its letter, and of an end its tag, of an error its code. */
const readWords = (heard: Buffer): string => {
  const words: string[] = []
  for (let at = 0; at < heard.length;) {
    const type = String.fromCharCode(heard.readUInt8(at))
    // An answer to a request for encryption is one letter.
    const length = type === 'N' && at < 2 ? 0 : heard.readInt32BE(at + 1)
    const body = heard.toString('utf8', at + 5, at + 1 + length)
    const code = body.split('\0').find((field) => /^C\w{5}$/.test(field))
    const more: Record<string, string> = { Z: body, C: `:${body.slice(0, -1)}`, E: `:${code?.slice(1)}` }
    words.push(`${type}${more[type] ?? ''}`)
    at += length + 1
  }
  return words.join(' ')
}

/** Speaks the protocol by hand. */
const speak = async () => {
  const socket = connect(service.postgresPort, '127.0.0.1')
  socket.on('error', () => undefined)
  let heard = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => (heard = Buffer.concat([heard, chunk])))
  await once(socket, 'connect')
  return {
    socket,
    heard: () => heard,
    clear: () => (heard = Buffer.alloc(0)),
    hears: (what: RegExp) => eventually(() => expect(readWords(heard)).toMatch(what)),
  }
}
const message = (type: string, ...parts: (string | number | Buffer)[]) => {
  const body = Buffer.concat(
    parts.map((part) => {
      if (typeof part === 'string') return Buffer.from(`${part}\0`)
      if (typeof part !== 'number') return part
      const bytes = Buffer.alloc(4)
      bytes.writeInt32BE(part)
      return bytes
    }),
  )
  const head = Buffer.alloc(type.length + 4)
  head.write(type)
  head.writeInt32BE(body.length + 4, type.length)
  return Buffer.concat([head, body])
}
const short = (n: number) => Buffer.from([n >> 8, n & 255])
const startUp = message('', 196_608, 'user', 'ada', 'database', 'lakehouse', '')
const enter = async () => {
  const peer = await speak()
  peer.socket.write(startUp)
  await peer.hears(/^R$/)
  peer.socket.write(loginStart())
  await peer.hears(/^R R$/)
  peer.socket.write(
    loginEnd(
      peer
        .heard()
        .toString()
        .replace(/^[^]*?(?=r=nonce)/, ''),
    ),
  )
  await peer.hears(/ZI$/)
  peer.clear()
  return peer
}
const bindAll = message('B', '', '', short(0), short(0), short(0))
const sync = message('S')

it('a portal gives its rows a few at a time, while other statements run', async () => {
  const peer = await enter()
  peer.socket.write(message('Q', 'BEGIN'))
  await peer.hears(/^C:BEGIN ZT$/)
  peer.clear()
  const parse = message('P', '', 'SELECT n FROM numbers ORDER BY n', short(0))
  const bind = message('B', 'some', '', short(0), short(0), short(0))
  peer.socket.write(Buffer.concat([parse, bind, message('E', 'some', 4), sync]))
  await peer.hears(/^1 2 D D D D s ZT$/)
  peer.clear()
  peer.socket.write(
    Buffer.concat([message('P', '', 'SELECT 7', short(0)), bindAll, message('E', '', 0), sync]),
  )
  await peer.hears(/^1 2 D C:SELECT 1 ZT$/)
  peer.clear()
  peer.socket.write(Buffer.concat([message('E', 'some', 0), sync]))
  await peer.hears(/^D D D D D D C:SELECT 6 ZT$/)
  peer.socket.destroy()
})

it('after a failed message all are skipped until Sync', async () => {
  const peer = await enter()
  peer.socket.write(
    Buffer.concat([message('P', '', 'SELECT nope', short(0)), bindAll, message('E', '', 0), sync]),
  )
  await peer.hears(/^E:42703 ZI$/)
  peer.socket.destroy()
})

it('what is no message of the protocol ends the connection with a reason', async () => {
  for (const [wrong, code] of [
    [message('?', 'x'), '08P01'],
    [Buffer.from('Q\x7f\xff\xff\xff', 'latin1'), '54000'],
    [message('P', 'a'), '08P01'],
    [message('B', '', 'a'), '26000'],
  ] as const) {
    const peer = await enter()
    peer.socket.write(wrong)
    await peer.hears(new RegExp(`E:${code}`))
    peer.socket.destroy()
  }
})

it('clients that say nothing, or too much, before their password are cut off', async () => {
  const silent = await speak()
  const endless = await speak()
  endless.socket.write(Buffer.from([0x7f, 0xff, 0xff, 0xff, 0, 3, 0, 0]))
  const slow = await speak()
  slow.socket.write(startUp)
  const closed = (socket: Socket) => (socket.destroyed ? Promise.resolve() : once(socket, 'close'))
  await Promise.all([closed(silent.socket), closed(endless.socket), closed(slow.socket)])
  await connectClient()
})

it('requests for TLS and GSS are declined where there is no certificate', async () => {
  const peer = await speak()
  peer.socket.write(message('', 80_877_104))
  await peer.hears(/^N$/)
  peer.socket.write(message('', 80_877_103))
  await peer.hears(/^N N$/)
  peer.socket.write(startUp)
  await peer.hears(/^N N R$/)
  peer.socket.destroy()
})

it('a client that does not read holds its query back, and its end ends the query', async () => {
  const peer = await enter()
  peer.socket.pause()
  const before = process.memoryUsage.rss()
  peer.socket.write(message('Q', `SELECT repeat('x', 1000), range FROM range(1000000)`))
  await delay(1500)
  expect(process.memoryUsage.rss() - before).toBeLessThan(300 * 2 ** 20)
  peer.socket.destroy()
  expect(await rowsOf(await connectClient(), 'SELECT 1')).toEqual([[1]])
})

it('a million rows arrive, whole and in order', async () => {
  const client = await connectClient()
  let count = 0
  let isOrdered = true
  const query = new pg.Query({ text: 'SELECT range AS n FROM range(1000000)', rowMode: 'array' } as never)
  ;(query as unknown as NodeJS.EventEmitter).on('row', (row: unknown) => {
    const [n] = row as [string]
    if (Number(n) !== count++) isOrdered = false
  })
  client.query(query as never)
  await once(query as unknown as NodeJS.EventEmitter, 'end')
  expect([count, isOrdered]).toEqual([1_000_000, true])
})

it('a stream that fails midway ends with an error, never like a complete one', async () => {
  const client = await connectClient()
  await expect(
    client.query(`SELECT CASE WHEN range = 900000 THEN 'x' ELSE '1' END::INTEGER FROM range(1000000)`),
  ).rejects.toMatchObject({ code: '22P02' })
})
