import { describe, expect, it } from 'vitest'
import { basic } from '../fixtures/createService.js'
import { useService } from '../fixtures/useService.js'

const service = useService({ catalogs: ['lakehouse', 'second'] })

const append = (table: string, body: unknown, more = '&sync=true', catalog = 'lakehouse') =>
  service.send(
    'POST',
    `/append?catalog=${catalog}&schema=main&table=${encodeURIComponent(table)}${more}`,
    typeof body === 'string' ? body : JSON.stringify(body),
    { authorization: basic, 'content-type': 'application/json' },
  )
const types = async (table: string) =>
  Object.fromEntries((await service.query(`DESCRIBE "${table}"`)).rows.map(([name, type]) => [name, type]))
const all = async (table: string) => (await service.query(`FROM "${table}"`)).rows

describe('POST /append', () => {
  it('makes a table with the types of the contract', async () => {
    const { status, body } = await append('types', {
      whole: 5,
      fraction: 1.5,
      text: 'x',
      flag: true,
      list: [1, 'a'],
      object: { a: 1 },
      moment: '2026-01-02T03:04:05.123456+02:00',
      nothing: null,
    })
    expect(status).toBe(200)
    expect(body).toEqual({ ok: true, task_id: expect.any(String), error_code: null, error_message: null })
    expect(await types('types')).toEqual({
      whole: 'BIGINT',
      fraction: 'DOUBLE',
      text: 'VARCHAR',
      flag: 'BOOLEAN',
      list: 'JSON',
      object: 'JSON',
      moment: 'TIMESTAMP',
    })
    expect(await all('types')).toEqual([
      [5, 1.5, 'x', true, [1, 'a'], { a: 1 }, '2026-01-02 01:04:05.123456'],
    ])
  })

  it('makes a new field a new column, NULL in the rows from before', async () => {
    await append('grow', [{ a: 1 }, { a: 2, b: 'x' }])
    await append('grow', { c: false })
    expect(await all('grow')).toEqual([
      [1, null, null],
      [2, 'x', null],
      [null, null, false],
    ])
  })

  it('keeps the order of requests and of records', async () => {
    await Promise.all(
      [0, 1, 2].map((n) =>
        append(
          'ordered',
          Array.from({ length: 100 }, (_, k) => ({ n, k })),
        ),
      ),
    )
    const { rows } = await service.query('SELECT n, list(k) = range(100) FROM ordered GROUP BY n ORDER BY n')
    expect(rows).toEqual([
      [0, true],
      [1, true],
      [2, true],
    ])
  })

  it('keeps the types of a table made by hand and adds what is missing', async () => {
    await service.query(
      'CREATE TABLE by_hand (id INTEGER, day DATE, tags VARCHAR[], price DECIMAL(10,2), t VARCHAR)',
    )
    const { body } = await append('by_hand', {
      id: 1,
      day: '2026-01-02',
      tags: ['a'],
      price: 2.5,
      t: 7,
      more: 1,
    })
    expect(body).toMatchObject({ ok: true })
    expect(await types('by_hand')).toEqual({
      id: 'INTEGER',
      day: 'DATE',
      tags: 'VARCHAR[]',
      price: 'DECIMAL(10,2)',
      t: 'VARCHAR',
      more: 'BIGINT',
    })
    expect(await all('by_hand')).toEqual([[1, '2026-01-02', ['a'], 2.5, '7', 1]])
    expect((await append('by_hand', { id: 1.5 })).body).toMatchObject({ error_code: 'incompatible-schema' })
  })

  it('widens a column that it made itself from whole numbers to fractions', async () => {
    await append('widen', { n: 1 })
    await append('widen', { n: 2.5 })
    expect(await types('widen')).toEqual({ n: 'DOUBLE' })
    expect(await all('widen')).toEqual([[1], [2.5]])
  })

  it.each<[body: unknown, code: string, status?: number]>([
    [{ n: 'text' }, 'incompatible-schema'],
    [{ n: true }, 'incompatible-schema'],
    [{ n: [1] }, 'incompatible-schema'],
    [[{ n: 1 }, { n: 'x' }], 'incompatible-schema'],
    [[{ fresh: 1 }, { fresh: 'x' }], 'incompatible-schema'],
    [{ N: 1, n: 2 }, 'invalid-data'],
    [[1], 'invalid-data'],
    [[[{ n: 1 }]], 'invalid-data'],
    ['"text"', 'invalid-data'],
    ['{"n":', 'invalid-data', 400],
    ['', 'invalid-data', 400],
    [{ '': 1 }, 'invalid-data'],
    [{}, 'invalid-data'],
    [{ never: null }, 'invalid-data'],
    ['{"n":1e999}', 'invalid-data'],
  ])('refuses %j with %s and takes nothing of it', async (body, code, status = 200) => {
    await service.query('CREATE TABLE IF NOT EXISTS numbers (n BIGINT)')
    const answer = await append('numbers', body)
    expect(answer).toMatchObject({
      status,
      body: { ok: false, task_id: null, error_code: code, error_message: expect.stringMatching(/\w/) },
    })
    expect(await all('numbers')).toEqual([])
  })

  it('puts neighbours of one flush in although one of them does not fit', async () => {
    const answers = await Promise.all([
      append('flush', { n: 1 }, ''),
      append('flush', { n: 'x' }, ''),
      append('flush', { n: 2 }, ''),
      append('flush', { n: 3 }),
    ])
    expect(answers.map(({ status }) => status)).toContain(200)
    const { rows } = await service.query('SELECT count(*) >= 1, count(DISTINCT typeof(n)) FROM flush')
    expect(rows).toEqual([[true, 1]])
  })

  it('keeps 64-bit integers exactly', async () => {
    await append('exact', '{"n":9007199254740993}')
    expect(await all('exact')).toEqual([['9007199254740993']])
  })

  it('keeps the greatest and the least integer of 64 bits, and what was there before them', async () => {
    await append('edge', '{"id":9007199254740993}')
    await append('edge', '[{"id":9223372036854775807},{"id":-9223372036854775808}]')
    expect(await types('edge')).toEqual({ id: 'BIGINT' })
    expect(await all('edge')).toEqual([
      ['9007199254740993'],
      ['9223372036854775807'],
      ['-9223372036854775808'],
    ])
  })

  it.each(['9223372036854775808', '-9223372036854775809', '1.5'])(
    'refuses %s where making room for it would change a long integer',
    async (value) => {
      await append('kept', '{"id":9007199254740993}')
      expect(await append('kept', `{"id":${value}}`)).toMatchObject({
        status: 200,
        body: { error_code: 'incompatible-schema', error_message: expect.stringContaining('"id"') },
      })
      expect(await types('kept')).toEqual({ id: 'BIGINT' })
    },
  )

  it.each([
    ['9223372036854775808', 'HUGEINT', ['9223372036854775808']],
    ['1},{"id":9223372036854775808', 'HUGEINT', ['1', '9223372036854775808']],
    ['1},{"id":1.5},{"id":9007199254740993', 'VARCHAR', ['1', '1.5', '9007199254740993']],
    ['170141183460469231731687303715884105728', 'VARCHAR', ['170141183460469231731687303715884105728']],
    ['1.5},{"id":9007199254740992', 'DOUBLE', ['1.5', '9007199254740992.0']],
  ])('makes a column that holds each digit of %s', async (numbers, type, kept) => {
    await service.query('DROP TABLE IF EXISTS beyond')
    await append('beyond', `[{"id":${numbers}}]`)
    expect(await types('beyond')).toEqual({ id: type })
    expect((await service.query('SELECT id::VARCHAR FROM beyond ORDER BY rowid')).rows).toEqual(
      kept.map((each) => [each]),
    )
  })

  it('refuses an integer that a DOUBLE would change', async () => {
    await append('double', '{"id":1.5}')
    expect(await append('double', '{"id":9007199254740993}')).toMatchObject({
      body: { error_message: 'The field "id" holds long integer values; the column is DOUBLE.' },
    })
  })

  it('keeps the digits of numbers for columns that hold them', async () => {
    await service.query('CREATE TABLE digits (a DECIMAL(38,10), v VARCHAR, j JSON)')
    await append('digits', '[{"a":12345678901234567.1234567891,"v":1.10,"j":1.5},{"v":"x","j":{"v":2}}]')
    expect(await all('digits')).toEqual([
      ['12345678901234567.1234567891', '1.10', 1.5],
      [null, 'x', { v: 2 }],
    ])
  })

  it('takes a day that does not exist as a text, and loses no record by it', async () => {
    const due = ['2024-02-28T10:00:00Z', '2024-02-30T10:00:00Z', '2023-02-29T10:00:00Z']
    await append('days', [{ due: due[0] }, { due: due[1] }, { due: due[2] }])
    expect(await all('days')).toEqual(due.map((each) => [each]))
    await append('leap', { due: '2024-02-29t10:00:00z' })
    expect(await all('leap')).toEqual([['2024-02-29 10:00:00']])
    expect((await append('leap', { due: due[1] }, '')).body).toMatchObject({
      error_code: 'incompatible-schema',
    })
  })

  it('refuses a name that SQL cannot hold', async () => {
    const { body } = await append('nul', String.raw`{"a\u0000b":1}`, '')
    expect(body).toMatchObject({ error_code: 'invalid-data' })
  })

  it('refuses half a character at any depth, and names the record and the field', async () => {
    const half = String.raw`\ud83d`
    for (const [json, where] of [
      [`{"a":"x${half}"}`, 'The body: the field "a"'],
      [`[{"a":"\\\\ud83d${half}\\ude00"},{"b":[{"c":"${half}"}]}]`, 'Record 1: the field "b"'],
      [`[{"b":{"${half}":1}}]`, 'Record 0: the field "b"'],
      [`[{"${half}":1}]`, `Record 0: the field "${half}"`],
    ]) {
      const { body } = await append('halves', json, '')
      const error_message = `${where} holds half a character.`
      expect(body).toMatchObject({ ok: false, error_code: 'invalid-data', error_message })
    }
  })

  it('leaves a table alone that was made by hand under the name of one of its own', async () => {
    await append('again', { a: 1 })
    await service.query('DROP TABLE again')
    await service.query('CREATE TABLE again (a BIGINT)')
    expect((await append('again', { a: 1.5 })).body).toMatchObject({ error_code: 'incompatible-schema' })
    expect(await types('again')).toEqual({ a: 'BIGINT' })
  })

  it('leaves a table alone that an upload put in the place of one of its own', async () => {
    await append('replaced', { a: 1 })
    const path = '/upload?catalog=lakehouse&schema=main&table=replaced&mode=overwrite&format=csv'
    expect((await service.send('POST', path, 'a\n1\n', { authorization: basic })).status).toBe(200)
    expect((await append('replaced', { a: 1.5 })).body).toMatchObject({ error_code: 'incompatible-schema' })
    expect(await types('replaced')).toEqual({ a: 'BIGINT' })
  })

  it('widens its own column also after a restart and under another name', async () => {
    await append('moving', { a: 1 })
    await service.restart()
    await service.query('ALTER TABLE moving RENAME TO moved')
    await append('moved', { a: 1.5 })
    expect(await types('moved')).toEqual({ a: 'DOUBLE' })
  })

  it('writes to the catalog it names', async () => {
    await append('elsewhere', { a: 1 }, '&sync=true', 'second')
    expect((await service.query('FROM second.main.elsewhere')).rows).toEqual([[1]])
  })

  it('gives a task that completes', async () => {
    const { body } = await append('task', { a: 1 }, '')
    let status = 'pending'
    while (status === 'pending') {
      status = String((await service.get(`/tasks/${String(body['task_id'])}`)).body['status'])
    }
    expect(status).toBe('completed')
    expect(await all('task')).toEqual([[1]])
  })

  it('takes names that need quotes', async () => {
    await append(`we"ird; DROP TABLE x--`, { 'a "b"': 1, "it's": 2 })
    const { rows } = await service.query('FROM "we""ird; DROP TABLE x--"')
    expect(rows).toEqual([[1, 2]])
  })

  it('survives a table that is changed by hand meanwhile', async () => {
    const requests = Array.from({ length: 20 }, (_, n) => append('busy', { n }))
    const changes = Array.from({ length: 10 }, (_, n) =>
      service.query(`ALTER TABLE busy ADD COLUMN c${n} INT`),
    )
    const answers = await Promise.all(requests)
    await Promise.all(changes)
    expect(answers.map(({ body }) => body['ok'])).toEqual(answers.map(() => true))
    expect((await service.query('SELECT count(*) FROM busy')).rows).toEqual([[20]])
  })

  it('keeps what it accepted across a restart', async () => {
    await append('restart', { a: 1 }, '')
    await service.restart()
    await append('restart', { a: 2 })
    expect(await all('restart')).toEqual([[1], [2]])
  })

  it.each([
    ['catalog=analytics&schema=raw&table=events', 'analytics'],
    ['catalog=nowhere&schema=main&table=t', 'nowhere'],
    ['catalog=lakehouse&schema=nowhere&table=t', 'nowhere'],
  ])('says of ?%s, which can be read, that nothing was appended, with a code', async (search, named) => {
    const { status, body } = await service.send('POST', `/append?${search}`, '{"a":1}', {
      authorization: basic,
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({ ok: false, task_id: null, error_code: 'invalid-data' })
    expect(body['error_message']).toContain(named)
  })

  it.each([
    ['catalog=lakehouse&schema=main', 'table'],
    ['catalog=lakehouse&table=t', 'schema'],
    ['schema=main&table=t', 'catalog'],
    ['catalog=lakehouse&schema=waymark_internal&table=position', 'waymark_internal'],
    ['catalog=lakehouse&schema=main&table=t&sync=5', 'sync'],
    ['catalog=lakehouse&schema=main&table=t&snyc=true', 'no parameter "snyc"'],
  ])('refuses ?%s and names the reason', async (search, named) => {
    const answer = await service.send('POST', `/append?${search}`, '{"a":1}', { authorization: basic })
    expect(answer).toMatchObject({ status: 400, body: { ok: false } })
    expect(answer.body['error_message']).toContain(named)
  })

  it('answers 401 without credentials', async () => {
    const answer = await service.send('POST', '/append?catalog=lakehouse&schema=main&table=t', '{"a":1}')
    expect(answer.status).toBe(401)
  })

  it('refuses a view', async () => {
    await service.query('CREATE VIEW seen AS SELECT 1 AS a')
    expect((await append('seen', { a: 1 })).body).toMatchObject({ error_code: 'incompatible-schema' })
  })
})
