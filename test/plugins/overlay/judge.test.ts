import { describe, expect, it } from 'vitest'
import { judge, type Plan } from '../../../src/plugins/overlay/judge'
import type { Properties } from '../../../src/core/types'

const order = {
  $comment: 'plan.ts:12',
  type: 'object',
  properties: {
    total: { type: 'number', minimum: 0 },
    currency: { enum: ['EUR', 'USD'] },
    coupon: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    items: {
      type: 'array',
      items: { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] },
    },
    mail: { type: 'string', format: 'email' },
  },
  required: ['total', 'currency'],
}

const ask = (plan: Plan, properties: Properties, name = 'Order Completed') =>
  judge(plan, { kind: 'track', name, properties })
const plan: Plan = { events: { 'Order Completed': order } }
const right = { total: 99.5, currency: 'EUR' }

describe('an event', () => {
  it('that is as planned is valid, also with what the library and its plugins add', async () => {
    const built = { $lib: 'waymark', $release: undefined, insert_id: 'a', browser_time_zone: 'Europe/Berlin' }
    expect(await ask(plan, { ...built, ...right, coupon: null, mail: 'no address' })).toEqual({
      plan: 'valid',
      problems: [],
      line: 'plan.ts:12',
    })
  })

  it('of a name that is not planned is unplanned, but for those of the library and its plugins', async () => {
    expect(await ask(plan, {}, 'Order Complete')).toMatchObject({ plan: 'unplanned' })
    expect(await ask(plan, {}, 'constructor')).toMatchObject({ plan: 'unplanned' })
    expect(await ask(plan, {}, '$pageview')).toMatchObject({ plan: 'valid' })
    expect(await ask(plan, {}, 'Page Engaged')).toMatchObject({ plan: 'valid' })
  })

  it.each<[Properties, string[]]>([
    [{ currency: 'EUR', total: '99' }, ['total: must be a number']],
    [{ total: 1 }, ['currency: is missing']],
    [{ ...right, voucher: 1 }, ['voucher: is not in the plan']],
    [{ total: -1, currency: 'GBP' }, ['total: must be >= 0', 'currency: must be one of EUR, USD']],
    [{ ...right, coupon: 1 }, ['coupon: must be a string or null']],
    [{ ...right, items: [{ price: 'a' }, {}] }, ['items[].price: must be a number']],
    [{ ...right, 'a/b~c d': 1 }, ['a/b~c d: is not in the plan']],
  ])('with %j has problems in the words of the service', async (properties, problems) => {
    expect(await ask(plan, properties)).toMatchObject({ plan: 'invalid', problems, line: 'plan.ts:12' })
  })

  it('may have more properties where its schema says so', async () => {
    const open = { ...order, additionalProperties: true }
    expect(await ask({ events: { 'Order Completed': open } }, { ...right, voucher: 1 })).toMatchObject({
      plan: 'valid',
    })
  })

  it('is compared by what a schema refers to', async () => {
    const schema = {
      $defs: { money: { type: 'number', maximum: 10 } },
      properties: { a: { $ref: '#/$defs/money' } },
    }
    expect(await ask({ events: { A: schema } }, { a: 11 }, 'A')).toMatchObject({
      problems: ['a: must be <= 10'],
    })
  })
})

describe('a Standard Schema checks itself', () => {
  const schema = (validate: (value: Properties) => object | Promise<object>) => ({
    events: { A: { '~standard': { version: 1, vendor: 'test', validate } } },
  })
  const issue = (message: string, ...path: (string | number | { key: string })[]) => ({
    issues: [{ message, path }],
  })

  it.each<[string, Properties, object, string]>([
    [
      'a wrong type',
      { total: '9' },
      issue('Invalid input: expected number, received string', 'total'),
      'total: must be a number',
    ],
    [
      'what is missing',
      {},
      issue('Invalid input: expected string, received undefined', 'currency'),
      'currency: is missing',
    ],
    ['its own words', { a: [{ b: 1 }] }, issue('Too small', { key: 'a' }, 0, 'b'), 'a[].b: Too small'],
    ['what it leaves out', { a: 1, coupon: 'x' }, { value: { a: 1 } }, 'coupon: is not in the plan'],
  ])('and says %s', async (_, properties, result, problem) => {
    expect(
      await ask(
        schema(async () => result),
        properties,
        'A',
      ),
    ).toEqual({
      plan: 'invalid',
      problems: [problem],
    })
  })

  it('and sees nothing that the library adds', async () => {
    const strict = schema((value) => (Object.keys(value).length ? issue('Unrecognized key') : { value }))
    expect(await ask(strict, { $lib: 'waymark', insert_id: 'a' }, 'A')).toMatchObject({ plan: 'valid' })
  })
})

describe('traits', () => {
  it('are compared where the plan has any', async () => {
    const traits = { type: 'object', properties: { email: { type: 'string' } } }
    const call = { kind: 'identify', name: 'ann', properties: { email: 1 } } as const
    expect(await judge({ events: {}, traits }, call)).toMatchObject({ problems: ['email: must be a string'] })
    expect(await judge({ events: {} }, call)).toBeUndefined()
    const none = { ...call, properties: {} }
    expect(await judge({ events: {}, traits: { ...traits, required: ['email'] } }, none)).toMatchObject({
      problems: [],
    })
    const issues = [
      { message: 'Required', path: ['email'] },
      { message: 'Required', path: ['a', 'b'] },
    ]
    const standard = { '~standard': { version: 1, vendor: 'test', validate: () => ({ issues }) } }
    expect(await judge({ events: {}, traits: standard }, none)).toMatchObject({
      problems: ['a.b: is missing'],
    })
    expect(await judge({ events: {}, traits }, { ...call, kind: 'alias' })).toBeUndefined()
  })
})
