import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Volatility } from '../../../src/sql/cache/Volatility.js'
import { allowedFunctions } from '../../../src/sql/guard/allowed.js'
import { tokenize } from '../../../src/sql/guard/tokenize.js'

let instance: DuckDBInstance
let one: DuckDBConnection
let other: DuckDBConnection
let volatility: Volatility
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:')
  one = await instance.connect()
  other = await instance.connect()
  volatility = await Volatility.open(one)
  await one.run('CREATE SEQUENCE counted; CREATE TABLE t (a INTEGER); SELECT 1')
  // What belongs to a connection differs between the two.
  for (const [at, connection] of [one, other].entries()) {
    await connection.run(`CREATE TEMP TABLE own_${at} AS SELECT ${at} AS a`)
    await connection.run(`SET VARIABLE a = ${at}`)
    await connection.run(`SELECT nextval('counted')`)
  }
})
afterAll(() => instance.closeSync())

const isVolatile = (sql: string) => volatility.isVolatile(one, tokenize(sql).tokens)

/** The answer as text, or undefined when the call fails. */
const answerOf = async (connection: DuckDBConnection, sql: string): Promise<string | undefined> => {
  try {
    const { columnNamesAndTypesJson } = { columnNamesAndTypesJson: undefined }
    const reader = await connection.runAndReadAll(sql)
    return JSON.stringify([columnNamesAndTypesJson, reader.getRowsJson()])
  } catch {
    return undefined
  }
}

const samples: Record<string, string[]> = {
  VARCHAR: [`'a'`, `'counted'`, `'main'`, `'TimeZone'`, `'2026-01-02'`, `'day'`, `'{"a":1}'`, `'threads'`],
  BOOLEAN: ['true'],
  DATE: [`DATE '2020-02-03'`],
  TIMESTAMP: [`TIMESTAMP '2020-02-03 04:05:06'`],
  'TIMESTAMP WITH TIME ZONE': [`TIMESTAMPTZ '2020-02-03 04:05:06+00'`],
  TIME: [`TIME '04:05:06'`],
  INTERVAL: [`INTERVAL 3 DAY`],
  UUID: [`'019cbf18-2fc4-7bb8-8b57-d5a0ee4f0ce1'::UUID`],
  JSON: [`'{"a":1}'::JSON`],
  BLOB: [`'\\xAA'::BLOB`],
  BIT: [`'101'::BIT`],
}
const listed = ['[3, 1, 2]', `['b', 'a']`]
/** Values to try for a parameter of a type; numbers fit most others. */
const valuesOf = (type: string | null): string[] => {
  if (type?.endsWith('[]') === true) return listed
  if (type?.startsWith('MAP') === true) return [`MAP {'a': 1}`]
  return samples[type ?? ''] ?? ['2', `'a'`, ...listed, `TIMESTAMP '2020-02-03'`, `{'a': 1}`]
}

/** Calls with each sample for the first parameter, and with the first that fit for the others. */
const callsOf = (name: string, types: (string | null)[]): string[] => {
  const quoted = `"${name}"`
  if (types.length === 0) return [`${quoted}()`]
  const [first, ...rest] = types.map(valuesOf)
  const width = Math.max(1, ...rest.map((values) => values.length))
  return first!.flatMap((value) =>
    Array.from({ length: width }, (_, at) => {
      const others = rest.map((values) => values[Math.min(at, values.length - 1)])
      return `${quoted}(${[value, ...others].join(', ')})`
    }),
  )
}

it('every function that is allowed gives the same a moment later on another connection, or is volatile', async () => {
  const reader = await one.runAndReadAll(
    `SELECT DISTINCT lower(function_name), function_type, CAST(parameter_types AS VARCHAR[]) FROM duckdb_functions()
     WHERE internal AND function_type <> 'pragma' AND regexp_matches(function_name, '^[a-z_0-9]+$')`,
  )
  const functions = (reader.getRowsJson() as unknown as [string, string, (string | null)[]][]).filter(
    ([name]) => allowedFunctions.has(name),
  )
  const statements = new Set<string>()
  for (const [name, type, types] of functions) {
    // The second argument of some makes as many rows or signs as it says.
    for (const call of callsOf(name, types ?? [])) {
      statements.add(type.startsWith('table') ? `FROM ${call} LIMIT 50` : `SELECT ${call}`)
    }
  }
  const first = new Map<string, string>()
  for (const statement of statements) {
    if (await isVolatile(statement)) continue
    const answer = await answerOf(one, statement)
    if (answer !== undefined) first.set(statement, answer)
  }
  // The clock has moved on, and so has the sequence; DuckDB would also draw other numbers.
  await delay(5)
  await other.run(`SELECT nextval('counted'), random()`)
  const differing = []
  for (const [statement, answer] of first) {
    if ((await answerOf(other, statement)) !== answer) differing.push(statement)
  }
  expect(differing).toEqual([])
  const tried = new Set([...first.keys()].map((statement) => /"([^"]+)"/.exec(statement)![1]))
  // Fewer would mean that the samples fit hardly any function any more.
  expect(tried.size).toBeGreaterThan(550)
}, 120_000)

it('knows each function that answers by clock, chance, sequence or connection', async () => {
  const found = []
  for (const name of allowedFunctions) if (await isVolatile(`SELECT ${name}()`)) found.push(name)
  expect(found.toSorted()).toEqual(expected.toSorted())
})

const expected = `
age
`
  .trim()
  .split(/\s+/)

it('finds every word that calls such a function without brackets', async () => {
  const missed = []
  for (const name of allowedFunctions) {
    if (!/^[a-z_0-9]+$/.test(name) || !(await isVolatile(`SELECT ${name}()`))) continue
    const runs = (await answerOf(one, `SELECT ${name}`)) !== undefined
    if (runs && !(await isVolatile(`SELECT ${name}`))) missed.push(name)
  }
  expect(missed).toEqual([])
  for (const word of ['current_timestamp', 'current_time', 'localtime', 'LOCALTIMESTAMP'])
    expect(await isVolatile(`SELECT ${word}`)).toBe(true)
})

it('takes a column for one, unless it is called like a volatile view', async () => {
  expect(await isVolatile('SELECT age, today, random FROM people')).toBe(false)
  expect(await isVolatile('SELECT schemata FROM people')).toBe(true)
})
