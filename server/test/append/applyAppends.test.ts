import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { applyAppends } from '../../src/append/applyAppends.js'
import { describeFields } from '../../src/append/describeFields.js'
import { type LogEntry, rowsOf } from '../../src/wal/segment.js'
import { rounds } from '../fixtures/share.js'

let instance: DuckDBInstance
let connection: DuckDBConnection
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:')
  connection = await instance.connect()
})
afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

/** The entries of a log, one for each request, whose records have the field `a`. */
const entriesOf = (requests: readonly (readonly string[])[]): LogEntry[] => {
  let first = 0
  return requests.map((values) => {
    const body = `[${values.map((value) => `{"a":${value}}`).join(',')}]`
    const fields = describeFields(JSON.parse(body) as Record<string, unknown>[], body)
    const target = JSON.stringify({ schema: 'main', table: 'made', fields })
    const entry = {
      kind: 'append',
      count: values.length,
      receivedAtMs: 0,
      body: Buffer.from(body),
      target,
      first,
    }
    first += values.length
    return entry
  })
}

const apply = applyAppends('memory')

/** Stores entries in one transaction, or, when that fails, their halves. Gives the rows that no transaction takes. */
const store = async (entries: readonly LogEntry[]): Promise<string[]> => {
  await connection.run('BEGIN')
  try {
    await apply(connection, entries)
    await connection.run('COMMIT')
    return []
  } catch {
    await connection.run('ROLLBACK')
    const only = entries.length === 1 ? entries[0] : undefined
    if (only?.isAlone) return [only.body.toString()]
    const parts = only === undefined ? entries : rowsOf(only)
    const middle = parts.length >> 1
    const before = middle === 0 ? [] : await store(parts.slice(0, middle))
    return [...before, ...(await store(parts.slice(middle)))]
  }
}

/** What comes of requests that are stored in batches of these sizes. */
const outcome = async (requests: readonly (readonly string[])[], sizes: readonly number[]) => {
  await connection.run('DROP TABLE IF EXISTS made')
  const aside: string[] = []
  const left = entriesOf(requests)
  for (const size of sizes) if (left.length > 0) aside.push(...(await store(left.splice(0, size))))
  if (left.length > 0) aside.push(...(await store(left)))
  const rows = await connection.runAndReadAll('SELECT typeof(a), a::VARCHAR FROM made ORDER BY rowid').then(
    (reader) => reader.getRows(),
    () => [],
  )
  return { aside, rows }
}

it.each([
  [['1'], ['18446744073709551616'], 'BIGINT'],
  [['1'], ['1.5'], 'DOUBLE'],
  [['1152921504606846976'], ['1.5'], 'BIGINT'],
  [['18446744073709551616', '1'], ['2'], 'HUGEINT'],
  [['"2024-01-01T00:00:00Z"'], ['"soon"'], 'TIMESTAMP'],
  [['"soon"'], ['"2024-01-01T00:00:00Z"'], 'VARCHAR'],
  [['null'], ['{}'], 'JSON'],
])('a column has the type of the first request with a value: %j, then %j', async (first, second, type) => {
  const { rows } = await outcome([first, second], [2])
  expect(rows[0]?.[0]).toBe(type)
})

it('stores requests the same in whatever batches they come', async () => {
  const numbers = [
    '1',
    '1.0',
    '1.5',
    '9007199254740993',
    '1152921504606846976',
    '18446744073709551616',
    'true',
  ]
  const others = ['"soon"', '"2024-01-01T00:00:00Z"', '{}', '[1]', '1']
  const requestOf = (values: readonly string[]) =>
    fc.array(fc.constantFrom('null', ...values), { minLength: 1, maxLength: 3 }).filter((request) => {
      return request.some((value) => value !== 'null')
    })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(numbers, others).chain((values) => {
        return fc.array(requestOf(values), { minLength: 2, maxLength: 5 })
      }),
      fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 4 }),
      async (requests, sizes) => {
        const alone = await outcome(
          requests,
          requests.map(() => 1),
        )
        expect(await outcome(requests, sizes)).toEqual(alone)
      },
    ),
    { numRuns: rounds(160) },
  )
})
