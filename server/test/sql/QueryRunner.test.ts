import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { basic, type Body, createService } from '../fixtures/createService.js'
import { event } from '../fixtures/events.js'
import { useService } from '../fixtures/useService.js'

const service = useService({
  maxQueries: 2,
  threads: 3,
  users: { ada: 'lovelace', bob: 'builder' },
})

/** Runs for minutes. */
const endless = 'SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE (a.range * b.range) % 7 = 3'

const log = (id: string) => service.get(`/query/${id}`)
const cancel = (id: string, session: string) =>
  service.send('DELETE', `/query/${id}?session_id=${session}`, undefined, { authorization: basic })
const untilRunning = async (id: string) => {
  for (;;) {
    const { status, body } = await log(id)
    // The fingerprint is taken from the plan, just before the statement runs.
    if (status === 200 && body['fingerprint'] !== null) return body
    if (typeof body['end_time'] === 'string') throw new Error('The query never ran.')
    await delay(5)
  }
}
const begin = (more: Body = {}, statement = endless) => {
  const query_id = randomUUID()
  return {
    id: query_id,
    answer: service.query(statement, { query_id, session_id: `s-${query_id}`, ...more }),
  }
}

it('a query runs on as many threads as were asked for', async () => {
  expect((await service.query(`SELECT current_setting('threads')`)).rows).toEqual([[3]])
})

describe('GET /query/{query_id}', () => {
  it('tells about a query that has ended', async () => {
    const query_id = randomUUID()
    await service.query('SELECT i FROM range(10) r(i) WHERE i > 5', { query_id, requested_by: 'the test' })
    const { status, body } = await log(query_id)
    expect(status).toBe(200)
    expect(body).toEqual({
      uuid: query_id,
      start_time: expect.stringMatching(/^\d{4}-.*Z$/),
      end_time: expect.stringMatching(/^\d{4}-.*Z$/),
      duration_ms: expect.any(Number),
      query: 'SELECT i FROM range(10) r(i) WHERE i > 5',
      client_interface: 'HTTP',
      visible: true,
      session_id: expect.any(String),
      threads: 3,
      error: null,
      fingerprint: expect.any(Number),
      requested_by: 'the test',
      user_agent: expect.any(String),
      stats: expect.objectContaining({ scan: expect.any(Object) }),
    })
  })

  it('tells the error of one that failed', async () => {
    const query_id = randomUUID()
    await service.query('SELECT * FROM nowhere', { query_id })
    expect((await log(query_id)).body).toMatchObject({ error: expect.stringContaining('nowhere') })
  })

  it('gives statements that differ in values alone the same fingerprint', async () => {
    const prints = []
    for (const statement of ['SELECT 1 AS a', 'select  22 as A', 'SELECT 1 AS b']) {
      const query_id = randomUUID()
      await service.query(statement, { query_id })
      prints.push((await log(query_id)).body['fingerprint'])
    }
    expect(prints[0]).toBe(prints[1])
    expect(prints[0]).not.toBe(prints[2])
  })

  it('shows progress while it runs', async () => {
    // DuckDB knows the progress of most statements from their start, and of a few never.
    let seen: Body | undefined
    for (let tries = 0; tries < 10 && seen === undefined; tries++) {
      const { id, answer } = begin()
      await untilRunning(id)
      for (let looks = 0; looks < 10 && seen === undefined; looks++) {
        await delay(50)
        const { body } = await log(id)
        if ('percentage' in body) seen = body
      }
      await cancel(id, `s-${id}`)
      await answer
      expect((await log(id)).body).not.toHaveProperty('percentage')
      expect((await log(id)).body).not.toHaveProperty('progress')
    }
    expect(seen).toMatchObject({
      end_time: null,
      percentage: expect.any(Number),
      rows_processed: expect.any(Number),
      total_rows: expect.any(Number),
    })
    const { percentage, rows_processed, total_rows } = seen!
    expect(seen).toHaveProperty('progress', { percentage, rows_processed, total_rows })
  })

  it('answers 404 to an id that is unknown, and to another user', async () => {
    const query_id = randomUUID()
    await service.query('SELECT 1', { query_id })
    const bob = { authorization: `Basic ${Buffer.from('bob:builder').toString('base64')}` }
    expect((await service.send('GET', `/query/${query_id}`, undefined, bob)).status).toBe(404)
    expect((await log(randomUUID())).status).toBe(404)
    expect((await log('nonsense')).status).toBe(404)
    expect((await service.send('GET', `/query/${query_id}`)).status).toBe(401)
  })

  it('does not let a query_id be used again while its query runs, and takes it anew afterwards', async () => {
    const { id, answer } = begin()
    await untilRunning(id)
    for (const ephemeral of [true, false]) {
      expect(await service.query('SELECT 1', { query_id: id.toUpperCase(), ephemeral })).toMatchObject({
        status: 400,
        error: { message: expect.stringContaining('still running') },
      })
    }
    expect((await log(id)).body).toMatchObject({ query: endless, end_time: null })
    await cancel(id, `s-${id}`)
    await answer
    expect((await service.query('SELECT 2 AS again', { query_id: id })).rows).toEqual([[2]])
    expect((await log(id)).body).toMatchObject({ query: 'SELECT 2 AS again', error: null })
  })

  it('keeps the queries of two users apart, also when they have one id', async () => {
    const query_id = randomUUID()
    const bob = { authorization: `Basic ${Buffer.from('bob:builder').toString('base64')}` }
    await service.query(`SELECT 'of ada'`, { query_id })
    await service.send('POST', '/query', JSON.stringify({ statement: 'SELEC', query_id }), bob)
    expect((await log(query_id)).body).toMatchObject({ query: `SELECT 'of ada'` })
    const ofBob = await service.send('GET', `/query/${query_id}`, undefined, bob)
    expect(ofBob.body).toMatchObject({ query: 'SELEC' })
  })

  it.each(['default', 'csv', 'jsonl', 'parquet'])(
    'has the stats when the answer in %s has ended',
    async (format) => {
      await service.query('CREATE TABLE IF NOT EXISTS scanned AS SELECT i AS a FROM range(500) r(i)')
      for (let times = 0; times < 10; times++) {
        const query_id = randomUUID()
        await service.download('SELECT a FROM scanned', { format, query_id, cache: false })
        expect((await log(query_id)).body).toMatchObject({
          end_time: expect.any(String),
          stats: {
            caching: null,
            memory: { total_usage_bytes: expect.any(Number) },
            scan: { estimated_result_rows: 500, estimated_scanned_rows: 500 },
          },
        })
      }
    },
  )

  it('tells whether the query is meant to be seen', async () => {
    for (const visible of [false, true]) {
      const query_id = randomUUID()
      await service.query('SELECT 1', { query_id, visible })
      expect((await log(query_id)).body).toMatchObject({ visible })
    }
    expect((await service.query('SELECT 1', { visible: 'no' })).status).toBe(400)
  })
})

