import { describe, expect, it } from 'vitest'
import { createJudge, judgeEvent, type Schemas } from '../../src/plan/createJudge.js'

const verdictOf = (events: Schemas['events'], event: string, sent: object) =>
  judgeEvent(createJudge({ events }), { event, properties: sent as Record<string, unknown> })
/** The verdict of one event, by one schema or by its `properties`. */
const judge = (schema: object, sent: object) => verdictOf({ seen: schema }, 'seen', sent)
const one = (schema: unknown, value: unknown) => judge({ properties: { a: schema } }, { a: value })

const order = {
  type: 'object',
  properties: { total: { type: 'number' }, coupon: { type: 'string' } },
  required: ['total'],
}

describe('a verdict', () => {
  it.each([
    [{ total: 12.5 }, 'valid'],
    [{ total: 12.5, coupon: 'X' }, 'valid'],
    [{ total: '12.5' }, 'total: must be a number'],
    [{}, 'total: is missing'],
    [{ total: 1, cupon: 'X' }, 'cupon: is not in the plan'],
    [{ total: null }, 'total: must be a number'],
  ])('names the first property that is wrong: %j', (sent, verdict) => {
    expect(judge(order, sent)).toBe(verdict)
  })

  it.each([
    ['type', { type: 'integer' }, 1.5, 'a: must be an integer'],
    ['types', { type: ['string', 'null'] }, 1, 'a: must be a string or null'],
    ['enum', { enum: ['red', 2, null] }, 'blue', 'a: must be one of red, 2, null'],
    ['const', { const: 'red' }, 'blue', 'a: must be red'],
    ['minimum', { minimum: 0 }, -1, 'a: must be >= 0'],
    ['pattern', { pattern: '^[A-Z]+$' }, 'eur', 'a: must match pattern "^[A-Z]+$"'],
    ['minLength', { minLength: 3 }, 'ab', 'a: must NOT have fewer than 3 characters'],
    ['items', { items: { type: 'string' } }, ['x', 3], 'a[]: must be a string'],
    ['properties', { properties: { b: { type: 'string' } } }, { b: 3 }, 'a.b: must be a string'],
    ['required', { required: ['b'] }, {}, 'a.b: is missing'],
    ['additionalProperties', { additionalProperties: false }, { b: 1 }, 'a.b: is not in the plan'],
    ['anyOf types', { anyOf: [{ type: 'string' }, { type: 'null' }] }, 1, 'a: must be a string or null'],
    ['anyOf', { anyOf: [{ const: 1 }, { minimum: 5 }] }, 3, 'a: is none of what the plan allows'],
    ['$ref', { $ref: '#/$defs/x' }, 3, 'a: must be a string'],
    ['not', { not: { const: 3 } }, 3, 'a: must NOT be valid'],
  ])('is made by %s', (_, schema, value, verdict) => {
    const whole = { properties: { a: schema }, $defs: { x: { type: 'string' } } }
    expect(judge(whole, { a: value })).toBe(verdict)
  })

  it('never has a value that was sent', () => {
    expect(one({ enum: ['red'] }, 'ada@example.com')).not.toContain('ada')
    expect(one({ type: 'number' }, 'ada@example.com')).not.toContain('ada')
    expect(one({ pattern: '^x$' }, 'ada@example.com')).not.toContain('ada')
  })

  it('lets a format be, and lets further properties pass where the schema speaks of them', () => {
    expect(one({ type: 'string', format: 'email' }, 'no address')).toBe('valid')
    expect(judge({ ...order, additionalProperties: true }, { total: 1, b: 2 })).toBe('valid')
    expect(judge({ anyOf: [order, { properties: { free: {} } }] }, { free: 1 })).toBe('valid')
    expect(judge({ allOf: [order] }, { total: 1, b: 2 })).toBe('b: is not in the plan')
  })

  it('is unplanned for a name that the plan does not have, also for one that every object has', () => {
    for (const name of ['Seen', 'constructor', '__proto__'])
      expect(verdictOf({ seen: {} }, name, {})).toBe('unplanned')
  })
})

describe('what is of the library', () => {
  it('is valid: events and properties with $, and those of its plugins', () => {
    const plan = { seen: { type: 'object' } }
    for (const name of ['$pageview', 'Web Vital']) expect(verdictOf(plan, name, { a: 1 })).toBe('valid')
    const sent = { $url: 'x', insert_id: 'x', browser_time_zone: 'x', form_id: 'x' }
    expect(verdictOf(plan, 'seen', sent)).toBe('valid')
  })

  it('is judged where the plan has the property itself', () => {
    expect(judge({ properties: { form_id: { type: 'number' } } }, { form_id: 'x' })).toBe(
      'form_id: must be a number',
    )
  })
})

