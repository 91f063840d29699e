import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { dialectNames } from '../../../src/sql/dialects/dialects.js'
import { readDialect } from '../../../src/sql/dialects/Translator.js'
import { seedShop } from '../../fixtures/seedShop.js'
import { useService } from '../../fixtures/useService.js'

/**
 * A file for each dialect: a statement, one in DuckDB's SQL that must give the same rows, and for what fails a part of
 * the message, or `other rows`. A blank line stands between them.
 */
const readTable = (dialect: string) => {
  const path = new URL(`statements/${dialect}.txt`, import.meta.url)
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n\n')
    .map((block) => {
      const [theirs = '', ours = '', fails] = block.split('\n')
      return { theirs, ours, becomes: fails?.replace(/^fails: /, '') }
    })
}
const table = dialectNames.map((dialect) => [dialect, readTable(dialect)] as const)

const service = useService()
beforeAll(async () => {
  await seedShop(service, Date.UTC(2026, 0, 15, 12))
})

/**
 * The rows as CSV, in which JSON has its quotes, and in their order only where that was asked for; or the message of
 * the error.
 */
const ask = async (statement: string, isOrdered: boolean, dialect?: string) => {
  const { type, bytes } = await service.download(statement, { dialect, format: 'csv' })
  const text = bytes.toString()
  if (type?.includes('json')) return (JSON.parse(text) as { message: string }).message
  const rows = text.trimEnd().split('\n').slice(1)
  return isOrdered ? rows : rows.toSorted()
}
const endsInOrder = (statement: string) => /ORDER BY [^()]*$/i.test(statement)

describe.each(table)('%s', (dialect, statements) => {
  it.each(statements)('$theirs', async ({ theirs, ours, becomes }) => {
    const rows = await ask(ours, endsInOrder(ours))
    expect(rows).toBeInstanceOf(Array)
    const found = await ask(theirs, endsInOrder(ours), dialect)
    if (becomes === undefined) expect(found).toEqual(rows)
    // What gives other rows is named in docs/sql.md. When the transpiler learns it, its line goes from both.
    else if (becomes === 'other rows') {
      expect(found).toBeInstanceOf(Array)
      expect(found).not.toEqual(rows)
    } else expect(found).toContain(becomes)
  })
})

it('the table has statements of every dialect', () => {
  for (const [dialect, statements] of table)
    expect([dialect, statements.length > 14]).toEqual([dialect, true])
  expect(table.flatMap(([, statements]) => statements).length).toBeGreaterThan(200)
})

describe('the name of a dialect', () => {
  it.each([null, undefined, 'duckdb', 'DuckDB'])('%s is none', (name) => {
    expect(readDialect(name)).toBeUndefined()
  })

  it.each([
    ['Postgres', 'postgresql'],
    ['BIGQUERY', 'bigquery'],
  ])('%s is found in any case', (name, found) => {
    expect(readDialect(name)).toBe(found)
  })

  it.each(['db2', '', 'toString', 'generic'])(
    '%j is refused by the names that there are',
    async (dialect) => {
      for (const path of ['/query', '/validate', '/explain', '/autocomplete']) {
        expect(await service.ask(path, { statement: 'SELECT 1', dialect }), path).toMatchObject({
          status: 400,
          body: {
            error: 'invalid-request',
            message: expect.stringContaining('There are: duckdb, bigquery, '),
          },
        })
      }
    },
  )

  it('is a text', async () => {
    for (const path of ['/query', '/validate', '/explain', '/autocomplete']) {
      expect(await service.ask(path, { statement: 'SELECT 1', dialect: 5 }), path).toMatchObject({
        status: 400,
        body: { error: 'invalid-body', message: expect.stringContaining('dialect') },
      })
    }
  })
})

