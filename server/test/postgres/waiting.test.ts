import { connect as connectTo } from 'node:net'
import pg from 'pg'
import { afterEach, expect, it, vi } from 'vitest'
import { basic } from '../fixtures/createService.js'
import { request } from '../fixtures/WireClient.js'
import { useService } from '../fixtures/useService.js'

/** What the service says of statements that do not end. */
const logged: string[] = []
const service = useService({
  postgresPort: 0,
  logLevel: 'error',
  writeLog: (line) => logged.push(line),
  // Five interrupts of a call that goes on: a statement that only waits for its client is never in a call.
  stuckAfterMs: 100,
})

const open: pg.Client[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.end()))
})
const connect = async () => {
  const client = new pg.Client({
    ...{ host: '127.0.0.1', port: service.postgresPort, user: 'ada', password: 'lovelace' },
    database: 'lakehouse',
  })
  await client.connect()
  open.push(client)
  return client
}

const large = "SELECT range AS n, repeat('x', 1000) AS x FROM range(10000000)"

/** A cursor of which some rows are read, and the id of its query. */
const openCursor = async (client: pg.Client, kind = 'CURSOR') => {
  await client.query(`DECLARE c ${kind} FOR ${large}`)
  expect((await client.query('FETCH 10 FROM c')).rowCount).toBe(10)
  const { rows } = await client.query('SHOW waymark_query_id')
  return (rows[0] as { waymark_query_id: string }).waymark_query_id
}

/** What the log says of a query, once it has ended. */
const ended = (id: string) =>
  vi.waitFor(
    async () => {
      const { body } = await service.get(`/query/${id}`)
      expect(body['end_time']).not.toBeNull()
      return body
    },
    { timeout: 20_000 },
  )

it('a cursor whose time is over while it waits ends alone, and its next FETCH says why', async () => {
  const client = await connect()
  await client.query('SET statement_timeout = 5000')
  await client.query('BEGIN')
  const id = await openCursor(client)
  expect(await ended(id)).toMatchObject({ error: expect.stringContaining('longer than this service allows') })
  await expect(client.query('FETCH 10 FROM c')).rejects.toMatchObject({ code: '57014' })
  await client.query('ROLLBACK')
  expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  expect(logged).toEqual([])
})

it('a cursor that was cancelled never looks like one that is at its end', async () => {
  const client = await connect()
  const id = await openCursor(client, 'CURSOR WITH HOLD')
  const { body } = await service.get(`/query/${id}`)
  const session = String(body['session_id'])
  await service.send('DELETE', `/query/${id}?session_id=${session}`, undefined, { authorization: basic })
  expect(await ended(id)).toMatchObject({ error: 'The query was cancelled.' })
  await expect(client.query('FETCH 10 FROM c')).rejects.toMatchObject({ code: '57014' })
  await expect(client.query('FETCH 10 FROM c')).rejects.toMatchObject({ code: '55000' })
  await client.query('CLOSE c')
  expect(logged).toEqual([])
})

it('Ctrl+C beside a cursor that waits ends no engine', async () => {
  const client = await connect()
  await client.query('BEGIN')
  const id = await openCursor(client)
  const { processID, secretKey } = client as unknown as { processID: number; secretKey: number }
  const key = Buffer.alloc(8)
  key.writeInt32BE(processID)
  key.writeInt32BE(secretKey, 4)
  connectTo(service.postgresPort, '127.0.0.1').end(request(80_877_102, key))
  expect(await ended(id)).toMatchObject({ error: 'The query was cancelled.' })
  await expect(client.query('FETCH 10 FROM c')).rejects.toMatchObject({ code: '57014' })
  expect(logged).toEqual([])
})

it('a portal that is read in parts ends alone when its time is over', async () => {
  const client = await connect()
  await client.query('SET statement_timeout = 1000')
  const failure = await new Promise<Error & { code?: string }>((resolve) => {
    const portal = {
      submit(connection: pg.Connection) {
        connection.parse({ name: '', text: large, types: [] }, true)
        connection.bind({}, true)
        connection.execute({ portal: '', rows: '10' }, true)
        connection.flush()
      },
      handleRowDescription: () => undefined,
      handleDataRow: () => undefined,
      // It takes longer for each part than a call of DuckDB's may go on.
      handlePortalSuspended: (connection: pg.Connection) =>
        setTimeout(() => {
          connection.execute({ portal: '', rows: '10' }, true)
          connection.flush()
        }, 300),
      handleError(error: Error, connection: pg.Connection) {
        connection.sync()
        resolve(error)
      },
      handleReadyForQuery: () => undefined,
    }
    client.query(portal as unknown as pg.Submittable)
  })
  expect(failure.code).toBe('57014')
  expect(logged).toEqual([])
})
