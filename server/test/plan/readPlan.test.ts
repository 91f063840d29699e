import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { z } from 'zod'
import { OperatorError } from '../../src/OperatorError.js'
import { readPlan } from '../../src/plan/readPlan.js'

const folder = mkdtempSync(join(tmpdir(), 'waymark-plan-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'plan.json')

const read = (plan: unknown) => {
  writeFileSync(file, typeof plan === 'string' ? plan : JSON.stringify(plan))
  return readPlan(file)
}
const refusal = (plan: unknown): string => {
  try {
    read(plan)
  } catch (error) {
    expect(error).toBeInstanceOf(OperatorError)
    return (error as Error).message
  }
  return ''
}

it('gives the events of a plan, with an id that changes with them', () => {
  const events = { seen: { type: 'object', properties: { a: { type: 'string' } } } }
  const traits = { type: 'object' }
  const { id, schemas } = read({ events, traits, more: 1 })
  expect(schemas).toEqual({ events, traits })
  expect(read({ events, traits }).id).toBe(id)
  expect(read({ events }).id).not.toBe(id)
  expect(read({ events: { seen: {} } }).id).not.toBe(id)
})

it('takes schemas of other drafts, of one identifier, and of keywords that nobody knows', () => {
  const schema = { $schema: 'http://json-schema.org/draft-07/schema#', $id: 'same', 'x-own': 1 }
  expect(() => read({ events: { one: schema, two: schema } })).not.toThrow()
})

it('names the file', () => {
  expect(refusal('{')).toContain(`The plan ${file} cannot be used: `)
  expect(() => readPlan(join(folder, 'none.json'))).toThrow(/none\.json cannot be used: ENOENT/)
  for (const wrong of [[], { event: {} }, { events: [] }])
    expect(refusal(wrong)).toContain('it reads { "events"')
  expect(refusal({ events: { a: { description: 'x'.repeat(2 ** 20) } } })).toContain('more than 1 MiB')
})

it.each([
  ['no schema', 'x'],
  ['a type that is none', { properties: { a: { type: 'text' } } }],
  ['a pattern that is none', { properties: { a: { pattern: '(' } } }],
  ['a reference to nothing', { properties: { a: { $ref: 'https://example.com/x.json' } } }],
  ['a schema that answers later, within another', { properties: { a: { $async: true, $ref: '#' } } }],
])('names the event with %s', (_, schema) => {
  const message = refusal({ events: { fine: {}, 'Order Completed': schema } })
  expect(message).toContain('event "Order Completed": ')
})

it('refuses schemas too wide or too deep to be compiled, in a sentence', () => {
  const wide = (count: number) => ({
    properties: Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, { type: 'string' }])),
  })
  expect(() => read({ events: { Wide: wide(500) } })).not.toThrow()
  const tooWide = 'lists 501 properties of one object, and a plan at most 500.'
  expect(refusal({ events: { Wide: wide(501) } })).toContain(`event "Wide": its schema ${tooWide}`)
  expect(refusal({ events: { Wide: { properties: { a: { anyOf: [wide(501)] } } } } })).toContain(tooWide)
  expect(refusal({ events: {}, traits: wide(501) })).toContain(`traits: its schema ${tooWide}`)
  const deep = `{"events":{"Deep":${'{"items":'.repeat(5000)}{}${'}'.repeat(5002)}`
  expect(refusal(deep)).toContain('event "Deep": its schema is too large.')
})

it('names traits that are wrong', () => {
  expect(refusal({ events: {}, traits: { type: 'text' } })).toContain('cannot be used: traits: ')
})

it('says which pattern cannot be compared in linear time', () => {
  const withPattern = (pattern: string) => refusal({ events: { Paid: { properties: { a: { pattern } } } } })
  expect(withPattern('^(?=a)a')).toContain(
    'event "Paid": the pattern "^(?=a)a" is none of RE2 (invalid or unsupported Perl syntax: `(?=`).',
  )
  expect(withPattern(String.raw`(a)\1`)).toContain('is none of RE2')
  expect(refusal({ events: { Paid: { patternProperties: { '(?!a)': {} } } } })).toContain('is none of RE2')
})

it('takes the patterns that zod writes', () => {
  const text = z.object({
    mail: z.email(),
    id: z.uuid(),
    at: z.iso.datetime(),
    ip: z.ipv6(),
    starts: z.string().startsWith('a.b'),
    any: z.templateLiteral(['a', z.number()]),
  })
  expect(() => read({ events: { Paid: z.toJSONSchema(text) } })).not.toThrow()
})
