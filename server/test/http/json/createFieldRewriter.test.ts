import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createFieldRewriter } from '../../../src/http/json/createFieldRewriter.js'

const rewritten = (json: string, size: number, rewrite: (token: string, field: string) => string) => {
  const rewriter = createFieldRewriter({ fields: new Set(['a', 'é"']), rewrite })
  const bytes = Buffer.from(json)
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) parts.push(rewriter.feed(bytes.subarray(at, at + size)))
  return Buffer.concat(parts).toString()
}

it('changes the values of the fields it is asked for, and nothing else', () => {
  const json = '[{"b":1.10,"a": 1.10 ,"c":{"a":1.10},"d":[{"a":2}]},\n{"\\u0061":"x\\"y","é\\"":-2e5}]'
  for (const size of [1, 2, 3, 7, 1000]) {
    expect(rewritten(json, size, (token) => `<${token}>`)).toBe(
      '[{"b":1.10,"a": <1.10> ,"c":{"a":1.10},"d":[{"a":2}]},\n{"\\u0061":<"x\\"y">,"é\\"":<-2e5>}]',
    )
  }
})

it('reads objects one after the other', () => {
  expect(rewritten('{"a":1}\n{"b":{"a":[2]},"a":3}{"a":4}', 5, () => '0')).toBe(
    '{"a":0}\n{"b":{"a":[2]},"a":0}{"a":0}',
  )
})

it('gives back any document, however it is cut', () => {
  const record = fc.dictionary(fc.constantFrom('a', 'é"', 'b', '\\'), fc.jsonValue())
  fc.assert(
    fc.property(fc.array(record), fc.integer({ min: 1, max: 20 }), fc.boolean(), (records, size, pretty) => {
      const json = JSON.stringify(records, null, pretty ? 2 : 0)
      const told: unknown[] = []
      const same = rewritten(json, size, (token, field) => {
        told.push([field, JSON.parse(token)])
        return token
      })
      expect(same).toBe(json)
      const scalars = records.flatMap((each) =>
        Object.entries(JSON.parse(JSON.stringify(each)) as object).filter(
          ([name, value]) =>
            (name === 'a' || name === 'é"') && (typeof value === 'string' || typeof value === 'number'),
        ),
      )
      expect(told).toEqual(scalars)
    }),
  )
})
