import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readKnown } from '../../src/upload/textTypes.js'

let connection: DuckDBConnection
beforeAll(async () => {
  const instance = await DuckDBInstance.create(':memory:')
  connection = await instance.connect()
})
afterAll(() => connection.closeSync())

/** What a column of a table that exists gets from a text, as a text again. */
const read = async (type: string, text: string, hasComma = false) => {
  const { value } = readKnown({ name: 'a', type }, hasComma)
  const reader = await connection.runAndReadAll(`SELECT (${value})::VARCHAR FROM (SELECT $text AS a)`, {
    text,
  })
  return reader.getRows()[0]?.[0]
}

describe('a text for a column of a table that exists', () => {
  it.each([
    ['DOUBLE[]', '[1.5, 2]', '[1.5, 2.0]'],
    ['FLOAT[2]', '[1.5, 2]', '[1.5, 2.0]'],
    ['DECIMAL(9,2)[]', '[1.5]', '[1.50]'],
    ['TIMESTAMP[]', '[2024-01-02 10:00:00]', "['2024-01-02 10:00:00']"],
    ['STRUCT(a DOUBLE)[]', "[{'a': 1.5}]", "[{'a': 1.5}]"],
    ['FLOAT', '16777216', '16777216.0'],
    ['DOUBLE', '9007199254740992', '9007199254740992.0'],
    // JavaScript writes these numbers so.
    ['DOUBLE', '1234567890123456800', '1.2345678901234568e+18'],
    ['DOUBLE', '100000000000000000000', '1e+20'],
    ['BIGINT', '9007199254740993.0', '9007199254740993'],
    ['BIGINT', '1.5e1', '15'],
  ])('is read as %s: %s', async (type, text, value) => {
    expect(await read(type, text)).toBe(value)
  })

  it.each([
    ['FLOAT', '16777217', 'more digits'],
    ['DOUBLE', '-9007199254740993', 'more digits'],
    ['DOUBLE', '1234567890123456789012345678901234567891', 'more digits'],
    ['BIGINT', '9007199254740993.5', 'no whole number'],
    ['BIGINT', '1.55e1', 'no whole number'],
    ['DECIMAL(9,2)', '3.255', 'has more digits'],
    ['DOUBLE', '1E500', 'beyond the range'],
    ['DATE', '2024-01-02 10:00:00', 'more exact'],
    ['TIMESTAMP', '2024-01-02 10:00:00.1234567', 'more exact'],
    ['TIMESTAMP_S', '2024-01-02 10:00:00.5', 'more exact'],
    ['TIME', '10:00:00.1234567', 'more exact'],
  ])('is refused for %s where it would change: %s', async (type, text, named) => {
    await expect(read(type, text)).rejects.toThrow(named)
  })

  it.each(['DOUBLE', 'DECIMAL(9,3)'])('has no point where others have a comma, %s', async (type) => {
    expect(Number(await read(type, '1,234', true))).toBe(1.234)
    await expect(read(type, '1.234', true)).rejects.toThrow('has a point where others have a comma')
    await expect(read(type, '1.234,5', true)).rejects.toThrow('has a point where others have a comma')
  })
})
