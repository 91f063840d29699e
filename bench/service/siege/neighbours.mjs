import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { basic } from '../startProcess.mjs'
import { ask, count, statusOf } from './ask.mjs'

/** The driver that the service itself has. */
const pg = createRequire(new URL('../../../server/package.json', import.meta.url))('pg')

/** Sends the parts one after the other over one connection, and waits until the service has had its say. */
const write = async (url, parts, patienceMs = 5000) => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let heard = ''
  socket.on('error', () => undefined).on('data', (chunk) => (heard += chunk.toString('latin1')))
  const isClosed = new Promise((resolve) => socket.once('close', resolve))
  for (const part of parts) {
    if (socket.destroyed) break
    if (!socket.write(part))
      await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), isClosed])
  }
  await Promise.race([isClosed, delay(patienceMs)])
  socket.destroy()
  return /^HTTP\/1\.1 (\d+)/.exec(heard)?.[1] ?? 'no answer'
}

const withClient = async ({ postgresPort }, work) => {
  const client = new pg.Client({
    host: '127.0.0.1',
    port: postgresPort,
    user: 'a',
    password: 'b',
    database: 'analytics',
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await work(client)
  } catch (error) {
    return error.message.slice(0, 80)
  } finally {
    await client.end().catch(() => undefined)
  }
}

const upload = (url, table, body, more = '') =>
  statusOf(`${url}/upload?catalog=lakehouse&schema=main&table=${table}&mode=overwrite${more}`, {
    method: 'POST',
    headers: { authorization: basic },
    body,
  })
const append = (url, record) =>
  statusOf(`${url}/append?catalog=lakehouse&schema=main&table=wide`, {
    method: 'POST',
    headers: { authorization: basic },
    body: JSON.stringify(record),
  })
const names = (many, prefix) => Array.from({ length: many }, (_, n) => `${prefix}${n}`)

/** Statements that each ended DuckDB 1.5.6 by an INTERNAL error, or hold it for long, though they only read. */
const enders = [
  `SELECT date_part(p, now()) FROM (VALUES ('epoch')) x(p)`,
  'SELECT ntile(2 ORDER BY i) OVER (ROWS BETWEEN 3 FOLLOWING AND 1 FOLLOWING) FROM range(5) t(i)',
  'SELECT count(*) FROM (FROM range(1000) EXCEPT ALL FROM range(10)) a(x) ASOF JOIN range(1000) b(y) ON a.x >= b.y',
]

const eve = `Basic ${Buffer.from('eve:evil').toString('base64')}`
let words = 0
/** In other words each time, since the same words are refused after the second time. */
const inOtherWords = (statement) => statement.replace('SELECT', `SELECT ${words++} AS n,`)

/** What one client does that others must not feel. Each says what came of it. */
export const neighbours = {
  'a cursor that waits beyond its time': (siege) =>
    withClient(siege, async (client) => {
      await client.query('SET statement_timeout = 1000')
      await client.query('BEGIN')
      await client.query('DECLARE c CURSOR FOR SELECT range, hash(range) FROM range(100000000)')
      await client.query('FETCH 10 FROM c')
      await delay(20_000)
      return client.query('FETCH 10 FROM c').then(
        ({ rowCount }) => `${rowCount} more rows`,
        (error) => error.message.slice(0, 80),
      )
    }),
  'statements that end the engine': async ({ url }) =>
    count(await Promise.all(enders.map((statement) => ask(url(), inOtherWords(statement), eve)))),
  'a sort that spills until the disk is full': ({ url }) =>
    ask(
      url(),
      'SELECT * FROM (SELECT range, repeat(hash(range)::VARCHAR, 20) AS text FROM range(60000000)) ORDER BY text LIMIT 1',
    ),
  'three records of 3,000 new fields at once': async ({ url }) =>
    count(
      await Promise.all(
        names(3, `w${Date.now()}_`).map((prefix) =>
          append(url(), Object.fromEntries(names(3000, prefix).map((name) => [name, 'x']))),
        ),
      ),
    ),
  'a CSV of 10,000 columns': ({ url }) => {
    const columns = names(10_000, 'c')
    return upload(url(), 'columns', `${columns.join()}\n${columns.map(() => 1).join()}\n`, '&format=csv')
  },
  'a body in chunks of one byte': ({ url }) => {
    const head = 'POST /track?apiKey=key HTTP/1.1\r\nHost: bench\r\nTransfer-Encoding: chunked\r\n\r\n'
    return write(url(), [head, ...Array.from({ length: 200 }, () => '1\r\n \r\n'.repeat(2000))])
  },
  'pipelines on twenty connections': async ({ url }) =>
    count(
      await Promise.all(
        Array.from({ length: 20 }, () =>
          write(url(), ['GET /x HTTP/1.1\r\nHost: bench\r\n\r\n'.repeat(2000)]),
        ),
      ),
    ),
  'a hundred long statements of one user': async ({ url }) =>
    count(
      await Promise.all(
        Array.from({ length: 100 }, () =>
          ask(url(), 'SELECT sum(hash(a.range * b.range)) FROM range(20000) a, range(20000) b'),
        ),
      ),
    ),
  'fields that come twice': async ({ url }) =>
    count(
      await Promise.all(
        ['"distinct_id":"a","distinct_id":"b"', '"event":"a","event":"b"', '"timestamp":1,"timestamp":2'].map(
          (fields) =>
            statusOf(`${url()}/track?apiKey=key`, {
              method: 'POST',
              body: `[{"environment":"siege","event":"Twice","properties":{},${fields}}]`,
            }),
        ),
      ),
    ),
  'an event of 49,000 properties': ({ url }) =>
    statusOf(`${url()}/track?apiKey=key`, {
      method: 'POST',
      body: JSON.stringify({
        environment: 'siege',
        event: 'Wide',
        properties: Object.fromEntries(names(49_000, 'p').map((name) => [name, 1])),
      }),
    }),
  'the engine stands still for 25 s': async (siege) => {
    const pid = siege.enginePid()
    process.kill(pid, 'SIGSTOP')
    await delay(25_000)
    try {
      process.kill(pid, 'SIGCONT')
    } catch {
      return 'it was killed meanwhile'
    }
    return siege.enginePid() === pid ? 'and goes on' : 'it was replaced'
  },
}
