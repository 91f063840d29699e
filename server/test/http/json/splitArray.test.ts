import fc from 'fast-check'
import { expect, it } from 'vitest'
import { splitArray } from '../../../src/http/json/sliceItems.js'

const texts = (json: string) => splitArray(Buffer.from(json)).map(String)

it.each([
  ['[]', []],
  [' [ ] ', []],
  ['[1,-2.50 , "a,]"]', ['1', '-2.50 ', ' "a,]"']],
  [String.raw`[{"a":[1,{}]},"\\","\",]"]`, ['{"a":[1,{}]}', String.raw`"\\"`, String.raw`"\",]"`]],
])('parts %s in the bytes that it has', (json, items) => {
  expect(texts(json)).toEqual(items)
})

it('parts whatever JSON into what JSON.parse finds there', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.constantFrom(undefined, 2), (items, indent) => {
      const parts = texts(JSON.stringify(items, null, indent))
      expect(parts.map((part) => JSON.parse(part) as unknown)).toEqual(JSON.parse(JSON.stringify(items)))
    }),
  )
})
