import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { argumentsOf, callAt, operandAt, operandBefore, type Range } from '../../../src/sql/text/operands.js'
import { isSymbol, tokenize } from '../../../src/sql/text/tokenize.js'

const read = (sql: string) => {
  const { tokens } = tokenize(sql)
  const textOf = ({ first, last }: Range) => sql.slice(tokens.at(first)?.start, tokens.at(last)?.end)
  return { tokens, textOf }
}

describe('brackets', () => {
  it('close one of their own kind, and none behind a semicolon', () => {
    const pairs = (sql: string) => tokenize(sql).tokens.map(({ pair }) => pair)
    expect(pairs('([{}])')).toEqual([5, 4, 3, 2, 1, 0])
    expect(pairs('([)]')).toEqual([-1, 3, -1, 1])
    expect(pairs('(;)')).toEqual([-1, -1, -1])
    expect(pairs(`(')' ")" /*)*/)`)).toEqual([3, -1, -1, 0])
  })

  it('make a tree of the tokens of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'()[]{};a,') }), (sql) => {
        const { tokens } = tokenize(sql)
        for (const [at, { around, depth, pair }] of tokens.entries()) {
          const [outer, other] = [
            tokens.find((_, index) => index === around),
            tokens.find((_, index) => index === pair),
          ]
          expect(around).toBeLessThan(at)
          expect(depth).toBe(outer === undefined ? 0 : outer.depth + 1)
          if (other !== undefined) expect([other.pair, other.around]).toEqual([at, around])
          if (outer !== undefined && outer.pair >= 0) expect(outer.pair).toBeGreaterThan(at)
        }
      }),
      { numRuns: 2000 },
    )
  })
})

describe('callAt', () => {
  it.each([
    ['f()', []],
    ['f(a, g(b, c), [d, e], {x: 1, y: 2})', ['a', 'g(b, c)', '[d, e]', '{x: 1, y: 2}']],
    [`"f"(',', a "," b)`, [`','`, 'a "," b']],
  ])('finds the arguments of %s', (sql, found) => {
    const { tokens, textOf } = read(sql)
    expect(argumentsOf(tokens, callAt(tokens, 0)!).map(textOf)).toEqual(found)
  })

  it('finds no call in a text or sign, nor without a bracket', () => {
    for (const sql of [`'f'(a)`, '1(a)', 'f a', 'f[a]']) expect(callAt(read(sql).tokens, 0)).toBeUndefined()
  })
})

describe('an operand', () => {
  it.each([
    'a',
    'a.b.c',
    'f(a, b)',
    'a.f(1)[2]',
    '(a + b)',
    'a[1][2]',
    `e'x'`,
    '$1',
    'x::DECIMAL',
    '(a)::text',
  ])('is read as a whole from both of its ends: %s', (operand) => {
    const { tokens, textOf } = read(`SELECT ${operand} = 1`)
    const sign = tokens.findIndex((token) => isSymbol(token, '='))
    expect(textOf({ first: 1, last: operandAt(tokens, 1)! })).toBe(operand)
    expect(textOf({ first: operandBefore(tokens, sign - 1)!, last: sign - 1 })).toBe(operand)
  })
})
