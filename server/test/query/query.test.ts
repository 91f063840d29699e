import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createService, type Service } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'

let service: Service
beforeAll(async () => {
  service = await createService()
})
afterAll(() => service.close())

describe('POST /query', () => {
  it('answers a metadata line, a columns line and a line a row', async () => {
    const { head, columns, rows } = await service.query('SELECT i AS n, i::VARCHAR AS t FROM range(3) r(i)')
    expect(head).toEqual({
      statement: 'SELECT i AS n, i::VARCHAR AS t FROM range(3) r(i)',
      rows_limit: null,
      rows_offset: null,
      init_time_ms: expect.any(Number),
      connections_errors: {},
      session_id: expect.any(String),
      query_id: expect.stringMatching(/^[\da-f-]{36}$/),
      worker_slug: expect.any(String),
    })
    expect(columns).toEqual([
      { name: 'n', type: 'BIGINT' },
      { name: 't', type: 'VARCHAR' },
    ])
    expect(rows).toEqual([
      [0, '0'],
      [1, '1'],
      [2, '2'],
    ])
  })

  it('reads events without naming a catalog or schema', async () => {
    await service.ingest('/track?sync=true', [event('one'), event('two'), event('two')])
    const { rows } = await service.query('SELECT event, count(*) FROM events GROUP BY 1 ORDER BY 1')
    expect(rows).toEqual([
      ['one', 1],
      ['two', 2],
    ])
  })

  it('shows an event within a second of the ok', async () => {
    await service.ingest('/track', event('soon'))
    const deadline = performance.now() + 1000
    let found = 0
    while (found === 0 && performance.now() < deadline) {
      found = (await service.query(`SELECT 1 FROM events WHERE event = 'soon'`)).rows.length
    }
    expect(found).toBe(1)
  })

  it('runs DDL and DML in the lakehouse catalog', async () => {
    await service.query('CREATE TABLE kept AS SELECT 1 AS a')
    expect((await service.query('INSERT INTO kept VALUES (2), (3)')).rows).toEqual([[2]])
    expect((await service.query('FROM lakehouse.main.kept ORDER BY a')).rows).toEqual([[1], [2], [3]])
  })

  it.each([
    'DROP VIEW events',
    'DELETE FROM analytics.raw.events',
    'CREATE OR REPLACE VIEW analytics.main.events AS SELECT 1',
    'DROP TABLE analytics.raw.events',
    'ALTER TABLE analytics.raw.id_map ADD COLUMN x INT',
    'EXPLAIN ANALYZE DELETE FROM analytics.raw.events',
    'CREATE TABLE memory.main.x (a INT)',
  ])('does not let user SQL write outside the lakehouse: %s', async (statement) => {
    expect(await service.query(statement)).toMatchObject({
      status: 400,
      error: { error: 'invalid-statement' },
    })
  })

  it.each([
    'SELEC 1',
    'SELECT * FROM nowhere',
    'SELECT 1; SELECT 2',
    '',
    '-- nothing',
    'SELECT 1/0::INT FROM',
  ])('answers 400 with a message to %j', async (statement) => {
    const { status, error } = await service.query(statement)
    expect(status).toBe(400)
    expect(error).toEqual({ error: 'invalid-statement', message: expect.stringMatching(/\w/) })
  })

  it('answers 401 without the right credentials', async () => {
    for (const authorization of [undefined, 'Basic', 'Basic YTpi', 'Bearer key-1']) {
      const headers = authorization === undefined ? {} : { authorization }
      const answer = await service.send('POST', '/query', '{"statement":"SELECT 1"}', headers)
      expect(answer).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
      expect(answer.headers.get('www-authenticate')).toContain('Basic')
    }
  })
})
