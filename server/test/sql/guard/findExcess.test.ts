import { expect, it } from 'vitest'
import { findExcess, maxTokens } from '../../../src/sql/guard/findExcess.js'
import { tokenize } from '../../../src/sql/text/tokenize.js'

const many = (count: number, part: (at: number) => string, between: string) =>
  Array.from({ length: count }, (_, at) => part(at)).join(between)
const check = (sql: string) => findExcess(tokenize(sql).tokens)

it.each([
  ['terms', `SELECT 1 WHERE ${many(100_000, (at) => `a = ${at}`, ' OR ')}`, /terms/],
  ['terms of AND', `SELECT 1 WHERE ${many(6000, (at) => `a <> ${at}`, ' AND ')}`, /terms/],
  [
    'terms in several conditions',
    many(8, () => `SELECT 1 WHERE ${many(2000, (at) => `a = ${at}`, ' OR ')}`, ' UNION '),
    /terms/,
  ],
  ['operators', `SELECT ${many(500, String, '+')}`, /operators/],
  ['operators of two signs', `SELECT ${many(500, () => `'x'`, ' || ')}`, /operators/],
  ['operators that are words', `SELECT a ${many(500, () => `LIKE 'x'`, ' ')}`, /operators/],
  ['casts', `SELECT a${'::INT'.repeat(500)}`, /operators/],
  ['comparisons', `SELECT ${many(500, String, ' = ')}`, /operators/],
  ['calls in a chain', `SELECT a${'.upper()'.repeat(500)}`, /operators/],
  ['places in a list', `SELECT (a)${'[1]'.repeat(500)}`, /operators/],
  ['expressions of many operators', `SELECT ${many(100, () => many(100, String, '+'), ', ')}`, /operators/],
  ['open brackets', `SELECT ${'abs('.repeat(500)}1${')'.repeat(500)}`, /brackets/],
  [
    'calls of a macro in one another',
    `SELECT ${'nullif('.repeat(20)}1${', 2)'.repeat(20)}`,
    /such as nullif/,
  ],
])('finds too many %s', (_, sql, problem) => {
  expect(check(sql)).toMatch(problem)
})

it.each([
  ['rows to insert', `INSERT INTO t VALUES ${many(20_000, (at) => `(${at}, 'x', -1.5)`, ', ')}`],
  ['values of a list', `SELECT * FROM t WHERE a IN (${many(50_000, String, ',')})`],
  ['columns', `SELECT ${many(5000, (at) => `a + ${at} AS c${at}`, ', ')} FROM t`],
  ['cases', `SELECT CASE ${many(5000, (at) => `WHEN a = ${at} THEN ${at}`, ' ')} END`],
  ['joins', `SELECT * FROM t ${many(100, (at) => `JOIN t t${at} ON t${at}.a = t.a AND t.b = 1`, ' ')}`],
  ['terms, up to a bound', `SELECT 1 WHERE ${many(4000, (at) => `a = ${at}`, ' OR ')}`],
  ['operators, up to a bound', `SELECT ${many(250, String, ' + ')}`],
  ['calls of a macro beside each other', `SELECT ${many(200, () => 'nullif(nullif(a, 1), 2)', ', ')}`],
  ['texts that look like operators', `SELECT '${'+ OR '.repeat(10_000)}', "${'a+'.repeat(10_000)}"`],
])('lets pass what DuckDB plans in time: %s', (_, sql) => {
  expect(check(sql)).toBeUndefined()
})

it('stops reading a statement that is too long', () => {
  const { tokens, problem } = tokenize('1,'.repeat(2 * maxTokens), maxTokens)
  expect(problem).toMatch(/words and signs/)
  expect(tokens.length).toBeLessThan(maxTokens + 2)
})
