import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { basic } from '../fixtures/createService.js'
import { useService } from '../fixtures/useService.js'

const service = useService()

const send = (path: string, file: string | Buffer, headers = {}) =>
  service.send('POST', path, file, {
    authorization: basic,
    'content-type': 'application/octet-stream',
    ...headers,
  })
const upload = (table: string, mode: string, format: string, file: string | Buffer, more = '') =>
  send(`/upload?catalog=lakehouse&schema=main&table=${table}&mode=${mode}&format=${format}${more}`, file)
const all = async (table: string, order = '1') =>
  (await service.query(`FROM ${table} ORDER BY ${order}`)).rows

const parquet = async (statement: string) => {
  const response = await fetch(`${service.url}/query`, {
    method: 'POST',
    headers: { authorization: basic },
    body: JSON.stringify({ statement, format: 'parquet' }),
  })
  return Buffer.from(await response.arrayBuffer())
}

/** Each format holds these rows. */
const files = async (rows: [number, string][]) => ({
  csv: `id,name\n${rows.map(([id, name]) => `${id},"${name}"`).join('\n')}\n`,
  json: JSON.stringify(rows.map(([id, name]) => ({ id, name }))),
  parquet: await parquet(
    `SELECT * FROM (VALUES ${rows.map(([id, name]) => `(${id}, '${name}')`).join(', ')}) t(id, name)`,
  ),
})
const formats = ['csv', 'json', 'parquet'] as const

describe.each(formats)('POST /upload of %s', (format) => {
  const first: [number, string][] = [
    [1, 'one'],
    [2, 'two, and a half'],
  ]
  const second: [number, string][] = [
    [2, 'TWO'],
    [3, 'three'],
    [3, 'THREE'],
  ]
  let made = 0
  /** A table that was made of the first rows. */
  const make = async () => {
    const table = `t_${format}_${++made}`
    expect((await upload(table, 'create', format, (await files(first))[format])).status).toBe(200)
    return table
  }

  it('create makes the table, and fails when it is there', async () => {
    const table = `made_${format}`
    const file = (await files(first))[format]
    const { status, body } = await upload(table, 'create', format, file)
    expect(status).toBe(200)
    expect(body).toMatchObject({ ok: true, status: 'completed', mode: 'create', format, rows: 2 })
    const task = await service.send('GET', `/tasks/${String(body['task_id'])}`, undefined, {
      authorization: basic,
    })
    expect(task).toMatchObject({
      status: 200,
      body: { task_id: body['task_id'], status: 'completed' },
    })
    expect(await all(table)).toEqual(first)
    expect(await upload(table, 'create', format, file)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('exists') },
    })
    expect(await all(table)).toEqual(first)
  })

  it('append keeps what is there', async () => {
    const table = await make()
    expect((await upload(table, 'append', format, (await files([[9, 'nine']]))[format])).status).toBe(200)
    expect(await all(table)).toEqual([...first, [9, 'nine']])
  })

  it('upsert updates and inserts by the key, the last of several rows wins', async () => {
    const table = await make()
    const answer = await upload(table, 'upsert', format, (await files(second))[format], '&primary_key=id')
    expect(answer.status).toBe(200)
    expect(await all(table)).toEqual([
      [1, 'one'],
      [2, 'TWO'],
      [3, 'THREE'],
    ])
  })

  it('/upsert does the same, without a format', async () => {
    const table = await make()
    const path = `/upsert?catalog=lakehouse&schema=main&table=${table}&primary_key=id`
    const answer = await send(path, (await files([[1, 'ONE']]))[format])
    expect(answer).toMatchObject({ status: 200, body: { format } })
    expect(answer.headers.get('x-waymark-format')).toBe(format)
    expect((await all(table))[0]).toEqual([1, 'ONE'])
  })

  it('overwrite replaces everything', async () => {
    const table = await make()
    expect((await upload(table, 'overwrite', format, (await files([[7, 'seven']]))[format])).status).toBe(200)
    expect(await all(table)).toEqual([[7, 'seven']])
  })
})

