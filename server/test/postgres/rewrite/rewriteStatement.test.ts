import { describe, expect, it } from 'vitest'
import { applyEdits } from '../../../src/sql/text/edits.js'
import { typeOidOf } from '../../../src/postgres/catalog/typeTables.js'
import { bytesOf, readArray } from '../../../src/postgres/messages/encodeBinary.js'
import { likeOthers } from '../../../src/postgres/describeStatement.js'
import { readParameter } from '../../../src/postgres/messages/readParameter.js'
import { catalogUse, rewriteStatement } from '../../../src/postgres/rewrite/rewriteStatement.js'
import { Settings } from '../../../src/postgres/Settings.js'
import { readCommand } from '../../../src/postgres/statements/readCommand.js'
import { findParameters, statementOf } from '../../../src/postgres/statements/statements.js'
import { oidOfName } from '../../../src/postgres/types.js'

const query = 'q'.repeat(1000)
const asker = {
  user: 'ada',
  settings: new Settings(),
  pid: 1,
  schema: 'main',
  isOwn: (name: string) => name === 'mine',
  database: 'lakehouse',
  catalogs: ['lakehouse', 'analytics'],
  activity: () => [{ pid: 1, query }],
}
const rewrite = (sql: string) => {
  const statement = statementOf(sql)
  return applyEdits(sql, rewriteStatement(statement, asker))
}
const many = (count: number, part: string, between: string) =>
  Array.from({ length: count }, () => part).join(between)

describe('what a client sends has no power over the length of what DuckDB gets', () => {
  it('names of relations that each have their rows with them', () => {
    const named = (count: number) => `SELECT 1 FROM ${many(count, 'pg_stat_activity', ', ')}`
    expect(rewrite(named(20)).length).toBeLessThan(20 * 2000)
    expect(() => rewrite(named(21))).toThrow(/20 times/)
    expect(() => rewrite(`SELECT 1 FROM ${many(21, 'pg_catalog.pg_settings', ', ')}`)).toThrow(/20 times/)
  })

  it('settings', () => {
    const settings = new Settings()
    settings.set('application_name', 'x'.repeat(1_000_000))
    expect(settings.get('application_name')).toBe('x'.repeat(63))
    expect(() => settings.set('work_mem', 'x'.repeat(1_000_000))).toThrow(/work_mem cannot be/)
  })
})

