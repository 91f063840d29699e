import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createJudge, judgeEvent } from '../../src/plan/createJudge.js'
import { judgePlain } from '../../src/plan/Judges.js'

const item = { type: 'object', properties: { sku: { type: 'string' }, price: { type: 'number' } } }
const events = {
  seen: {
    properties: { a: { type: 'number' }, b: {}, items: { type: 'array', items: item } },
    required: ['a'],
  },
  form: { properties: { form_id: { type: 'number' }, $url: { const: 'x' } } },
}
const judge = createJudge({ events })
const slow = (json: string) =>
  (JSON.parse(json) as Parameters<typeof judgeEvent>[1][]).map((event) => judgeEvent(judge, event))

const about = { environment: 'production', distinct_id: 'u', timestamp: '2026-11-21T03:04:05.123Z' }
const event = (name: string, properties: object) => ({ ...about, event: name, properties })

describe('a body of the usual form', () => {
  it.each<[string, string[], string]>([
    [
      'several events',
      ['valid', 'a: must be a number', 'unplanned', 'valid', 'a: is missing'],
      JSON.stringify([
        event('seen', { $url: 'https://a.test/', insert_id: 'x', a: 1, $lib: 'waymark', b: 'ä "b" \\ c\n' }),
        event('seen', { a: 'x', form_id: 1 }),
        event('other', { a: 'x' }),
        event('$pageview', { c: 1 }),
        event('seen', { $url: 'x' }),
      ]),
    ],
    [
      'a list of products',
      ['valid', 'items[].price: must be a number'],
      JSON.stringify([
        event('seen', { a: 1, items: [{ sku: 'x', price: 1 }, {}] }),
        event('seen', { a: 1, items: [{ sku: 'x', price: 'x' }], b: { c: [] } }),
      ]),
    ],
    [
      'names that the plan lists although they are the library’s own',
      ['form_id: must be a number', '$url: must be x', 'valid'],
      JSON.stringify([
        event('form', { form_id: 'x' }),
        event('form', { $url: 'y' }),
        event('form', { $lib: 1 }),
      ]),
    ],
    [
      'names that begin like those of the library',
      ['first_name: is not in the plan', 'insert_ids: is not in the plan', 'gclid_2: is not in the plan'],
      JSON.stringify(
        ['first_name', 'insert_ids', 'gclid_2'].map((name) => event('seen', { a: 1, [name]: 1 })),
      ),
    ],
    [
      'spaces as Python writes them',
      ['valid'],
      '[{"event": "seen", "properties": {"$lib": "x", "a": 1, "b": 2, "insert_id": "x"}}]',
    ],
    ['fields behind the properties', ['valid'], '[{"event":"seen","properties":{"a":1},"device_id":null}]'],
    ['a name twice', ['a: must be a number'], '[{"event":"seen","properties":{"a":1,"$lib":"x","a":"y"}}]'],
    [
      'a name that every object has',
      ['a: is missing'],
      '[{"event":"seen","properties":{"__proto__":{"a":1}}}]',
    ],
  ])('of %s has its verdicts', (_, verdicts, json) => {
    expect(judgePlain(json, judge)).toEqual(verdicts)
    expect(slow(json)).toEqual(verdicts)
  })
})

describe('any other body is left to JSON.parse', () => {
  it.each([
    ['properties first', '[{"properties":{},"event":"seen"}]'],
    ['a field that is unknown', '[{"more":{"event":"seen","properties":{}},"event":"a","properties":{}}]'],
    ['an event that is named twice', '[{"event":"seen","properties":{},"event":"a"}]'],
    ['a name with an escape', String.raw`[{"event":"\u0073een","properties":{"\u0061":1}}]`],
    ['what is nested deeper', '[{"event":"seen","properties":{"a":[[[[1]]]]}}]'],
    ['a line break', '[{"event":"seen",\n"properties":{}}]'],
    ['more than 256 KiB', `[{"event":"seen","properties":{"a":"${'x'.repeat(2 ** 18)}"}}]`],
  ])('%s', (_, json) => {
    expect(judgePlain(json, judge)).toBeUndefined()
    expect(slow(json)).toHaveLength(1)
  })
})

it('has the verdicts that JSON.parse leads to, whatever is sent', () => {
  const name = fc.oneof(
    fc.constantFrom(
      'a',
      'b',
      'items',
      'form_id',
      '$url',
      '$lib',
      'insert_id',
      'first_utm_source',
      'first_name',
      '__proto__',
    ),
    fc.string({ unit: 'grapheme' }),
  )
  const properties = fc.array(fc.tuple(name, fc.jsonValue({ maxDepth: 3 })), { maxLength: 6 })
  const sent = fc.array(
    fc.tuple(fc.constantFrom('seen', 'form', 'other', '$pageview', 'Web Vital', ''), properties),
    {
      maxLength: 4,
    },
  )
  fc.assert(
    fc.property(sent, (list) => {
      const objects = list.map(([called, pairs]) => {
        const fields = pairs.map((pair) => pair.map((part) => JSON.stringify(part)).join(':'))
        return `{"environment":"e","event":${JSON.stringify(called)},"properties":{${fields.join()}},"device_id":"d"}`
      })
      const json = `[${objects.join()}]`
      expect(judgePlain(json, judge) ?? slow(json)).toEqual(slow(json))
    }),
    { numRuns: 2000 },
  )
})
