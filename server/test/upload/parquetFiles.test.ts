import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, expect, it } from 'vitest'
import { basic } from '../fixtures/createService.js'
import { createUploads } from '../fixtures/createUploads.js'
import { useService } from '../fixtures/useService.js'

const service = useService()
const { upload, all } = createUploads(() => service)

const folder = mkdtempSync(join(tmpdir(), 'waymark-parquet-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Files that DuckDB does not write: pyarrow made them, uncompressed. */
const files = {
  /** 1.01 as a decimal of 40 digits. */
  decimal:
    'UEFSMRUAFS4VLiwVAhUAFQYVBhwAAAACAAAAAgEAAAAAAAAAAAAAAAAAAAAAZRUEGSw1ABgGc2NoZW1hFQIAFQ4VIhUCGAR3aWRlJQoVBBVQLFwVBBVQAAAAFgIZHBkcJgAcFQ4ZJQYAGRgEd2lkZRUAFgIWVBZUJghJHBUAFQAVAgA8KQYZJgACAAAAFlQWAiYIFlQAKCBwYXJxdWV0LWNwcC1hcnJvdyB2ZXJzaW9uIDI2LjAuMRkcHAAAAJAAAABQQVIx',
  case: 'UEFSMRUAFRQVFCwVAhUAFQYVBhwAAAACAAAAAgEBAAAAFQAVFBUULBUCFQAVBhUGHAAAAAIAAAACAQIAAAAVBBk8NQAYBnNjaGVtYRUEABUCJQIYAWEAFQIlAhgBQQAWAhkcGSwmABwVAhklBgAZGAFhFQAWAhY6FjomCEkcFQAVABUCADwpBhkmAAIAAAAmABwVAhklBgAZGAFBFQAWAhY6FjomQkkcFQAVABUCADwpBhkmAAIAAAAWdBYCJggWdAAoIHBhcnF1ZXQtY3BwLWFycm93IHZlcnNpb24gMjYuMC4xGSwcAAAcAAAArwAAAFBBUjE=',
  /** `a` and `A` within a struct. */
  nested:
    'UEFSMRUAFRwVHCwVAhUAFQYVBhwAAAACAAAAAgIBAAAAAAAAABUAFRwVHCwVAhUAFQYVBhwAAAACAAAAAgICAAAAAAAAABUEGUw1ABgGc2NoZW1hFQIANQIYAXMVBAAVBCUCGAFhABUEJQIYAUEAFgIZHBksJgAcFQQZJQYAGSgBcwFhFQAWAhZCFkImCEkcFQAVABUCADwpBhk2AAACAAAAJgAcFQQZJQYAGSgBcwFBFQAWAhZCFkImSkkcFQAVABUCADwpBhk2AAACAAAAFoQBFgImCBaEAQAoIHBhcnF1ZXQtY3BwLWFycm93IHZlcnNpb24gMjYuMC4xGSwcAAAcAAAAvwAAAFBBUjE=',
  /** Moments in nanoseconds: `t` needs them, `m` does not. */
  zoned:
    'UEFSMRUAFRwVHCwVAhUAFQYVBhwAAAACAAAAAgEVzcAIFxCmFxUAFRwVHCwVAhUAFQYVBhwAAAACAAAAAgEAysAIFxCmFxUEGTw1ABgGc2NoZW1hFQQAFQQlAhgBdGyMERw8AAAAAAAVBCUCGAFtbIwRHDwAAAAAABYCGRwZLCYAHBUEGSUGABkYAXQVABYCFkIWQiYISRwVABUAFQIAPCkGGSYAAgAAACYAHBUEGSUGABkYAW0VABYCFkIWQiZKSRwVABUAFQIAPCkGGSYAAgAAABaEARYCJggWhAEAKCBwYXJxdWV0LWNwcC1hcnJvdyB2ZXJzaW9uIDI2LjAuMRksHAAAHAAAAMMAAABQQVIx',
  /** Times of INT96: three rows of `t`, which needs nanoseconds, and of `m`, which does not. */
  int96:
    'UEFSMRUAFTwVPCwVBhUAFQYVBhwAAAACAAAAAwUVzVsHAAAAAJeKJQD//06RlE4AAIs9JQAVABU8FTwsFQYVABUGFQYcAAAAAgAAAAMDAMpbBwAAAACXiiUAAAAAAAAAAACMPSUAFQQZPDUAGAZzY2hlbWEVBAAVBiUCGAF0ABUGJQIYAW0AFgYZHBksJgAcFQYZJQYAGRgBdBUAFgYWYhZiJghJHBUAFQAVAgA8KQYZJgIEAAAAJgAcFQYZJQYAGRgBbRUAFgYWYhZiJmpJHBUAFQAVAgA8KQYZJgIEAAAAFsQBFgYmCBbEAQAoIHBhcnF1ZXQtY3BwLWFycm93IHZlcnNpb24gMjYuMC4xGSwcAAAcAAAAsQAAAFBBUjE=',
  /** Such times, without and with nanoseconds, in a list of structs, each with a text of bytes. */
  within:
    'UEFSMRUAFTQVNCwVBhUAFQYVBhwAAAACAAAABgAEAAAAA0QAAADKWwcAAAAAl4olABUAFSYVJiwVBhUAFQYVBhwAAAACAAAABgAEAAAAA0QAAAEAAABhFQQZbDUAGAZzY2hlbWEVAgA1AhgBbBUCFQZMPAAAADUEGARsaXN0FQIANQIYB2VsZW1lbnQVBAAVBiUCGAF4ABUMJQIYAWIAFgYZHBksJgAcFQYZJQYAGUgBbARsaXN0B2VsZW1lbnQBeBUAFgYWWhZaJghJHBUAFQAVAgA8KSYGABlWAgIAAAIAAAAmABwVDBklBgAZSAFsBGxpc3QHZWxlbWVudAFiFQAWBhZMFkwmYkkcFQAVABUCADwWAhkmBgAZVgICAAACAAAAFqYBFgYmCBamAQAoIHBhcnF1ZXQtY3BwLWFycm93IHZlcnNpb24gMjYuMC4xGSwcAAAcAAAAAgEAAFBBUjE=',
  cutWithin:
    'UEFSMRUAFTAVMCwVAhUAFQYVBhwAAAACAAAAAgACAAAAAgQVzVsHAAAAAJeKJQAVABUiFSIsFQIVABUGFQYcAAAAAgAAAAIAAgAAAAIEAQAAAGEVBBlsNQAYBnNjaGVtYRUCADUCGAFsFQIVBkw8AAAANQQYBGxpc3QVAgA1AhgHZWxlbWVudBUEABUGJQIYAXgAFQwlAhgBYgAWAhkcGSwmABwVBhklBgAZSAFsBGxpc3QHZWxlbWVudAF4FQAWAhZWFlYmCEkcFQAVABUCADwpJgIAGVYAAAAAAgAAACYAHBUMGSUGABlIAWwEbGlzdAdlbGVtZW50AWIVABYCFkgWSCZeSRwVABUAFQIAPBYCGSYCABlWAAAAAAIAAAAWngEWAiYIFp4BACggcGFycXVldC1jcHAtYXJyb3cgdmVyc2lvbiAyNi4wLjEZLBwAABwAAAACAQAAUEFSMQ==',
}
const bytesOf = (name: keyof typeof files) => Buffer.from(files[name], 'base64')

it.each([
  ['decimal', 'The column "wide" has decimals of 40 digits'],
  ['case', 'The fields "a" and "A" differ only in case.'],
  ['nested', 'The fields "a" and "A" differ only in case.'],
  ['cutWithin', 'The times of INT96 in the column "l" cannot be read exactly.'],
] as const)('refuses by name what would be read as something else: %s', async (name, reason) => {
  expect(await upload('never', 'mode=create', bytesOf(name))).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining(reason) },
  })
})