describe('DELETE /query/{query_id}', () => {
  it('ends a query that runs', async () => {
    const { id, answer } = begin()
    await untilRunning(id)
    expect((await cancel(id, `s-${id}`)).body).toEqual({ cancelled: true, message: expect.any(String) })
    expect(await answer).toMatchObject({ status: 400, error: { error: 'query-cancelled' } })
    expect((await log(id)).body).toMatchObject({ error: 'The query was cancelled.' })
  })

  it('ends a change that runs, and nothing of it stays', async () => {
    await service.query('CREATE TABLE half (n BIGINT)')
    const { id, answer } = begin({}, `INSERT INTO half SELECT n FROM (${endless}) c(n), range(5)`)
    await untilRunning(id)
    await delay(100)
    await cancel(id, `s-${id}`)
    expect(await answer).toMatchObject({ status: 400, error: { error: 'query-cancelled' } })
    expect((await service.query('SELECT count(*) FROM half')).rows).toEqual([[0]])
  })

  it('ends a query that still waits for its turn, at once', async () => {
    const first = begin()
    const second = begin()
    await untilRunning(first.id)
    await untilRunning(second.id)
    const waiting = begin()
    const behind = begin({ session_id: `s-${first.id}` })
    for (const { id } of [waiting, behind]) {
      while ((await log(id)).status !== 200) await delay(5)
    }
    expect((await cancel(waiting.id, `s-${waiting.id}`)).body['cancelled']).toBe(true)
    expect((await cancel(behind.id, `s-${first.id}`)).body['cancelled']).toBe(true)
    expect(await waiting.answer).toMatchObject({ error: { error: 'query-cancelled' } })
    expect(await behind.answer).toMatchObject({ error: { error: 'query-cancelled' } })
    expect((await log(first.id)).body['end_time']).toBeNull()
    for (const { id } of [first, second]) await cancel(id, `s-${id}`)
    await Promise.all([first.answer, second.answer])
  })

  it('leaves the session usable', async () => {
    const { id, answer } = begin({ session_id: 'usable' })
    await untilRunning(id)
    await cancel(id, 'usable')
    await answer
    expect((await service.query('SELECT 5', { session_id: 'usable' })).rows).toEqual([[5]])
  })

  it('says so when the query has ended, or is not known any more', async () => {
    const query_id = randomUUID()
    await service.query('SELECT 1', { query_id, session_id: 'ended' })
    for (const id of [query_id, randomUUID()]) {
      expect(await cancel(id, 'ended')).toMatchObject({ status: 200, body: { cancelled: false } })
    }
  })

  it('answers 400 to a session that is not the one of the query, and does not end it', async () => {
    await service.query('SELECT 1', { session_id: 'another' })
    const { id, answer } = begin()
    await untilRunning(id)
    expect(await cancel(id, 'another')).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('session') },
    })
    expect((await log(id)).body).toMatchObject({ end_time: null })
    await cancel(id, `s-${id}`)
    await answer
    expect((await cancel(id, 'another')).status).toBe(400)
  })

  it('answers 404 to an unknown session, 400 without one, 401 to strangers', async () => {
    expect((await cancel(randomUUID(), 'unknown')).status).toBe(404)
    const bare = await service.send('DELETE', `/query/${randomUUID()}`, undefined, { authorization: basic })
    expect(bare.status).toBe(400)
    expect((await service.send('DELETE', `/query/${randomUUID()}?session_id=x`)).status).toBe(401)
  })
})