/* Of these sizes, what takes the square of the length takes longer than a test may. */
describe('what a client sends takes no longer than its length', () => {
  it.each([
    ['divisions', `SELECT ${many(60_000, 'a', '/')}`],
    ['casts', `SELECT a${'::int'.repeat(60_000)}`],
  ])('%s in excess are refused at once', (_, sql) => {
    expect(() => rewrite(sql)).toThrow(/operators/)
  })

  it.each([
    [
      'names in subqueries',
      `SELECT * FROM (SELECT ${Array.from({ length: 60_000 }, (_, at) => `f${at}()`).join(', ')}) s`,
    ],
    ['hidden columns', `SELECT ${many(100_000, 'xmin', ', ')} FROM pg_class`],
    [
      'subqueries in one another',
      `SELECT ${many(95, '(SELECT ', '')}f([${many(100_000, '1', ', ')}])${many(95, ')', '')}`,
    ],
    ['CASE without an end', `SELECT ${many(50_000, 'a / CASE', ', ')}`],
    ['brackets in a pattern', `SELECT a SIMILAR TO '${'['.repeat(1_000_000)}'`],
    ['brackets in a pattern of regexp_match', `SELECT regexp_match(a, '${'['.repeat(1_000_000)}')`],
  ])('%s', (_, sql) => expect(rewrite(sql).length).toBeGreaterThan(sql.length / 2))

  const literal = (type: string, text: string) =>
    readParameter({
      bytes: Buffer.from(text),
      isBinary: false,
      oid: oidOfName(type)!,
      kind: 'value',
      isLoose: false,
    })

  it.each([
    ['a numeric', () => expect(() => literal('numeric', `${'1'.repeat(1_000_000)}x`)).toThrow(/no numeric/)],
    ['a timestamp', () => literal('timestamp', `1-1-${'1'.repeat(100_000)}${' '.repeat(100_000)}x`)],
    ['a date', () => literal('date', `1-1-1${' '.repeat(1_000_000)}x`)],
    ['a type', () => expect(typeOidOf('('.repeat(1_000_000))).toBeUndefined()],
    ['an array', () => expect(readArray(`{${' '.repeat(100_000)}{}`)).toBeUndefined()],
  ])('%s', (_, read) => read())

  it.each([
    ['casts to text', many(90, '(', '') + 'a' + many(90, '::text)', '')],
    ['joined columns', many(30, '(a || b || ', '') + 'c' + many(30, ')', '')],
    ['texts in calls', many(40, 'concat(date_trunc(a, ', '') + 'b' + many(40, '))', '')],
  ])('%s that stand in one another', (_, sql) => {
    let length = 0
    expect(() => (length = rewrite(`SELECT ${sql}`).length)).toThrow(/stand in one another/)
    expect(length).toBe(0)
  })

  it('a format that is none', () => {
    expect(() => rewrite(`SELECT to_char(a, '${'9'.repeat(1_000_000)}x')`)).toThrow(/format/)
  })

  it('a format of many elements', () => {
    expect(() => rewrite(`SELECT to_char(a, '${'DDth'.repeat(100_000)}')`)).toThrow(/format/)
  })

  it('parameters beside operands in one another', () => {
    const nested = Array.from({ length: 90 }, (_, at) => ` + $${at + 1})`).join('')
    const statement = statementOf(`SELECT ${many(90, '(', '')}f([${many(100_000, '1', ', ')}])${nested}`)
    const edits = likeOthers(statement, findParameters(statement), [])
    expect(edits.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(statement.text.length)
  })

  it('parameters beside operators', () => {
    const statement = statementOf(
      `SELECT ${Array.from({ length: 40_000 }, (_, at) => `1.5e0 + $${at + 1}`).join(', ')}`,
    )
    const edits = rewriteStatement(statement, asker)
    expect(likeOthers(statement, findParameters(statement), edits)).toHaveLength(40_000)
  })

  it('a name of an object is a text already', () => {
    expect(rewrite('SELECT a::pg_catalog.regtype::pg_catalog.text FROM pg_class')).not.toContain('pg.text(')
  })

  it('a parameter knows where it stands', () => {
    const statement = statementOf('SELECT a - $1, b = ANY ($2), c = $3::int')
    for (const { at, start } of findParameters(statement)) expect(statement.tokens[at]?.start).toBe(start)
  })

  it.each([
    ['hex', '\\x00', '00'.repeat(8_000_000)],
    ['escapes', '', '\\000a'.repeat(100_000)],
  ])('bytes in %s', (_, begin, text) => {
    expect(bytesOf(begin + text).length).toBeGreaterThanOrEqual(200_000)
    expect(() => bytesOf(`${begin}${text}\\`)).toThrow(/bytea/)
  })
})

it.each([
  ['SELECT 1', undefined],
  [`SELECT version(), pg_catalog.has_schema_privilege('main', 'usage'), current_schemas(true), 1::regtype`, ''],
  ['SELECT * FROM pg_settings JOIN pg_catalog.pg_type ON true, pg_stat_activity, pg_trigger', ''],
  [`SELECT 'pg_class'::regclass::oid, 'int4'::regtype`, undefined],
  [`SELECT 'orders'::regclass`, 'names'],
  ['SELECT obj_description(1)', 'pg_description'],
  ['SELECT version() FROM pg_class, information_schema.columns', 'pg_class information_schema_columns'],
])('%s: of the catalog is filled %s', (sql, names) => {
  const use = catalogUse(rewriteStatement(statementOf(sql), asker))
  expect(use && [...use].join(' ')).toBe(names)
}) // prettier-ignore

it.each(['SELECT waymark_pg.pg.round(1)', 'SELECT * FROM "WAYMARK_PG".pg.names'])('%s is refused', (sql) => {
  expect(() => rewrite(sql)).toThrow(/belongs to the service/)
})

it('a macro of a user is called, not the function of its name', () => {
  expect(rewrite('SELECT mine(a), round(a)')).toBe('SELECT mine(a), waymark_pg.pg.round(a)')
})

describe('is rewritten', () => {
  it.each([
    ['SELECT w / h ^ 2', 'SELECT waymark_pg.pg.quotient(w , h ^ 2)'],
    ['SELECT w % -h ^ -2 ^ b, 1', 'SELECT waymark_pg.pg.remainder(w , -h ^ -2 ^ b), 1'],
    ['WITH divisor(a) AS (SELECT 1) SELECT quotient(a, 1), match_1(a), like_any(a), regclass_name(a) FROM divisor(a)', 'WITH divisor(a) AS (SELECT 1) SELECT quotient(a, 1), match_1(a), like_any(a), regclass_name(a) FROM divisor(a)'],
    [`SELECT x / int '5'`, `SELECT waymark_pg.pg.quotient(x , CAST('5' AS INTEGER))`],
    [`SELECT TRY_CAST('abc' AS int)`, `SELECT TRY_CAST('abc' AS int)`],
    ['SELECT constructor.name FROM constructor', 'SELECT constructor.name FROM constructor'],
    [`SELECT extract('year from now()), (select 1' FROM x)`, `SELECT extract('year from now()), (select 1' FROM x)`],
    [`SELECT a::char, a::char[], a::"char"`, `SELECT left(CAST(a AS VARCHAR), 1), a::char[], a::"char"`],
    ['SELECT CAST(a AS character), a::character varying', 'SELECT left(CAST(a AS VARCHAR), 1), a::character varying'],
  ])('%s', (sql, wanted) => expect(rewrite(sql)).toBe(wanted)) // prettier-ignore

  it('a division, however many others there are', () => {
    const others = many(10, 'a / n', ', ')
    const divisions = rewrite(`SELECT ${others}, x / y GROUP BY x / y`).match(/\S+\(x , y\)/g)
    expect(divisions).toEqual(Array.from({ length: 2 }, () => 'waymark_pg.pg.quotient(x , y)'))
  })

  it('no division so that it doubles without end', () => {
    const written = (sql: string) => rewrite(sql).match(/quotient|divisor/g)!.length
    expect(rewrite(`SELECT ${many(20, 'a', '/')}`).match(/quotient/g)).toHaveLength(4)
    expect(written(`SELECT ${'a/('.repeat(20)}a${')'.repeat(20)}`)).toBe(4)
  })

  it.each([
    ['timestamptz', undefined, '2026-01-02 05:04:05.6 +02:00', `CAST('2026-01-02 05:04:05.6+02:00' AS TIMESTAMPTZ)`],
    ['text', 'int4[]', '{1,NULL}', `CAST([CAST('1' AS INTEGER), CAST(NULL AS INTEGER)] AS INTEGER[])`],
    ['text', 'int4', '{1}', `CAST('{1}' AS VARCHAR)`],
  ])('a parameter of type %s that is cast to %s', (type, cast, text, wanted) => {
    const given = { bytes: Buffer.from(text), isBinary: type === 'text', oid: oidOfName(type)!, cast }
    expect(readParameter({ ...given, kind: 'value', isLoose: false })).toBe(wanted)
  }) // prettier-ignore

  it('the end of a day', () => {
    const bytes = Buffer.alloc(8)
    const read = (micros: bigint) => {
      bytes.writeBigInt64BE(micros)
      return readParameter({ bytes, isBinary: true, oid: oidOfName('time')!, kind: 'value', isLoose: false })
    }
    expect(read(86_400_000_000n)).toBe(`CAST('24:00:00' AS TIME)`)
    expect(read(86_399_000_000n)).toBe(`CAST('23:59:59.000000' AS TIME)`)
  })

  it('the number of no other connection', () => {
    expect(readCommand(statementOf('SELECT pg_cancel_backend(-5)'), new Settings())).toMatchObject({
      pid: -5,
    })
    expect(readCommand(statementOf(`SELECT pg_cancel_backend('5')`), new Settings())).toMatchObject({
      pid: 5,
    })
  })
})