it('keeps nanoseconds of moments', async () => {
  expect(await upload('zoned', 'mode=create', bytesOf('zoned'))).toMatchObject({
    status: 200,
    body: {
      read_as: {
        columns: [
          { name: 't', type: 'TIMESTAMP_NS' },
          { name: 'm', type: 'TIMESTAMP WITH TIME ZONE' },
        ],
      },
    },
  })
  expect((await service.query('SELECT t::VARCHAR, m::VARCHAR FROM zoned')).rows).toEqual([
    ['2024-01-01 00:00:00.123456789', '2024-01-01 00:00:00.123456+00'],
  ])
})

it('keeps all of times of INT96, also within lists where they have no nanoseconds', async () => {
  expect(await upload('int96', 'mode=create', bytesOf('int96'))).toMatchObject({
    status: 200,
    body: {
      rows: 3,
      read_as: {
        columns: [
          { name: 't', type: 'TIMESTAMP_NS' },
          { name: 'm', type: 'TIMESTAMP' },
        ],
      },
    },
  })
  expect((await service.query('SELECT t::VARCHAR, m::VARCHAR FROM int96')).rows).toEqual([
    ['2024-01-01 00:00:00.123456789', '2024-01-01 00:00:00.123456'],
    [null, '1970-01-01 00:00:00'],
    ['1969-12-31 23:59:59.999999999', null],
  ])
  await service.query('CREATE TABLE coarse (t TIMESTAMP, m TIMESTAMP)')
  expect(await upload('coarse', 'mode=append', bytesOf('int96'))).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('would change') },
  })
  expect((await upload('within', 'mode=create', bytesOf('within'))).status).toBe(200)
  expect((await service.query('SELECT l::VARCHAR FROM within')).rows).toEqual([
    ["[{'x': '2024-01-01 00:00:00.123456', 'b': a}]"],
    [null],
    ['[]'],
  ])
})

