import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, it } from 'vitest'
import { stageFile } from '../../src/upload/stageFile.js'
import { basic } from '../fixtures/createService.js'
import { createUploads } from '../fixtures/createUploads.js'
import { useService } from '../fixtures/useService.js'

const service = useService()
const { upload, all } = createUploads(() => service)

const create = async (format: string, file: string | Buffer) => {
  await service.query('DROP TABLE IF EXISTS made')
  return upload('made', `mode=create&format=${format}`, file)
}

const expectRefusal = async (format: string, file: string | Buffer, reason: string) => {
  const answer = await create(format, file)
  expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(reason) } })
  expect(String(answer.body['message'])).not.toMatch(/\n|sniff|dialect|maximum_/)
  expect((await service.query('FROM made')).status).toBe(400)
}

/** DuckDB's reader takes 32 MB at a time, and left out a last row that did not fit. */
const huge = 33_000_000

describe('a row of a csv file that is too long', () => {
  const reason = 'has more than 2,000,000 bytes'
  it.each([
    ['plain', `1,${'x'.repeat(huge)}`],
    ['quoted', `1,"${'x'.repeat(2_000_000)}"`],
  ])('is refused with its number wherever it stands, %s', async (_, long) => {
    for (const [file, row] of [
      [`a,b\n${long}\n2,b\n3,c\n`, 2],
      [`a,b\r\n2,b\r\n\r\n${long}\r\n3,c\r\n`, 4],
      [`a,b\n2,b\n3,c\n${long}\n`, 4],
      [`a,b\n2,b\n3,c\n${long}`, 4],
      [`a,b\n${long}`, 2],
    ] as const)
      await expectRefusal('csv', file, `Row ${row} ${reason}`)
  })

  it('is refused in a table that is there, too', async () => {
    await service.query('CREATE TABLE there (a INT, b VARCHAR)')
    expect(
      await upload('there', 'mode=append&format=csv', `a,b\n1,b\n2,${'x'.repeat(huge)}\n`),
    ).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(`Row 3 ${reason}`) },
    })
    expect(await all('there')).toEqual([])
  })

  it('begins after two million bytes, the line end not counted', async () => {
    const lengths = 'SELECT a, strlen(b) FROM made ORDER BY a'
    for (const end of ['\n', '\r\n', '']) {
      expect(await create('csv', `a,b\n2,b\n1,${'x'.repeat(1_999_998)}${end}`)).toMatchObject({
        status: 200,
        body: { rows: 2 },
      })
      expect((await service.query(lengths)).rows).toEqual([
        [1, 1_999_998],
        [2, 1],
      ])
      await expectRefusal('csv', `a,b\n2,b\n1,${'x'.repeat(1_999_999)}${end}`, `Row 3 ${reason}`)
    }
  })

  it('is none where a text has many short lines', async () => {
    const text = 'x\n'.repeat(900_000)
    expect(await create('csv', `a,b\n1,"${text}"\n2,b\n`)).toMatchObject({ status: 200, body: { rows: 2 } })
    expect((await service.query('SELECT strlen(b) FROM made WHERE a = 1')).rows).toEqual([[1_800_000]])
  })
})

describe('a csv file', () => {
  it('keeps NUL bytes within fields', async () => {
    expect(await create('csv', 'a,b\n1,x\0y\n2,"\0"\n3,z\0')).toMatchObject({ body: { rows: 3 } })
    expect(await all('made')).toEqual([
      [1, 'x\0y'],
      [2, '\0'],
      [3, 'z\0'],
    ])
  })

  it.each([
    ['in its header', 'a,\xe9\n1,x\n', 1],
    ['in a text', 'a,b\n1,x\n2,"\xe9"\n3,x\n', 3],
    ['far down', `a,b\n${'1,x\n'.repeat(300_000)}2,\xe9\n${'1,x\n'.repeat(300_000)}`, 300_002],
    ['in its last row', 'a,b\n1,x\n2,\xe9', 3],
    ['cut off in its last character', 'a,b\n1,x\n2,\xe2\x82', 3],
  ])('that is not UTF-8 is refused with the row: %s', async (_, file, row) => {
    const reason = `Row ${row} holds bytes that are not UTF-8.`
    await expectRefusal('csv', Buffer.from(file, 'latin1'), reason)
  })

  it.each([
    ['a,b\n1,x\n2,"y\n', 'ends within quotes'],
    ['a,b\n1,x\n"2', 'ends within quotes'],
    ['a,b\n1,x\n2', 'Row 3 has 1 fields'],
    ['a,b\n1,x\n\0\n', 'Row 3 has 1 fields'],
    ['a,b\n1,x\n2,"y"z\n', 'Row 3 has text behind the quotes'],
  ])('whose end is no whole row is refused: %j', (file, reason) => expectRefusal('csv', file, reason))

  it.each(['a,b', 'a,b\r\n', 'a\n'])('of a header alone has no rows: %j', async (file) => {
    expect(await create('csv', file)).toMatchObject({ status: 200, body: { rows: 0 } })
    expect(await all('made')).toEqual([])
  })

  it.each([
    ['a\n1\n\n2\n\n\n', [[1], [2], [null], [null], [null]]],
    ['a\n\n', [[null]]],
    ['a\n1\n\n2', [[1], [2], [null]]],
    [
      'a,b\n\n\n1,2\n\n,\n\n',
      [
        [1, 2],
        [null, null],
      ],
    ],
  ])('of blank lines has a row for each in one column, and none in several: %j', async (file, rows) => {
    expect(await create('csv', file)).toMatchObject({ status: 200, body: { rows: rows.length } })
    expect(await all('made')).toEqual(rows)
  })
})

