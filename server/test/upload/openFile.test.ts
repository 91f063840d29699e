import { describe, expect, it } from 'vitest'
import { basic } from '../fixtures/createService.js'
import { useService } from '../fixtures/useService.js'

const service = useService()

const upload = (table: string, mode: string, format: string, file: string, more = '') =>
  service.send(
    'POST',
    `/upload?catalog=lakehouse&schema=main&table=${table}&mode=${mode}&format=${format}${more}`,
    file,
    { authorization: basic, 'content-type': 'application/octet-stream' },
  )
const create = async (table: string, format: string, file: string) => {
  expect(await upload(table, 'create', format, file)).toMatchObject({ status: 200 })
  return service.query(`FROM ${table}`)
}
const typesOf = ({ columns }: { columns: { name: string; type: string }[] }) =>
  Object.fromEntries(columns.map(({ name, type }) => [name, type]))

describe('a JSON file', () => {
  it('keeps a field that only its last record has', async () => {
    const lines = Array.from({ length: 21_000 }, (_, a) => JSON.stringify({ a }))
    const file = [...lines, '{"a":1,"late":"x"}'].join('\n')
    expect(typesOf(await create('late', 'json', file))).toEqual({ a: 'BIGINT', late: 'VARCHAR' })
    expect((await service.query('FROM late WHERE late IS NOT NULL')).rows).toEqual([[1, 'x']])
  })

  it('keeps a late value that is of another kind', async () => {
    const lines = Array.from({ length: 21_000 }, () => '{"a":1,"b":1}')
    await create('kinds', 'json', [...lines, '{"a":1.5,"b":"007"}'].join('\n'))
    expect((await service.query('SELECT a, b FROM kinds WHERE a > 1')).rows).toEqual([[1.5, '007']])
  })

  it('keeps hundreds of fields of which each record has few', async () => {
    const file = Array.from({ length: 500 }, (_, n) => JSON.stringify({ [`k${n}`]: n })).join('\n')
    expect((await create('sparse', 'json', file)).columns).toHaveLength(500)
  })

  it.each([
    ['[{"a":1,"A":2}]', '"a" and "A" differ only in case'],
    ['{"a":1}\n{"A":2}', 'differ only in case'],
    ['{"":6}', 'empty name'],
    ['{"a":1,"a":2}', '"a" twice'],
    [String.raw`{"a\u0000b":1}`, 'U+0000'],
    ['[{"a":1},2]', 'Record 2 is no object'],
    ['[{"a":1,}]', 'Record 1 is not JSON'],
    ['{"a":1}\n{"a":NaN}', 'Record 2 is not JSON'],
    ['[{"a":1e999}]', 'Record 1 holds a number out of range'],
    ['[{"a":1},]', 'wrong behind record 1'],
    ['[{"a":1} {"a":2}]', 'wrong behind record 1'],
    ['{"a":1},{"a":2}', 'wrong behind record 1'],
    ['{"a":1}]', 'wrong behind record 1'],
    [String.raw`{"a":"\ud800"}`, 'Record 1: the field "a" holds half a character'],
    [String.raw`{"\ud800":1}`, String.raw`the field "\ud800" holds half a character`],
    ['[{}]', 'no field'],
  ])('is refused as a whole when it holds %j', async (file, named) => {
    const answer = await upload('refused', 'create', 'json', file)
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(named) } })
    expect((await service.query('FROM refused')).status).toBe(400)
  })
})

it('what is no truth value is refused for one by /upload as by /append', async () => {
  await service.query('CREATE TABLE truths (ok BOOLEAN)')
  expect(await upload('truths', 'append', 'json', '[{"ok":true},{"ok":null}]')).toMatchObject({ status: 200 })
  for (const [value, kind] of [
    ['1', 'integer'],
    ['"yes"', 'text'],
    ['"true"', 'text'],
    ['0.0', 'float'],
  ]) {
    const message = `The field "ok" holds ${kind} values; the column is BOOLEAN.`
    const file = `[{"ok":false},{"ok":${value}}]`
    expect(await upload('truths', 'append', 'json', file)).toMatchObject({ status: 400, body: { message } })
    const path = '/append?catalog=lakehouse&schema=main&table=truths'
    const appended = await service.send('POST', path, file, { authorization: basic })
    expect(appended.body).toMatchObject({ ok: false, error_message: message })
  }
  expect((await service.query('FROM truths')).rows).toEqual([[true], [null]])
})