it('refuses a file that is encrypted, and takes a csv file that begins alike', async () => {
  const start = Buffer.from('PARE*\0\0\0\u00e6\b/E', 'latin1')
  expect(await upload('never', 'mode=create', Buffer.concat([start, Buffer.from('PARE')]))).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('encrypted') },
  })
  expect(await upload('parents', 'mode=create', 'PARENT\n1\n')).toMatchObject({ status: 200 })
})

const query = (statement: string) =>
  fetch(`${service.url}/query`, {
    method: 'POST',
    headers: { authorization: basic },
    body: JSON.stringify({ statement, format: 'parquet' }),
  })

it('rounds fractions for columns of FLOAT, also within lists', async () => {
  const answer = await query('SELECT 0.1::DOUBLE AS a, [0.1::DOUBLE] AS l')
  const file = Buffer.from(await answer.arrayBuffer())
  await service.query('CREATE TABLE rounded (a FLOAT, l FLOAT[])')
  expect(await upload('rounded', 'mode=append', file)).toMatchObject({ status: 200, body: { rows: 1 } })
})

it.each([
  ['1.5', 'BIGINT'],
  ['9007199254740993', 'DOUBLE'],
  ['16777217::BIGINT', 'FLOAT'],
  ['3.255', 'DECIMAL(9,2)'],
  ["TIMESTAMP '2024-01-01 10:00:00'", 'DATE'],
  ['2', 'BOOLEAN'],
  ['[1.5]', 'INTEGER[]'],
  ["[TIMESTAMP_NS '2024-01-01 10:00:00.123456789']", 'TIMESTAMP[]'],
  ["{'a': 1, 'b': 2}", 'STRUCT(a INTEGER)'],
  ["TIMESTAMP_NS '2024-01-01 10:00:00.123456789'", 'TIMESTAMP'],
])('refuses %s for a column of %s, which would change it', async (value, type) => {
  const answer = await query(`SELECT ${value} AS a`)
  const file = Buffer.from(await answer.arrayBuffer())
  await service.query(`CREATE OR REPLACE TABLE exact (a ${type})`)
  expect(await upload('exact', 'mode=append', file)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('would change') },
  })
  expect(await all('exact')).toEqual([])
})

it.each([
  ["DATE '1582-10-04'", 'org.apache.spark.legacyDateTime', '', 400],
  ["[TIMESTAMP '1899-12-31 23:00:00']", 'org.apache.spark.legacyINT96', '', 400],
  ["DATE '0001-01-01'", 'org.apache.spark.version', '2.4.8', 400],
  ["DATE '1900-01-01'", 'org.apache.spark.legacyDateTime', '', 200],
  ["DATE '1582-10-04'", 'org.apache.spark.version', '3.5.9', 200],
])("refuses days that Spark's old calendar has otherwise: %s, %s %s", async (value, key, mark, status) => {
  const file = join(folder, 'old.parquet')
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(
    `COPY (SELECT ${value} AS day) TO '${file}' (FORMAT parquet, KV_METADATA {"${key}": '${mark}'})`,
  )
  connection.closeSync()
  instance.closeSync()
  const answer = await upload('old', 'mode=overwrite', readFileSync(file))
  expect(answer.status).toBe(status)
  if (status === 400)
    expect(answer.body).toMatchObject({
      message: expect.stringContaining('The column "day" has days before'),
    })
})
