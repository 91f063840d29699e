import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Volatility } from '../../../src/sql/cache/Volatility.js'
import { allowedFunctions } from '../../../src/sql/guard/allowed.js'
import { tokenize } from '../../../src/sql/text/tokenize.js'

let instance: DuckDBInstance
let one: DuckDBConnection
let other: DuckDBConnection
let volatility: Volatility
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:')
  one = await instance.connect()
  other = await instance.connect()
  volatility = await Volatility.open()
  await one.run('CREATE SEQUENCE counted')
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
    return JSON.stringify((await connection.runAndReadAll(sql)).getRowsJson())
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
  const [first = [], ...rest] = types.map(valuesOf)
  const width = Math.max(1, ...rest.map((values) => values.length))
  return first.flatMap((value) =>
    Array.from({ length: width }, (_, at) => {
      const others = rest.map((values) => values[Math.min(at, values.length - 1)])
      return `${quoted}(${[value, ...others].join(', ')})`
    }),
  )
}

/** How many calls of one function are looked at. */
const enough = 3

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
    for (const call of callsOf(name, types ?? [])) {
      statements.add(type.startsWith('table') ? `FROM ${call} LIMIT 50` : `SELECT ${call}`)
    }
  }
  const nameOf = (statement: string) => /"([^"]+)"/.exec(statement)?.[1] ?? ''
  const first = new Map<string, string>()
  const tried = new Map<string, number>()
  for (const statement of statements) {
    const name = nameOf(statement)
    const times = tried.get(name) ?? 0
    if (times === enough || (await isVolatile(statement))) continue
    const answer = await answerOf(one, statement)
    if (answer === undefined) continue
    first.set(statement, answer)
    tried.set(name, times + 1)
  }
  // The clock has moved on, and so has the sequence; DuckDB would also draw other numbers.
  await delay(5)
  await other.run(`SELECT nextval('counted'), random()`)
  const differing = []
  for (const [statement, answer] of first) {
    if ((await answerOf(other, statement)) !== answer) differing.push(statement)
  }
  expect(differing).toEqual([])
  // Fewer would mean that the samples fit hardly any function any more.
  expect(tried.size).toBeGreaterThan(450)
})

it('knows each function that answers by clock, chance, sequence or connection', async () => {
  const found = []
  for (const name of allowedFunctions) if (await isVolatile(`SELECT ${name}()`)) found.push(name)
  expect(found.toSorted()).toEqual(expected.toSorted())
})

/** A new one must be looked at: DuckDB, or a macro of its, may have become volatile. */
const expected = `
age ago collations current_catalog current_connection_id current_database current_date current_localtime
current_localtimestamp current_query current_query_id current_schema current_schemas current_setting
current_transaction_id currval database_size duckdb_columns duckdb_constraints duckdb_dependencies
duckdb_functions duckdb_indexes duckdb_keywords duckdb_schemas duckdb_sequences duckdb_tables
duckdb_types duckdb_variables duckdb_views format_type functions gen_random_uuid get_block_size
get_current_time get_current_timestamp getvariable histogram histogram_values icu_calendar_names
in_search_path  list_histogram nextval now pg_conf_load_time pg_get_constraintdef
pg_get_viewdef pg_postmaster_start_time pg_timezone_names platform pragma_collations pragma_database_size
pragma_platform pragma_show pragma_storage_info pragma_table_info pragma_user_agent pragma_version random
setseed show show_databases show_tables show_tables_expanded stats storage_info summary table_info
test_all_types test_vector_types today transaction_timestamp txid_current user_agent uuid uuidv4 uuidv7
version
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
