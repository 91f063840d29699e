import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mendArrows } from '../../../src/sql/guard/Guard.js'
import { applyEdits, Edits } from '../../../src/sql/text/edits.js'
import { tokenize } from '../../../src/sql/text/tokenize.js'

const mend = (sql: string) => {
  const edits = new Edits(tokenize(sql).tokens)
  mendArrows(edits)
  return applyEdits(sql, edits.list())
}

describe('mendArrows', () => {
  it.each([
    [`p->>'a' = '1'`, `(p->>'a') = '1'`],
    [`WHERE p->>'a'='1' or p->>'b'='2'`, `WHERE (p->>'a')='1' or (p->>'b')='2'`],
    [`e.properties ->> 'a' IS NULL`, `(e.properties ->> 'a') IS NULL`],
    [`"odd name"."p"->>'a'`, `("odd name"."p"->>'a')`],
    [`p->'a'->>'b' = 'c'`, `(p->'a'->>'b') = 'c'`],
    [`p->'a'->0->>'b' = 'c'`, `(p->'a'->0->>'b') = 'c'`],
    [`p->>'price'::DOUBLE > 10`, `(p->>'price')::DOUBLE > 10`],
    [`p::JSON->>'a' = '1'`, `(p::JSON->>'a') = '1'`],
    [`json(x)->>'a' = '1'`, `(json(x)->>'a') = '1'`],
    [`main.f(x, (1))->>'a' = '1'`, `(main.f(x, (1))->>'a') = '1'`],
    [`WHERE (p)->>'a' = '1'`, `WHERE ((p)->>'a') = '1'`],
    [`x AND (p)->>'a' = '1'`, `x AND ((p)->>'a') = '1'`],
    [`l[1]->>'a' = '1'`, `(l[1]->>'a') = '1'`],
    [`f(x)[1]->>'a' = '1'`, `(f(x)[1]->>'a') = '1'`],
    [`list_filter(l, x -> x->>'a' = '1')`, `list_filter(l, x -> (x->>'a') = '1')`],
    [`p->>'$url' LIKE '%a'`, `(p->>'$."$url"') LIKE '%a'`],
    [`p->'$a'->>'$b'`, `(p->'$."$a"'->>'$."$b"')`],
    [`((p->>'a'))`, `(((p->>'a')))`],
    [`json_object('k', p->>'a')->>'k' = 'v'`, `(json_object('k', (p->>'a'))->>'k') = 'v'`],
  ])('reads %s as it is meant', (sql, meant) => {
    expect(mend(sql)).toBe(meant)
  })

  it.each([
    `p->>name = 'x'`,
    `list_transform(l, x -> '$a')`,
    `'p->>''a'''`,
    `/* p->>'a' */ 1`,
    `CASE WHEN a THEN p END->>'a'`,
    `1 - > > 'a'`,
    `->>'a'`,
    `'{}'->>'a'`,
  ])('leaves %s alone', (sql) => {
    expect(mend(sql)).toBe(sql)
  })

  it('keeps a JSON path', () => {
    expect(mend(`p->>'$.a.b' = '1'`)).toBe(`(p->>'$.a.b') = '1'`)
  })

  it('finds the places of a statement that begins behind a comment', () => {
    expect(mend(`/* one */ SELECT p->>'a' = '1'`)).toBe(`/* one */ SELECT (p->>'a') = '1'`)
  })

  it('adds nothing but brackets and paths to any statement, as many that open as close', () => {
    const part = fc.constantFrom(
      'p',
      '.',
      '(',
      ')',
      '[',
      ']',
      '->',
      '->>',
      `'a'`,
      `'$b'`,
      '0',
      '::',
      'and',
      ' ',
    )
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 30 }), (parts) => {
        const sql = `x${parts.join('')}`
        const { problem } = tokenize(sql)
        if (problem !== undefined) return
        const mended = mend(sql)
        const plain = (text: string) => text.replaceAll(`'$."$b"'`, `'$b'`).replaceAll(/[()]/g, '')
        expect(plain(mended)).toBe(plain(sql))
        const count = (text: string, sign: string) => text.split(sign).length - 1
        expect(count(mended, '(') - count(sql, '(')).toBe(count(mended, ')') - count(sql, ')'))
      }),
    )
  })
})
