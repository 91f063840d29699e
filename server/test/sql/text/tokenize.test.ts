import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { tokenize, withPlainSpaces } from '../../../src/sql/text/tokenize.js'

let instance: DuckDBInstance
let connection: DuckDBConnection
beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  connection = await instance.connect()
})
afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

const texts = [
  "'a'",
  "e'a'",
  String.raw`e'\''`,
  String.raw`'\'`,
  "' '",
  "' -- '",
  "'*/'",
  "'/*'",
  "'$a$'",
  "b'a'",
  '"a"',
]
const marks = [
  '$$a$$',
  "$$ ' $$",
  '$a$a$a$',
  "$b$ ' $b$",
  "/*'*/",
  '/**/',
  '/*/*/',
  '*/',
  '$a$',
  '$b$',
  'a$b$',
  '1a$b$',
]
const glue = [
  '\n',
  '\r',
  ' ',
  '',
  ' || ',
  ', ',
  ' -- c\n',
  '\u00a0',
  '\u2028',
  '1',
  'e',
  'a',
  ' AS x',
  ' 1 ',
  "'",
  '"',
  '\\',
  '$',
]
const piece = fc.constantFrom(...texts, ...marks, ...glue)
const pieces = fc.array(piece, { maxLength: 4 }).map((all) => all.join(''))
const part = fc.constantFrom('', '1 ', '1', "'x' || ", '\n', ' -- \n AS x', '\n AS x')

const sees = async (sql: string): Promise<boolean> => {
  try {
    const extracted = await connection.extractStatements(sql)
    if (extracted.count > 1) return true
    const prepared = await extracted.prepare(0)
    prepared.destroySync()
    return false
  } catch (error) {
    return /name hidden does not exist/.test(String(error))
  }
}

it('gives up, or finds every call that DuckDB finds', async () => {
  await fc.assert(
    fc.asyncProperty(part, pieces, fc.option(pieces), part, async (lead, before, other, end) => {
      const sql = `SELECT ${lead}${before}, hidden() || ${other ?? before}${end}`
      const { tokens, problem } = tokenize(sql)
      if (problem !== undefined || tokens.some(({ text }) => text === 'hidden')) return
      const text = withPlainSpaces(sql, tokens).slice(tokens[0]?.start, tokens.at(-1)?.end)
      expect(await sees(text), text).toBe(false)
    }),
    { numRuns: 20_000 },
  )
})