describe('POST /upload', () => {
  it('reads JSON lines, nested values as JSON and moments in UTC', async () => {
    const lines = '{"a":1,"t":"2026-01-01T00:00:00Z"}\n{"a":2,"o":{"x":[1]},"l":[1,2]}\n'
    await upload('lines', 'create', 'json', lines)
    const { columns, rows } = await service.query('FROM lines ORDER BY a')
    expect(columns).toEqual([
      { name: 'a', type: 'BIGINT' },
      { name: 't', type: 'TIMESTAMP' },
      { name: 'o', type: 'JSON' },
      { name: 'l', type: 'JSON' },
    ])
    expect(rows).toEqual([
      [1, '2026-01-01 00:00:00', null, null],
      [2, null, { x: [1] }, [1, 2]],
    ])
  })

  it('finds a wider type that only a late row needs', async () => {
    await upload('late', 'create', 'csv', `a\n${'1\n'.repeat(30_000)}x\n`)
    expect((await service.query('SELECT typeof(a), count(*) FROM late GROUP BY 1')).rows).toEqual([
      ['VARCHAR', 30_001],
    ])
  })

  it('reads quotes, line ends in fields, empty texts and nulls', async () => {
    await upload('quoted', 'create', 'csv', 'a,"b ""c"""\r\n1,"x\ny"\r\n2,""\r\n3,\r\n')
    expect(await all('quoted')).toEqual([
      [1, 'x\ny'],
      [2, ''],
      [3, null],
    ])
  })

  it('fills columns that the file lacks with NULL', async () => {
    await service.query('CREATE TABLE wide (a INT, b VARCHAR, c DATE)')
    await upload('wide', 'append', 'csv', 'c,a\n2026-01-02,1\n')
    expect(await all('wide')).toEqual([[1, null, '2026-01-02']])
  })

  it('upserts a file whose columns are called n and rowid', async () => {
    await upload('un', 'create', 'csv', 'id,n,rowid\n1,100,a\n2,200,b\n')
    await send(
      '/upsert?catalog=lakehouse&schema=main&table=un&primary_key=id',
      'id,n,rowid\n2,998,x\n2,999,bb\n3,300,c\n',
    )
    expect(await all('un')).toEqual([
      [1, 100, 'a'],
      [2, 999, 'bb'],
      [3, 300, 'c'],
    ])
  })

  it('takes JSON with a byte order mark', async () => {
    const answer = await send(
      '/upload?catalog=lakehouse&schema=main&table=marked&mode=create',
      '\uFEFF[{"a":1},{"a":2}]',
    )
    expect(answer).toMatchObject({ status: 200, body: { format: 'json', rows: 2 } })
    expect(await all('marked')).toEqual([[1], [2]])
  })

  it('takes an empty list as no rows, and says why no table comes of it', async () => {
    await service.query('CREATE TABLE none (a INT)')
    expect(await upload('none', 'append', 'json', '[]')).toMatchObject({ status: 200, body: { rows: 0 } })
    expect(await upload('none', 'upsert', 'json', '[]', '&primary_key=a')).toMatchObject({
      status: 200,
      body: { rows: 0 },
    })
    expect(await upload('none2', 'create', 'json', '[]')).toMatchObject({
      status: 400,
      body: { message: 'The file holds no field, and so no column.' },
    })
  })

  it.each([
    ['csv', 'a\n1,2\n'],
    ['json', '{"a":x}'],
    ['parquet', 'no parquet at all'],
  ])('does not tell where the service keeps a %s file that it cannot read', async (format, file) => {
    const { status, body } = await upload('never', 'create', format, file)
    expect(status).toBe(400)
    expect(JSON.stringify(body)).not.toContain('spool')
  })

  it.each([
    ['csv', 'a,b\n1\n2,3,4\n'],
    ['csv', 'a,b\n1,"x\n'],
    ['csv', Buffer.from([0x61, 0x0a, 0xe9, 0x0a])],
    ['csv', ''],
    ['json', '[{"a":1},{"a":2'],
    ['json', '[{"a":[1]'],
    ['json', '[{"a":1},'],
    ['json', '{"a":1}\n{"a":\n'],
    ['json', '[1,2]'],
    ['json', 'a,b\n1,2\n'],
    ['parquet', 'PAR1 and no more'],
    ['parquet', 'a,b\n1,2\n'],
  ])('refuses %s that is malformed: %j', async (format, file) => {
    const answer = await upload('never', 'create', format, file)
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringMatching(/\w/) } })
    expect((await service.query('FROM never')).status).toBe(400)
  })

  it('takes nothing of a file whose last row is bad', async () => {
    await service.query('CREATE TABLE whole (n INT)')
    const answer = await upload('whole', 'append', 'csv', `n\n${'1\n'.repeat(300_000)}x\n`)
    expect(answer.status).toBe(400)
    expect((await service.query('SELECT count(*) FROM whole')).rows).toEqual([[0]])
  })

  it.each([
    ['catalog=lakehouse&schema=main&table=t&format=csv', 'mode'],
    ['catalog=lakehouse&schema=main&table=t&mode=replace&format=csv', 'mode'],
    ['catalog=lakehouse&schema=main&table=t&mode=create&format=xml', 'format'],
    ['catalog=lakehouse&schema=main&table=t&mode=upsert&format=csv', 'primary_key'],
    ['catalog=analytics&schema=raw&table=events&mode=append&format=csv', 'analytics'],
    ['catalog=lakehouse&schema=main&mode=create&format=csv', 'table'],
    ['catalog=lakehouse&schema=nowhere&table=t&mode=create&format=csv', 'nowhere'],
    ['catalog=lakehouse&schema=main&table=nothing&mode=append&format=csv', 'nothing'],
    ['catalog=lakehouse&schema=main&table=keyed&mode=upsert&format=csv&primary_key=b', '"b"'],
    ['catalog=lakehouse&schema=main&table=other&mode=append&format=csv', '"a"'],
  ])('refuses ?%s and names the reason', async (search, named) => {
    await service.query('CREATE TABLE IF NOT EXISTS keyed (a INT)')
    await service.query('CREATE TABLE IF NOT EXISTS other (k INT)')
    const answer = await send(`/upload?${search}`, 'a\n1\n')
    expect(answer.status).toBe(400)
    expect(answer.body['message']).toContain(named)
  })

  it('refuses an upsert of rows without a key', async () => {
    await service.query('CREATE TABLE keys (k INT, v INT)')
    const answer = await upload('keys', 'upsert', 'csv', 'k,v\n1,1\n,2\n', '&primary_key=k')
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining('primary key') } })
    expect(await all('keys')).toEqual([])
  })

  it('answers 401 without credentials, and /upsert 400 without a key', async () => {
    const search = 'catalog=lakehouse&schema=main&table=t'
    expect((await service.send('POST', `/upload?${search}&mode=create&format=csv`, 'a\n1\n')).status).toBe(
      401,
    )
    expect((await service.send('POST', `/upsert?${search}&primary_key=a`, 'a\n1\n')).status).toBe(401)
    expect((await send(`/upsert?${search}`, 'a\n1\n')).status).toBe(400)
  })

  it('goes in beside appends to the same table', async () => {
    await service.query('CREATE TABLE shared (n BIGINT)')
    const path = '/append?catalog=lakehouse&schema=main&table=shared&sync=true'
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, () => upload('shared', 'append', 'csv', `n\n${'1\n'.repeat(1000)}`)),
      ...Array.from({ length: 20 }, () => send(path, '{"n":2,"more":1}')),
    ])
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect((await service.query('SELECT n, count(*) FROM shared GROUP BY n ORDER BY n')).rows).toEqual([
      [1, 5000],
      [2, 20],
    ])
  })

  it('leaves no file behind', () => {
    expect(readdirSync(join(service.folder, 'spool'))).toEqual([])
  })
})
