import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLakehouse, LakehouseError } from '../../src/lakehouse/index'
import { createService, type Service } from '../../server/test/fixtures/createService'

const place = { catalog: 'lakehouse', schema: 'main', table: 'sheets' }
let service: Service
let lakehouse: ReturnType<typeof createLakehouse>

beforeAll(async () => {
  service = await createService()
  lakehouse = createLakehouse({ endpoint: service.url, username: 'ada', password: 'lovelace' })
})
afterAll(() => service.close())

describe('waymark/lakehouse', () => {
  it('streams rows, tells their columns, and gives them as objects', async () => {
    const result = await lakehouse.query("SELECT 1 AS n, 'ü' AS text UNION ALL SELECT 2, NULL ORDER BY n")
    expect(result.columns.map(({ name }) => name)).toEqual(['n', 'text'])
    expect(result.metadata.query_id).toMatch(/^[\da-f-]{36}$/)
    const rows = []
    for await (const row of result) rows.push(row)
    expect(rows).toEqual([
      [1, 'ü'],
      [2, null],
    ])
    expect(await (await lakehouse.query('SELECT 7 AS n')).objects()).toEqual([{ n: 7 }])
  })

  it('reads a large result in order, and stops when its reader does', async () => {
    let count = 0
    for await (const [n] of await lakehouse.query('SELECT i FROM range(200000) t(i) ORDER BY i')) {
      expect(n).toBe(count++)
      if (count === 50_000) break
    }
    expect(count).toBe(50_000)
  })

  it('rejects with the message of the service when a statement is wrong or breaks midway', async () => {
    const wrong = lakehouse.query('SELEC 1')
    await expect(wrong).rejects.toBeInstanceOf(LakehouseError)
    await expect(wrong).rejects.toMatchObject({ status: 400, message: expect.stringContaining('SELEC') })
    const broken = await lakehouse.query(
      "SELECT CASE WHEN i = 90000 THEN error('midway') ELSE i END FROM range(100000) t(i)",
    )
    await expect(broken.rows()).rejects.toMatchObject({
      name: 'LakehouseError',
      message: expect.stringContaining('midway'),
      status: 200,
      code: 'invalid-statement',
    })
  })

  it('reads both forms of the columns, types and labels', async () => {
    const statement = "SELECT 1 AS n, 'a' AS letter"
    expect((await lakehouse.query(statement)).columns).toEqual([
      { name: 'n', type: 'INTEGER' },
      { name: 'letter', type: 'VARCHAR' },
    ])
    const labelled = await lakehouse.query(statement, { columns: 'labels' })
    expect(labelled.columns).toEqual([
      { name: 'n', type: '' },
      { name: 'letter', type: '' },
    ])
    expect(await labelled.objects()).toEqual([{ n: 1, letter: 'a' }])
  })

  it('rejects with 401 for a wrong password', async () => {
    const stranger = createLakehouse({ endpoint: service.url, username: 'ada', password: 'wrong' })
    await expect(stranger.query('SELECT 1')).rejects.toMatchObject({ name: 'LakehouseError', status: 401 })
  })

  it('ends with its signal', async () => {
    const abort = new AbortController()
    const query = lakehouse.query('SELECT count(*) FROM range(1000000) a, range(100000) b', {
      signal: abort.signal,
    })
    setTimeout(() => abort.abort(), 50)
    await expect(query).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('appends, uploads, upserts, and finds it all', async () => {
    const answer = await lakehouse.append(place, [{ slug: 'a', price: 1 }], { sync: true })
    expect(answer.ok).toBe(true)
    expect(await lakehouse.task(answer.task_id!)).toEqual({ task_id: answer.task_id, status: 'completed' })
    await lakehouse.upload(place, 'slug,price\nb,2\n', { mode: 'append', format: 'csv' })
    await lakehouse.upsert(place, 'slug,price\na,9\nc,3\n', { primaryKey: 'slug', format: 'csv' })
    const result = await lakehouse.query('SELECT slug, price FROM sheets ORDER BY slug')
    expect(await result.rows()).toEqual([
      ['a', 9],
      ['b', 2],
      ['c', 3],
    ])
    const refused = lakehouse.append(place, [{ slug: 'd', price: 'dear' }], { sync: true })
    await expect(refused).rejects.toMatchObject({ status: 200, code: 'incompatible-schema' })
  })

  it('keeps the newer of two rows with one key', async () => {
    const keyed = { ...place, table: 'stock' }
    const key = { primaryKey: 'shop,slug', cursorField: 'seen', format: 'csv' as const }
    await lakehouse.upload(keyed, 'shop,slug,seen,n\n1,a,2,20\n', { ...key, mode: 'create_append' })
    await lakehouse.upsert(keyed, 'shop,slug,seen,n\n1,a,1,10\n1,b,1,5\n', key)
    const result = await lakehouse.query('SELECT slug, n FROM stock ORDER BY slug')
    expect(await result.rows()).toEqual([
      ['a', 20],
      ['b', 5],
    ])
  })

  it('validates, explains and completes', async () => {
    expect(await lakehouse.validate('SELEC 1')).toMatchObject({ valid: false, error: expect.any(String) })
    expect(await lakehouse.validate('SELECT 1')).toMatchObject({ valid: true })
    const explained = await lakehouse.explain('SELECT * FROM events', { includePlan: true })
    expect(explained).toMatchObject({ statement: 'SELECT * FROM events', plan: expect.anything() })
    const { suggestions } = await lakehouse.autocomplete('SEL', { maxSuggestions: 5 })
    expect(suggestions.map(({ suggestion }) => suggestion.trim())).toContain('SELECT')
  })

  it('tells about a query, and cancels one', async () => {
    const { metadata, rows } = await lakehouse.query('SELECT 1', { visible: false })
    await rows()
    expect(await lakehouse.queryLog(metadata.query_id)).toMatchObject({
      query: 'SELECT 1',
      client_interface: 'HTTP',
      visible: false,
      stats: { scan: { estimated_result_rows: 1 } },
    })
    expect(await lakehouse.cancel(metadata.query_id, metadata.session_id)).toMatchObject({ cancelled: false })
  })
})