describe('a query that does not end well', () => {
  it('is stopped after the time a statement may take', async () => {
    const hasty = await createService({ statementTimeoutMs: 500 })
    try {
      expect(await hasty.query(endless)).toMatchObject({ status: 400, error: { error: 'query-timeout' } })
    } finally {
      await hasty.close()
    }
  })

  it('that fails midway ends with an error line, never like a complete one', async () => {
    const response = await fetch(`${service.url}/query`, {
      method: 'POST',
      headers: { authorization: basic },
      body: JSON.stringify({
        statement: `SELECT CASE WHEN i = 100000 THEN error('row 100000 is bad') ELSE i::VARCHAR END FROM range(1000000) r(i)`,
      }),
    })
    expect(response.status).toBe(200)
    const lines = (await response.text()).trim().split('\n')
    expect(lines.length).toBeLessThan(100_003)
    expect(JSON.parse(lines.at(-1)!)).toEqual({
      error: expect.stringContaining('row 100000 is bad'),
      error_code: 'invalid-statement',
      query_id: (JSON.parse(lines[0] ?? '') as Body)['query_id'],
    })
  })

  it('that fails at its first row is a 400', async () => {
    expect(await service.query(`SELECT error('at once')`)).toMatchObject({
      status: 400,
      error: { message: expect.stringContaining('at once') },
    })
    expect((await service.query(`SELECT 'x'::INT`)).status).toBe(400)
  })

  it('in csv breaks the connection instead of ending the file', async () => {
    const response = await fetch(`${service.url}/query`, {
      method: 'POST',
      headers: { authorization: basic },
      body: JSON.stringify({
        statement: `SELECT CASE WHEN i = 900000 THEN error('bad') ELSE i::VARCHAR END FROM range(1000000) r(i)`,
        format: 'csv',
      }),
    })
    await expect(response.text()).rejects.toThrow('terminated')
  })

  it('is stopped when its client goes away', async () => {
    const query_id = randomUUID()
    const controller = new AbortController()
    const response = await fetch(`${service.url}/query`, {
      method: 'POST',
      headers: { authorization: basic },
      body: JSON.stringify({ statement: "SELECT i, repeat('x', 500) FROM range(100000000) r(i)", query_id }),
      signal: controller.signal,
    })
    await response.body!.getReader().read()
    controller.abort()
    let body: Body = {}
    while (typeof body['end_time'] !== 'string') {
      await delay(5)
      body = (await log(query_id)).body
    }
    expect(body['error']).toBe('The client went away.')
  })
})

describe('many long queries', () => {
  it('hold back neither events nor each other for ever', async () => {
    const running = Array.from({ length: 6 }, () => begin())
    await Promise.any(running.map(({ id }) => untilRunning(id)))
    expect((await service.ingest('/track?sync=true', event('meanwhile'))).body['ok']).toBe(true)
    await Promise.all(
      running.map(async ({ id, answer }) => {
        while ((await log(id)).status !== 200) await delay(5)
        await cancel(id, `s-${id}`)
        await answer
      }),
    )
    expect((await service.query(`SELECT count(*) FROM events WHERE event = 'meanwhile'`)).rows).toEqual([[1]])
  })
})
