import pg from 'pg'
import { expect, it } from 'vitest'
import { event } from '../fixtures/events.js'
import { runWaymark } from '../fixtures/runWaymark.js'
import { useService } from '../fixtures/useService.js'

/* DuckDB's own first catalog is named `memory`. The published clients of the API name theirs so. */

const service = useService({ catalogs: ['lakehouse', 'memory'], postgresPort: 0 })

const rowsOf = async (statement: string, more = {}) => (await service.query(statement, more)).rows

it('a catalog named memory is a file as every other', async () => {
  await service.ingest('/track?sync=true', event('Signed Up'))
  await service.query('CREATE TABLE orders (id INTEGER)', { catalog: 'memory' })
  await service.query('INSERT INTO memory.main.orders VALUES (1)')
  const appended = await service.ask('/append?catalog=memory&schema=main&table=orders&sync=true', { id: 2 })
  expect(appended.body).toMatchObject({ ok: true })
  for (const times of ['first', 'again']) {
    expect([times, await rowsOf('SELECT id FROM memory.main.orders ORDER BY id')]).toEqual([
      times,
      [[1], [2]],
    ])
    expect(await rowsOf('SELECT event FROM events', { catalog: 'memory' })).toEqual([['Signed Up']])
    expect(await rowsOf('SHOW TABLES', { catalog: 'lakehouse' })).not.toContainEqual(['orders'])
    await service.restart()
  }
  await service.stop()
  const { code, lines } = await runWaymark('check', '--data', service.folder)
  expect([code, lines.join('\n')]).toEqual([0, expect.stringContaining('memory.main.orders')])
  await service.restart()
})

it('it is a database of the Postgres protocol, beside the tools’ own names', async () => {
  await service.query('CREATE TABLE memory.main.refunds AS SELECT 3 AS id')
  const client = new pg.Client({
    host: '127.0.0.1',
    port: service.postgresPort,
    user: 'ada',
    password: 'lovelace',
    database: 'memory',
  })
  await client.connect()
  const ask = async (text: string) => (await client.query({ text, rowMode: 'array' })).rows as unknown[][]
  expect(await ask('SELECT datname FROM pg_database ORDER BY 1')).toEqual([
    ['analytics'],
    ['lakehouse'],
    ['memory'],
  ])
  expect(
    await ask(
      `SELECT nspname || '.' || relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE c.oid = 'refunds'::regclass`,
    ),
  ).toEqual([['main.refunds']])
  expect(await ask('SELECT id FROM refunds')).toEqual([[3]])
  await client.end()
})
