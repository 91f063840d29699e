import { expect, it } from 'vitest'
import { describeFields } from '../../src/append/describeFields.js'
import { planAppend } from '../../src/append/planAppend.js'

const kindsOf = (json: string) => {
  const value = JSON.parse(json) as Record<string, unknown> | Record<string, unknown>[]
  return describeFields(Array.isArray(value) ? value : [value], json)
}

it.each([
  ['1', ['integer']],
  ['-0', ['integer']],
  ['1.0', ['whole']],
  ['-0.0', ['whole']],
  ['1e2', ['whole']],
  ['1E+2', ['whole']],
  ['1.5e1', ['whole']],
  ['1.5', ['float']],
  ['1e-2', ['float']],
  ['1.00000000000000000001', ['float']],
  ['9007199254740992', ['integer']],
  ['9007199254740993', ['long']],
  ['9223372036854775807', ['long']],
  ['-9223372036854775808', ['integer']],
  // JavaScript writes these fractions' neighbours so.
  ['1234567890123456800', ['integer']],
  ['1234567890123456801', ['long']],
  ['9223372036854775808', ['large']],
  ['9223372036854775809', ['huge']],
  ['100000000000000000000', ['large']],
  ['170141183460469231731687303715884105728', ['digits']],
  ['1e30', ['float']],
  ['9223372036854775808.0', ['float']],
  ['"1.0"', ['text']],
  ['null', []],
])('the text of the number decides what %s is', (value, kinds) => {
  expect(kindsOf(`{"n":${value}}`)).toEqual({ n: kinds })
})

it.each([
  ['DOUBLE', '{"n":1e20}', true],
  ['DOUBLE', '{"n":100000000000000000000}', true],
  ['DOUBLE', '{"n":1234567890123456800}', true],
  ['DOUBLE', '{"n":9223372036854775809}', false],
  ['BIGINT', '{"n":100000000000000000000}', false],
  ['DOUBLE[]', '{"n":[1.5]}', true],
  ['TIMESTAMP[]', '{"n":["2024-01-01T00:00:00Z"]}', true],
  ['DECIMAL(9,2)[]', '{"n":[1.5]}', true],
  ['DOUBLE[]', '{"n":1.5}', false],
])('%s takes %s: %s', (type, json, isTaken) => {
  const plan = planAppend([{ name: 'n', type, inferred: false }], kindsOf(json))
  expect(plan.kind).toBe(isTaken ? 'append' : 'problem')
})

it('reads the numbers of each field for itself, and no text or nested value for a number', () => {
  const json = '[{"a":1,"b":"x 1.0","c":[1.0],"d":1.0,"e":true},{"a":2,"b":3,"d":4,"e":5}]'
  expect(kindsOf(json)).toEqual({
    a: ['integer'],
    b: ['text', 'integer'],
    c: ['json'],
    d: ['whole', 'integer'],
    e: ['boolean', 'integer'],
  })
})