describe('a hostile event', () => {
  it('of names that every object has gets its verdict', () => {
    const sent = JSON.parse('{"__proto__":{"total":1},"constructor":2}') as object
    expect(judge(order, sent)).toBe('total: is missing')
    expect(judge(order, JSON.parse('{"__proto__":{"total":1}}') as object)).toBe('total: is missing')
    expect(judge({ properties: {}, required: ['constructor'] }, {})).toBe('constructor: is missing')
  })

  it('that is deeper than any schema that names itself should follow is invalid', () => {
    // Each level is read twice, and 100 levels would take longer than there is time.
    const node = (kind: string) => ({
      type: 'object',
      properties: { child: { $ref: '#/$defs/node' }, kind: { const: kind } },
      required: ['kind'],
    })
    const schema = {
      properties: { a: { $ref: '#/$defs/node' } },
      $defs: { node: { anyOf: [node('x'), node('y')] } },
    }
    const nested = (depth: number): object =>
      depth === 0 ? { kind: 'x' } : { kind: 'y', child: nested(depth - 1) }
    expect(judge(schema, { a: nested(5) })).toBe('valid')
    expect(judge(schema, { a: nested(100) })).toBe('properties: are nested too deep')
  })

  // With JavaScript's own expressions these would not end.
  it.each<[string, object, unknown, string]>([
    ['a pattern', { pattern: '^(a+)+$' }, `${'a'.repeat(5000)}!`, 'a: must match pattern "^(a+)+$"'],
    ['alternatives', { pattern: '^(a|a)*$' }, `${'a'.repeat(5000)}!`, 'a: must match pattern "^(a|a)*$"'],
    [
      'a pattern of names',
      { patternProperties: { '^(a+)+$': {} }, additionalProperties: false },
      { [`${'a'.repeat(200)}!`]: 1 },
      `a.${'a'.repeat(198)}…: is not in the plan`,
    ],
    [
      'names',
      { propertyNames: { pattern: '^(a+)+$' } },
      { [`${'a'.repeat(200)}!`]: 1 },
      'a: property name must be valid',
    ],
    ['a text of megabytes', { pattern: '.*x.*' }, 'x'.repeat(2 ** 22), 'a: must match pattern ".*x.*"'],
  ])('of %s that backtracks gets its verdict', (_, schema, value, problem) => {
    expect(one(schema, value)).toBe(problem)
  })

  it('of many items that must differ gets its verdict', () => {
    const items = Array.from({ length: 40_000 }, (__, b) => ({ b, c: { d: 1, e: 2 } }))
    expect(one({ uniqueItems: true }, items)).toBe('valid')
    const again = { c: { e: 2, d: 1 }, b: 0 }
    expect(one({ uniqueItems: true }, [...items, again])).toBe('a: must NOT have duplicate items')
    expect(one({ uniqueItems: false }, [1, 1])).toBe('valid')
    expect(one({ uniqueItems: true }, [1, '1', null, 'null', [['a', 1]], { a: 1 }])).toBe('valid')
  })

  it('of a long name has a short problem', () => {
    const problem = judge({}, { ['x'.repeat(400)]: 1 })
    expect(problem.length).toBeLessThan(300)
    expect(problem).toMatch(/…: is not in the plan$/)
  })
})

it('compiles the schema of an event when its first event comes', () => {
  const events: Schemas['events'] = { good: {}, bad: { type: 'nonsense' } }
  expect(verdictOf(events, 'good', {})).toBe('valid')
})

describe('traits', () => {
  const schema = { properties: { seats: { type: 'number' } }, required: ['seats'] }
  const { ofTraits } = createJudge({ events: {}, traits: schema })

  it('are compared where the plan speaks of them, and need not be given', () => {
    expect(ofTraits!.judge({ seats: 3, $signature: 'x' })).toBe('valid')
    expect(ofTraits!.judge({})).toBe('valid')
    expect(ofTraits!.judge({ seats: 'x' })).toBe('seats: must be a number')
    expect(ofTraits!.judge({ seat: 1 })).toBe('seat: is not in the plan')
    expect(createJudge({ events: {} }).ofTraits).toBeUndefined()
  })
})
