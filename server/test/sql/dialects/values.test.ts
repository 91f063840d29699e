import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { dialectNames } from '../../../src/sql/dialects/dialects.js'
import { useService } from '../../fixtures/useService.js'

/**
 * A file for each dialect: on each line an expression and the value that its vendor's manual gives it. Behind it stands
 * `(error)` where the service refuses it, and `(docs)` where it has another value, which docs/sql.md says.
 */
const readTable = (dialect: string) =>
  readFileSync(new URL(`values/${dialect}.txt`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [expression = '', rest = ''] = line.split(' ⇒ ')
      const [, value = '', is = 'right'] = /^(.*?)(?: \((error|docs)\))?$/.exec(rest) ?? []
      return { expression, value, is }
    })

const service = useService()

/** A value as the lists write it: a day is its midnight, and a truth value a number. */
const write = (value: unknown): string => {
  if (value === null) return 'NULL'
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (typeof value !== 'string') return JSON.stringify(value)
  const isTime = /^\d{4}-\d\d-\d\d[T ]\d\d:/.test(value)
  return isTime
    ? value
        .replace('T', ' ')
        .replace(/\+00.*$/, '')
        .replace(/ 00:00:00$/, '')
    : value
}
/** Numbers of another type or with more digits are the same. */
const near = (found: string, value: string) =>
  found !== '' && value !== '' && Math.abs(Number(found) - Number(value)) < 1e-9 ? value : found

const ask = async (expressions: readonly string[], dialect: string) => {
  const statement = `SELECT ${expressions.map((each, at) => `${each} AS v${at}`).join(', ')}`
  const { rows, error } = await service.query(statement, { dialect })
  return error === undefined ? (rows[0] ?? []).map(write) : String(error['message'])
}

describe.each(dialectNames)('%s', (dialect) => {
  const table = readTable(dialect)
  const of = (is: string) => table.filter((each) => each.is === is)

  it('has the values of its manual', async () => {
    const right = of('right')
    const found = await ask(
      right.map(({ expression }) => expression),
      dialect,
    )
    if (typeof found === 'string') {
      // Which of them it was.
      for (const { expression, value } of right)
        expect([expression, await ask([expression], dialect)]).toEqual([expression, [value]])
      throw new Error(found)
    }
    expect(right.map(({ expression, value }, at) => [expression, near(found[at] ?? '', value)])).toEqual(
      right.map(({ expression, value }) => [expression, value]),
    )
    expect(table.length).toBeGreaterThanOrEqual(60)
  })

  it.each(of('error'))('refuses $expression', async ({ expression }) => {
    expect(await ask([expression], dialect)).toEqual(expect.any(String))
  })

  // When one becomes right, it goes from the table of docs/sql.md, too.
  it.each(of('docs'))('has another value for $expression', async ({ expression, value }) => {
    const found = await ask([expression], dialect)
    expect(found).toBeInstanceOf(Array)
    expect(found).not.toEqual([value])
  })
})