it.each([
  ['[{"n":1},{"n":1.5},{"n":9007199254740993}]', 'VARCHAR', ['1', '1.5', '9007199254740993']],
  ['[{"n":1},{"n":12345678901234567890}]', 'HUGEINT', ['1', '12345678901234567890']],
  ['[{"n":1},{"n":1.50}]', 'DOUBLE', ['1.0', '1.5']],
  ['[{"n":"1.50"},{"n":"2024-01-01"}]', 'VARCHAR', ['1.50', '2024-01-01']],
  ['[{"n":"2024-01-01t10:00:00+02:00"}]', 'TIMESTAMP', ['2024-01-01 08:00:00']],
  ['[{"n":true},{"n":1}]', null, ['true', '1']],
  ['[{"n":{"a":1,"A":2}}]', 'JSON', ['{"a":1,"A":2}']],
  [String.raw`[{"n":"\\ud800 }\""}]`, 'VARCHAR', [String.raw`\ud800 }"`]],
])('a JSON file gives the types of /append: %s', async (file, type, values) => {
  await service.query('DROP TABLE IF EXISTS uploaded')
  await service.query('DROP TABLE IF EXISTS appended')
  const { columns } = await create('uploaded', 'json', file)
  const read = async (table: string) =>
    (await service.query(`SELECT n::VARCHAR FROM ${table} ORDER BY rowid`)).rows.flat()
  expect(await read('uploaded')).toEqual(values)
  if (type === null) return
  expect(columns).toEqual([{ name: 'n', type }])
  const path = '/append?catalog=lakehouse&schema=main&table=appended&sync=true'
  await service.send('POST', path, file, { authorization: basic, 'content-type': 'application/json' })
  expect((await service.query('FROM appended')).columns).toEqual(columns)
  expect(await read('appended')).toEqual(values)
})

describe('a file for a table that is there', () => {
  const row = ['01234', '1.10', '12345678901234567.1234567891', '2024-01-01T10:00:00Z']
  const kept = [['01234', '1.10', '12345678901234567.1234567891', '2024-01-01T10:00:00Z']]
  const make = (table: string) =>
    service.query(`CREATE TABLE ${table} (code VARCHAR, ver VARCHAR, amt DECIMAL(38,10), d VARCHAR)`)

  it('is read as the types of the table, csv', async () => {
    await make('straight')
    await upload('straight', 'append', 'csv', `code,ver,amt,d\n${row.join(',')}\n`)
    expect((await service.query('FROM straight')).rows).toEqual(kept)
  })

  it('is read as the types of the table, JSON', async () => {
    await make('straight_json')
    const [code, ver, amt, d] = row
    await upload('straight_json', 'append', 'json', JSON.stringify([{ code, ver, amt, d }]))
    expect((await service.query('FROM straight_json')).rows).toEqual(kept)
  })

  it.each(['1.10', '1e3', '0.1234567890123456789012', '12345678901234567890123'])(
    'keeps the digits of the JSON number %s where the column holds them',
    async (number) => {
      await service.query('DROP TABLE IF EXISTS figures')
      await service.query(
        'CREATE TABLE figures ("a~/b" VARCHAR, d DECIMAL(38,10), f DOUBLE, n BIGINT, j JSON, l INT[])',
      )
      const record = `{"A~/b":${number},"d":12345678901234567.1234567891,"f":1.5,"n":7,"j":1.5,"l":[1]}`
      await upload('figures', 'append', 'json', `[${record},{"A~/b":"1","f":1}]`)
      expect((await service.query('FROM figures')).rows).toEqual([
        [number, '12345678901234567.1234567891', 1.5, 7, 1.5, [1]],
        ['1', null, 1, null, null, null],
      ])
    },
  )

  it('keeps the zeros of a code far down', async () => {
    await service.query('CREATE TABLE zips (code VARCHAR)')
    await upload('zips', 'append', 'csv', `code\n${'99999\n'.repeat(30_000)}01234\n`)
    expect((await service.query(`FROM zips WHERE code <> '99999'`)).rows).toEqual([['01234']])
  })

  it('keeps keys apart that differ as texts, and matches them as the table has them', async () => {
    await service.query(`CREATE TABLE versions (k VARCHAR, v INT)`)
    await service.query(`INSERT INTO versions VALUES ('abc', 0), ('1.1', 0)`)
    const answer = await upload('versions', 'upsert', 'csv', 'k,v\n1.1,1\n1.10,2\n2,20\n', '&primary_key=k')
    expect(answer.status).toBe(200)
    expect((await service.query('FROM versions ORDER BY v')).rows).toEqual([
      ['abc', 0],
      ['1.1', 1],
      ['1.10', 2],
      ['2', 20],
    ])
  })

  it('puts moments in UTC and fills enumerations, lists and JSON', async () => {
    await service.query(`CREATE TABLE rich (t TIMESTAMP, k ENUM('a', 'b'), l DOUBLE[], j JSON, n HUGEINT)`)
    const fields = '"t":"2024-01-01T10:00:00+02:00","k":"b","l":[1.5,2],"j":{"x":[1,null]}'
    await upload('rich', 'append', 'json', `{${fields},"n":12345678901234567890}`)
    await upload('rich', 'append', 'csv', 't,k,l,j,n\n2024-01-01T10:00:00+02:00,b,"[1.5, 2]","{""x"":1}",\n')
    expect((await service.query('FROM rich')).rows).toEqual([
      ['2024-01-01 08:00:00', 'b', [1.5, 2], { x: [1, null] }, '12345678901234567890'],
      ['2024-01-01 08:00:00', 'b', [1.5, 2], { x: 1 }, null],
    ])
  })

  it.each([
    ['csv', 'n\n1\n2.5\n', '2.5 is no whole number'],
    ['json', '[{"n":1},{"n":2.5}]', '2.5 is no whole number'],
    ['csv', 'n\n1\nx\n', "'x'"],
    ['csv', 'd\n2024-01-02\n24-01-02\n', '24-01-02 does not begin with a year of four digits'],
    ['csv', 'd\n01/02/2024\n', '01/02/2024 does not begin with a year of four digits'],
    ['json', '[{"n":1,"m":2}]', 'no column "m"'],
  ])('is refused as a whole when a value does not fit, %s %j', async (format, file, named) => {
    await service.query('CREATE TABLE IF NOT EXISTS wholes (n BIGINT, d DATE)')
    const answer = await upload('wholes', 'append', format, file)
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(named) } })
    expect((await service.query('FROM wholes')).rows).toEqual([])
  })

  it('takes whole numbers written with a point or an exponent', async () => {
    await service.query('CREATE TABLE points (n BIGINT)')
    expect((await upload('points', 'append', 'csv', 'n\n1.0\n1e3\n-7\n')).status).toBe(200)
    await upload('points', 'append', 'json', '{"n":9007199254740993.0}')
    expect((await service.query('SELECT n::VARCHAR FROM points')).rows.flat()).toEqual([
      '1',
      '1000',
      '-7',
      '9007199254740993',
    ])
  })
})