describe('a statement in another dialect', () => {
  const dialect = 'mysql'
  const statement = "SELECT IFNULL(NULL, 'x') AS `a`"
  const translated = `SELECT COALESCE(NULL, 'x') AS "a"`

  it('is in the answer as it was run, and so it is in the log', async () => {
    const { head, rows } = await service.query(statement, { dialect })
    expect([head['statement'], rows]).toEqual([translated, [['x']]])
    expect((await service.get(`/query/${String(head['query_id'])}`)).body).toMatchObject({
      query: translated,
    })
  })

  it('runs by GET', async () => {
    const search = new URLSearchParams({ statement, dialect, format: 'jsonl' })
    expect((await service.get(`/query?${search.toString()}`)).body).toEqual({ a: 'x' })
  })

  it('is shown by /validate and /explain as it would be run', async () => {
    expect((await service.ask('/validate', { statement, dialect })).body).toMatchObject({
      statement: translated,
      valid: true,
    })
    expect((await service.ask('/explain', { statement, dialect })).body).toMatchObject({
      statement: translated,
      error: null,
    })
  })

  it('that cannot be read is refused where it goes wrong, in its own text', async () => {
    const wrong = 'SELECT a,\n`b` FROM (SELECT'
    const message =
      "The statement cannot be read as MySQL, line 2, column 17: Expected RParen, got end of input ('') near [FROM (SELECT]. So it was not translated, and not run.\n\nLINE 2: `b` FROM (SELECT\n                        ^"
    expect(await service.query(wrong, { dialect })).toMatchObject({ status: 400, error: { message } })
    expect(await service.ask('/validate', { statement: wrong, dialect })).toMatchObject({
      status: 200,
      body: { statement: wrong, valid: false, error: message },
    })
    expect(await service.ask('/explain', { statement: wrong, dialect, include_plan: true })).toMatchObject({
      status: 200,
      body: { statement: wrong, error: message, plan: null, tables: [] },
    })
  })

  it('is one statement, and has no parameters', async () => {
    expect((await service.query('SELECT 1; SELECT 2', { dialect })).error).toMatchObject({
      message: 'Send one statement at a time, not 2.',
    })
    expect((await service.query('SELECT ?', { dialect })).error).toMatchObject({
      message: 'The statement has parameters; write the values.',
    })
    expect((await service.query('-- nothing', { dialect })).error).toMatchObject({
      message: 'The statement is empty.',
    })
    expect((await service.query('SELECT 1 -- */ one', { dialect })).rows).toEqual([[1]])
  })

  it('has the formats of TO_CHAR that strftime can write, and is refused with others', async () => {
    const write = (format: string) =>
      service.query(`SELECT to_char(TIMESTAMP '2026-01-05 13:04:05', '${format}') AS written`, {
        dialect: 'postgresql',
      })
    expect((await write('"day" DDD, Dy Mon DD YYYY HH12:MI:SS AM')).rows).toEqual([
      ['day 005, Mon Jan 05 2026 01:04:05 PM'],
    ])
    for (const format of ['Month', 'MON', 'FMDD', 'am', '999D9', '"%"']) {
      expect((await write(format)).error?.['message']).toContain(
        `line 1, column 49: the format ${format} of to_char cannot be translated`,
      )
    }
  })

  it('of ClickHouse is read to its end, though its reader skips what it does not know', async () => {
    for (const [more, column] of [
      ['b c', 19],
      ["WHERE n = 1 'x' AND n = 2", 29],
      ['LIMIT 5 b', 25],
    ] as const) {
      const { error } = await service.query(`SELECT n FROM t ${more}`, { dialect: 'clickhouse' })
      expect(error?.['message']).toContain(`cannot be read as ClickHouse, line 1, column ${column}: `)
    }
    const { error } = await service.query('DELETE FROM t', { dialect: 'clickhouse' })
    expect(error?.['message']).toContain('only SELECT and WITH are translated')
    expect((await service.query('SELECT 1 AS n; -- one', { dialect: 'clickhouse' })).rows).toEqual([[1]])
  })

  it('is completed by names, which all dialects share, and by no word of DuckDB’s', async () => {
    const complete = async (begun: string, more: object) => {
      const { body } = await service.ask('/autocomplete', { statement: begun, max_suggestions: 200, ...more })
      const found = body['suggestions'] as { suggestion: string; suggestion_type: string }[]
      return [...new Set(found.map(({ suggestion_type: type }) => type))].toSorted()
    }
    expect(await complete('SELECT e', {})).toContain('scalar_function')
    expect(await complete('SELECT e', { dialect })).toEqual(['column', 'table'])
  })
})
