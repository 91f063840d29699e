import { expect, it } from 'vitest'
import { createJudge, judgeEvent } from '../../../server/src/plan/createJudge'
import type { Properties } from '../../../src/core/types'
import { judge } from '../../../src/plugins/overlay/judge'

const order = {
  type: 'object',
  properties: {
    total: { type: 'number', minimum: 0, maximum: 1000, multipleOf: 0.5 },
    above: { exclusiveMinimum: 0, exclusiveMaximum: 10 },
    count: { type: 'integer' },
    currency: { enum: ['EUR', 2, null] },
    kind: { const: { a: 1 } },
    coupon: { type: ['string', 'null'] },
    either: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    forms: { oneOf: [{ const: 1 }, { minimum: 5 }] },
    code: { type: 'string', pattern: '^[A-Z]{3}$', minLength: 3, maxLength: 5 },
    mail: { type: 'string', format: 'email' },
    items: {
      type: 'array',
      minItems: 1,
      maxItems: 2,
      uniqueItems: true,
      items: {
        type: 'object',
        properties: { price: { type: 'number' }, tags: { type: 'array', items: { type: 'string' } } },
        required: ['price'],
        additionalProperties: false,
      },
    },
    tuple: { prefixItems: [{ type: 'string' }], items: false },
    some: { contains: { type: 'number' } },
    few: { type: 'object', minProperties: 1, maxProperties: 2 },
    named: { propertyNames: { pattern: '^[a-z]+$' } },
    like: { patternProperties: { '^x': { type: 'number' } }, additionalProperties: { type: 'string' } },
    never: { not: { type: 'string' } },
    nothing: false,
    whole: { $ref: '#/$defs/whole' },
    both: { allOf: [{ type: 'string' }, { minLength: 3 }] },
    // oxlint-disable-next-line unicorn/no-thenable -- a word of JSON Schema
    when: { if: { type: 'string' }, then: { minLength: 3 }, else: { minimum: 3 } },
    needs: { dependentRequired: { a: ['b'] } },
    also: { dependentSchemas: { a: { required: ['c'] } } },
    'a/b~c d.e': { type: 'string' },
  },
  required: ['total'],
  $defs: { whole: { type: 'integer', minimum: 1 } },
}

const wrong: Properties[] = [
  {},
  { total: '9' },
  { total: null },
  { total: -1 },
  { total: 1001 },
  { total: 0.3 },
  ...[
    { voucher: 1 },
    { $url: 1, insert_id: 2, form_id: 3, first_name: 4 },
    { above: 0 },
    { above: 10 },
    { count: 1.5 },
    { currency: 'GBP' },
    { kind: 'x' },
    { coupon: 1 },
    { either: true },
    { either: 1.5 },
    { forms: 3 },
    { code: 'abc' },
    { code: 'AB' },
    { code: 'ABCDEF' },
    { code: 1 },
    { items: [] },
    { items: {} },
    { items: [{ price: 1 }, { price: 2 }, { price: 3 }] },
    { items: [{ price: 1 }, { price: 1 }] },
    { items: [{ price: 'a' }] },
    { items: [{}] },
    { items: [{ price: 1, sku: 1 }] },
    { items: [{ price: 1, tags: ['a', 1] }] },
    { items: [1] },
    { tuple: [1] },
    { tuple: ['a', 1] },
    { some: ['a'] },
    { few: {} },
    { few: { a: 1, b: 2, c: 3 } },
    { named: { A: 1 } },
    { like: { x: 'a' } },
    { like: { a: 1 } },
    { never: 'a' },
    { nothing: 1 },
    { whole: 1.5 },
    { whole: 0 },
    { both: 'a' },
    { both: 1 },
    { when: 'a' },
    { when: 1 },
    { needs: { a: 1 } },
    { also: { a: 1 } },
    { 'a/b~c d.e': 1 },
  ].map((more) => ({ total: 1, ...more })),
]

const right: Properties[] = [
  { total: 1 },
  { total: 1, $url: 'x', insert_id: 'x', mail: 'none', either: 1, forms: 1, code: 'ABC', kind: { a: 1 } },
  {
    total: 0.5,
    items: [{ price: 1 }],
    tuple: ['a'],
    some: [1],
    few: { a: 1 },
    never: 1,
    like: { x: 1, a: 'a' },
  },
]

const ofService = (schema: object, properties: Properties) =>
  judgeEvent(createJudge({ events: { A: schema } }), { event: 'A', properties })

const inPage = (schema: object, properties: Properties) =>
  judge({ events: { A: schema } }, { kind: 'track', name: 'A', properties })

it.each(wrong.map((properties) => [properties]))(
  '%j has the same problem in the page and in the service',
  async (properties) => {
    const problem = ofService(order, properties)
    expect(problem).toContain(': ')
    const { problems } = (await inPage(order, properties))!
    expect(problems).toContain(problem)
    expect(problems).toHaveLength(1)
  },
)

it.each(right.map((properties) => [properties]))(
  '%j is valid in the page and in the service',
  async (properties) => {
    expect(ofService(order, properties)).toBe('valid')
    expect(await inPage(order, properties)).toMatchObject({ plan: 'valid', problems: [] })
  },
)

it.each<[string, object, Properties]>([
  ['further properties of a type', { additionalProperties: { type: 'string' } }, { a: 1 }],
  [
    'further properties of a type, by the later word',
    { unevaluatedProperties: { type: 'string' } },
    { a: 1 },
  ],
  ['a schema that is a part of all', { allOf: [{ properties: { a: {} } }] }, { b: 1 }],
  ['several forms of an event', { anyOf: [{ required: ['a'] }, { required: ['b'] }] }, {}],
  [
    'several forms, each with a constant',
    { oneOf: [{ properties: { a: { const: 1 } } }, { properties: { a: { const: 2 } } }] },
    { a: 3 },
  ],
  ['names by a pattern', { patternProperties: { '^a': { type: 'number' } } }, { ab: 'x' }],
  ['names that none has', { patternProperties: { '^a': {} } }, { b: 1 }],
  ['too few properties', { minProperties: 1, additionalProperties: true }, { $url: 'x' }],
])('%s has the same problem in both', async (_, schema, properties) => {
  const problem = ofService(schema, properties)
  expect(problem).toContain(': ')
  expect((await inPage(schema, properties))!.problems).toEqual([problem])
})