describe('the types of a new table', () => {
  it.each(['01/02/2024', '31.12.2024', '01-02-2024', '24-01-02', '24-01-02 10:00', '12/31/2024 10:00:00'])(
    'a date such as %s stays text: nobody knows which part is the month',
    async (date) => {
      await service.query('DROP TABLE IF EXISTS dates')
      expect((await create('dates', 'csv', `a,b\n${date},1\n${date},0\n`)).rows).toEqual([
        [date, 1],
        [date, 0],
      ])
    },
  )

  it('ISO dates and times are dates and times', async () => {
    const file = 'a,b,c\n2024-01-02,2024-01-02 10:00:00,2024-01-02T10:00:00Z\n,,\n'
    expect(typesOf(await create('iso', 'csv', file))).toEqual({
      a: 'DATE',
      b: 'TIMESTAMP',
      c: 'TIMESTAMP WITH TIME ZONE',
    })
  })

  it.each(['csv', 'json'])('digits beyond BIGINT stay digits, %s', async (format) => {
    const numbers = ['12345678901234567890', '12345678901234567891', '123456789012345678901234567890', '5']
    const file =
      format === 'csv' ? `id\n${numbers.join('\n')}\n` : numbers.map((n) => `{"id":${n}}`).join('\n')
    const { columns, rows } = await create(`long_${format}`, format, file)
    expect(columns[0]?.type).toBe('HUGEINT')
    expect(rows.map(([id]) => String(id))).toEqual(numbers)
  })

  it('digits that no number holds beside fractions stay text', async () => {
    const { columns, rows } = await create('mixed', 'csv', 'id\n12345678901234567891\n1.5\n')
    expect(columns[0]?.type).toBe('VARCHAR')
    expect(rows).toEqual([['12345678901234567891'], ['1.5']])
  })

  it.each(['1.5', '01234', '12345678901234567890', '2024-01-01'])(
    'a late %s in a column of whole numbers is kept as it is',
    async (value) => {
      await service.query('DROP TABLE IF EXISTS wide')
      await create('wide', 'csv', `a\n${'1\n'.repeat(30_000)}${value}\n`)
      expect(
        (await service.query(`SELECT a::VARCHAR FROM wide WHERE a::VARCHAR NOT IN ('1', '1.0')`)).rows,
      ).toEqual([[value]])
    },
  )

  it('a late time in a column of dates is kept', async () => {
    await create('times', 'csv', `a\n${'2024-01-01\n'.repeat(30_000)}2024-01-01 10:00:00\n`)
    expect((await service.query('SELECT max(a)::VARCHAR FROM times')).rows).toEqual([['2024-01-01 10:00:00']])
  })
})
