import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, describe, expect, it } from 'vitest'
import { readText } from '../../../src/sql/rows/streamRows.js'

let connection: DuckDBConnection
beforeAll(async () => {
  const instance = await DuckDBInstance.create(':memory:')
  connection = await instance.connect()
  await connection.run(`CREATE TABLE texts AS SELECT i, repeat(chr(97 + (i % 26)::INT), (i * 7919 % 41)::INT) AS text
    FROM range(20000) r(i)`)
})

/** The first column as readText gives it, and as the library gives it text by text. */
const readBoth = async (sql: string) => {
  const result = await connection.stream(sql)
  const [ours, theirs]: [Buffer[], string[]] = [[], []]
  for (;;) {
    const chunk = await result.fetchChunk()
    if (chunk === null || chunk.rowCount === 0) break
    ours.push(readText(chunk, chunk.rowCount))
    theirs.push(...(chunk.getColumnValues(0) as string[]))
  }
  return { ours: Buffer.concat(ours).toString(), theirs: theirs.join('') }
}

describe('readText', () => {
  it.each([
    ['made in the query', `SELECT 'a text longer than twelve bytes ' || i || chr(10) FROM range(50000) r(i)`],
    ['of every length, the empty one included', `SELECT text FROM texts`],
    ['short enough to lie in the vector', `SELECT (i % 1000)::VARCHAR || chr(10) FROM range(9000) r(i)`],
    [
      'around the length where they leave the vector',
      `SELECT repeat('é', (4 + i % 5)::INT) FROM range(99) r(i)`,
    ],
    ['beyond ASCII', `SELECT 'žluťoučký kůň 😀 ' || i FROM range(5000) r(i)`],
    ['that lie apart, in another order', `SELECT text FROM texts WHERE i % 3 = 1 ORDER BY hash(i)`],
    ['that are one and the same', `SELECT 'the same text for every single row' FROM range(5000)`],
    ['out of a dictionary', `SELECT t FROM (SELECT text AS t FROM texts WHERE i < 40) CROSS JOIN range(100)`],
    [
      'with a row between that is of two tables',
      `SELECT text FROM texts WHERE i < 9 UNION ALL SELECT 'x' || text FROM texts`,
    ],
    ['of a megabyte', `SELECT repeat('m', 1000000) || i FROM range(5) r(i)`],
  ])('gives texts %s', async (_, sql) => {
    const { ours, theirs } = await readBoth(sql)
    expect(ours === theirs).toBe(true)
    expect(theirs.length).toBeGreaterThan(0)
  })

  it('gives as many as are asked for', async () => {
    const result = await connection.stream(`SELECT 'a long enough line ' || i FROM range(3) r(i)`)
    const chunk = (await result.fetchChunk())!
    expect(readText(chunk, 2).toString()).toBe('a long enough line 0a long enough line 1')
    expect(readText(chunk, 0)).toHaveLength(0)
  })
})
