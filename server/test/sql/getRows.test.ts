import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { askRaw } from '../fixtures/askRaw.js'
import { basic, type Body } from '../fixtures/createService.js'
import { useService } from '../fixtures/useService.js'

const service = useService()
beforeAll(async () => {
  await service.query('CREATE TABLE kept AS SELECT i AS a FROM range(3) r(i)')
  await service.query('CREATE SEQUENCE numbers')
})

const addressOf = (fields: Record<string, string>) => `/query?${new URLSearchParams(fields)}`
/** Without a coding unless one is named: `fetch` itself would ask for gzip and undo it unseen. */
const get = (fields: Record<string, string>, headers: Record<string, string> = {}, method = 'GET') =>
  askRaw(service.url, { method, path: addressOf(fields), headers })
const refusal = async (fields: Record<string, string>) => {
  const { status, body } = await get(fields)
  return { status, message: String((JSON.parse(body) as Body)['message']) }
}

describe('GET /query', () => {
  it('answers csv as a file to be saved, which may be typed into a browser or a spreadsheet', async () => {
    const answer = await get({ statement: 'FROM kept ORDER BY a', format: 'csv' })
    expect(answer).toMatchObject({ status: 200, body: 'a\n0\n1\n2\n', isComplete: true })
    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="query.csv"',
      'x-query-id': expect.stringMatching(/^[\da-f-]{36}$/),
    })
    expect(answer.headers).not.toHaveProperty('content-encoding')
  })

  it.each([
    ['jsonl', 'query.jsonl', '{"a":0}'],
    ['parquet', 'query.parquet', 'PAR1'],
    ['default', 'query.ndjson', '{"statement"'],
  ])('answers %s, too', async (format, name, beginning) => {
    const answer = await get({ statement: 'FROM kept', format })
    expect(answer.headers['content-disposition']).toContain(name)
    expect(answer.body.startsWith(beginning)).toBe(true)
  })

  it('gives the file the name that is asked for, and refuses one that no file has', async () => {
    const asked = { statement: 'FROM kept', format: 'csv' }
    const { headers } = await get({ ...asked, file_name: 'People over time' })
    expect(headers['content-disposition']).toBe('attachment; filename="People over time.csv"')
    for (const name of ['a"b', 'a/b', 'a\r\nb', '', 'é'.repeat(3), 'x'.repeat(101)])
      expect((await refusal({ ...asked, file_name: name })).status).toBe(400)
  })

  it('takes the fields of POST /query as parameters', async () => {
    const statement = 'SELECT a + 1 AS "one more" FROM kept ORDER BY a DESC'
    const { body } = await get({ statement, format: 'csv', limit: '1', offset: '1', timezone: 'Asia/Tokyo' })
    expect(body).toBe('one more\n2\n')
    const [, labels] = (await get({ statement, columns: 'labels' })).body.split('\n')
    expect(labels).toBe('["one more"]')
  })

  it('is compressed for who takes gzip', async () => {
    const response = await fetch(
      service.url + addressOf({ statement: 'FROM range(100000)', format: 'csv' }),
      { headers: { authorization: basic, 'accept-encoding': 'br, gzip;q=0.5' } },
    )
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(response.headers.get('vary')).toContain('Accept-Encoding')
    expect((await response.text()).trim().split('\n')).toHaveLength(100_001)
    const refused = await get({ statement: 'SELECT 1', format: 'csv' }, { 'accept-encoding': 'gzip;q=0' })
    expect(refused.headers).not.toHaveProperty('content-encoding')
    const parquet = await get({ statement: 'SELECT 1', format: 'parquet' }, { 'accept-encoding': 'gzip' })
    expect(parquet.headers).not.toHaveProperty('content-encoding')
    expect(parquet.isComplete).toBe(true)
  })

  it('that breaks midway is no complete gzip', async () => {
    const statement = `SELECT CASE WHEN i = 900000 THEN error('bad') ELSE i::VARCHAR END AS v FROM range(1000000) r(i)`
    const answer = await get({ statement, format: 'csv' }, { 'accept-encoding': 'gzip' })
    expect(answer.isComplete).toBe(false)
    expect(() => gunzipSync(answer.bytes)).toThrow('unexpected end of file')
    expect(answer.bytes.length).toBeGreaterThan(100_000)
  })

  it.each([
    'DELETE FROM kept',
    'CREATE TABLE fresh (a INT)',
    'SET VARIABLE x = 1',
    'USE lakehouse',
    `SELECT nextval('numbers')`,
    'EXPLAIN ANALYZE DELETE FROM kept',
  ])('refuses %s, which does more than read', async (statement) => {
    expect(await refusal({ statement, format: 'csv' })).toMatchObject({
      status: 400,
      message: expect.stringContaining('POST'),
    })
    expect((await service.query('SELECT count(*) FROM kept')).rows).toEqual([[3]])
  })

  it.each([
    [{ format: 'csv' }, 'statement is missing'],
    [{ statement: 'SELECT 1', fromat: 'csv' }, 'no parameter "fromat" here; there are statement'],
    [{ statement: 'SELECT 1', toString: 'x' }, 'no parameter "toString"'],
    [{ statement: 'SELECT 1', limit: 'few' }, 'limit must be integer'],
    [{ statement: 'SELECT 1', format: 'xlsx' }, 'csv, jsonl'],
    [{ statement: 'SELECT 1', columns: 'names' }, 'objects, labels'],
    [{ statement: 'SELECT 1', query_id: 'five' }, 'UUID'],
    [{ statement: 'SELEC 1' }, 'SELEC'],
  ] as [Record<string, string>, string][])('says what is wrong with %j', async (fields, named) => {
    expect(await refusal(fields)).toMatchObject({ status: 400, message: expect.stringContaining(named) })
  })

  it('refuses a parameter that comes twice', async () => {
    const path = '/query?statement=SELECT+1&statement=SELECT+2'
    const { status, body } = await askRaw(service.url, { method: 'GET', path })
    expect(status).toBe(400)
    expect(body).toContain('comes twice')
  })

  it('wants the password, and asks a browser for it', async () => {
    const answer = await get({ statement: 'SELECT 1' }, { authorization: '' })
    expect(answer.status).toBe(401)
    expect(answer.headers['www-authenticate']).toContain('Basic')
  })

  it('is not answered to pages of other sites', async () => {
    const answer = await get({ statement: 'SELECT 1' }, { 'sec-fetch-site': 'cross-site' })
    expect(answer.status).toBe(403)
  })

  it('leaves no session behind', async () => {
    const { headers } = await get({ statement: 'SELECT 1', format: 'csv' })
    const session = headers['x-session-id']
    const cancelled = await service.send(
      'DELETE',
      `/query/${crypto.randomUUID()}?session_id=${session}`,
      undefined,
      { authorization: basic },
    )
    expect(cancelled.status).toBe(404)
  })
})

describe('HEAD /query', () => {
  it('tells the headers, for programs that look before they fetch, and runs nothing', async () => {
    const query_id = crypto.randomUUID()
    const answer = await get({ statement: 'FROM kept', format: 'csv', query_id }, {}, 'HEAD')
    expect(answer).toMatchObject({ status: 200, body: '' })
    expect(answer.headers['content-type']).toContain('text/csv')
    expect(answer.headers).not.toHaveProperty('content-length')
    expect((await service.get(`/query/${query_id}`)).status).toBe(404)
    expect((await get({ statement: 'FROM kept' }, { authorization: '' }, 'HEAD')).status).toBe(401)
  })
})