describe('a JSON file', () => {
  const reason = 'has more than 16,000,000 bytes'
  const record = (bytes: number) => JSON.stringify({ a: 'x'.repeat(bytes - 8) })

  it('with a record that is too long is refused with its number, wherever it stands', async () => {
    for (const [file, at] of [
      [`${record(huge)}\n{"a":"1"}\n`, 1],
      [`{"a":"1"}\n{"a":"2"}\n${record(huge)}\n`, 3],
      [`{"a":"1"}\n{"a":"2"}\n${record(huge)}`, 3],
      [`[{"a":"1"},${record(huge)}]`, 2],
    ] as const)
      await expectRefusal('json', file, `Record ${at} ${reason}`)
  })

  it('may have records of sixteen million bytes, whole in the table', async () => {
    for (const end of ['\n', '']) {
      const file = `{"a":"1"}\n{"a":"2"}\n${record(16_000_000)}${end}`
      expect(await create('json', file)).toMatchObject({ status: 200, body: { rows: 3 } })
      expect((await service.query('SELECT max(strlen(a)) FROM made')).rows).toEqual([[15_999_992]])
    }
  })

  it.each([
    '{"a":"1"}\n{"a":"2',
    '{"a":"1"}\n{"a":"2"',
    '{"a":"1"}\n{"a":',
    '{"a":"1"}\n{',
    '{"a":"1"}\n{"a":"2"}\ntru',
    '{"a":"1"}\n{"a":"2"}\n\0',
    '{"a":"1"}\n{"a":"2\0"}\n',
    '{"a":"1"}\n{"a":"\xe9"}\n',
    '{"a":"1"}\n[{"a":"2"}]\n',
    '[{"a":"1"}]\n{"a":"2"}\n',
    '[{"a":"1"}]\n[{"a":"2"}]\n',
    '[{"a":"1"},{"a":"2"}',
    '{"a":"1"}\nnull\n',
  ])('whose end is no whole record is refused: %j', async (file) => {
    await expectRefusal('json', Buffer.from(file, 'latin1'), ' ')
  })

  it.each([
    '{"a":"1"}\r\n{"a":"2"}\r\n',
    '{"a":"1"} {"a":"2"}',
    '\n\n{"a":"1"}\n\n{\n"a":\n"2"}\n\n',
    '[{"a":"1"},{"a":"2"}]',
    '[{"a":"1"},{"a":"2","b":[{},[{"c":"}"}]]}]',
  ])('has each of its records in the table: %j', async (file) => {
    expect(await create('json', file)).toMatchObject({ status: 200, body: { rows: 2 } })
    expect((await service.query('SELECT a FROM made ORDER BY a')).rows).toEqual([['1'], ['2']])
  })
})

describe('a parquet file', () => {
  it('that was cut off is refused, also where its end was put behind the cut', async () => {
    const response = await fetch(`${service.url}/query`, {
      method: 'POST',
      headers: { authorization: basic },
      body: JSON.stringify({
        statement: `SELECT range AS a, md5(range::VARCHAR) AS b FROM range(300000)`,
        format: 'parquet',
      }),
    })
    const file = Buffer.from(await response.arrayBuffer())
    expect(await create('parquet', file)).toMatchObject({ status: 200, body: { rows: 300_000 } })
    for (const share of [0.1, 0.5, 0.9, 0.999]) {
      const cut = file.subarray(0, Math.floor(file.length * share))
      await expectRefusal('parquet', cut, 'its end is missing')
      const mended = Buffer.concat([cut, file.subarray(-8)])
      await expectRefusal('parquet', mended, ' ')
    }
  })
})

it('a file of which DuckDB reads fewer rows than there are is refused', async () => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const file = join(service.folder, 'two-rows')
  writeFileSync(file, 'a\n1\n2\n')
  const dialect = { delimiter: ',', header: true, firstRow: 1 }
  const given = { file, format: 'csv', names: ['a'], dialect, known: undefined, maxColumns: 1 } as const
  expect(await stageFile(connection, 'stage', { ...given, rows: 2 })).toMatchObject({ rows: 2 })
  await expect(stageFile(connection, 'stage', { ...given, rows: 3 })).rejects.toThrow(
    'The file has 3 rows, of which 2 could be read. Nothing was stored.',
  )
  connection.closeSync()
  instance.closeSync()
})
