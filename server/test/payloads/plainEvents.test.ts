import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainEventCounter } from '../../src/payloads/plainEvents.js'
import { payloadReader } from '../../src/payloads/readPayloads.js'

const environments = new Set(['production', 'a.b-c', 'with "quotes"'])
const count = plainEventCounter()
const countIn = (body: string) => count(Buffer.from(body), environments)

const event = {
  environment: 'production',
  event: 'Bought',
  distinct_id: 'u_1',
  anonymous_id: null,
  device_id: '',
  session_id: 'session-1',
  timestamp: '2026-11-21T03:04:05.123Z',
  properties: { $url: 'https://shop.example/?q=ä', insert_id: 'x', price: -12.5, ok: true, none: null },
}
const { environment, properties, ...others } = event

describe('takes', () => {
  it.each([
    ['a list as JSON.stringify writes it', JSON.stringify([event, event])],
    ['spaces as Python writes them', JSON.stringify([event]).replaceAll(/(":|,)(?=["{tn-])/g, '$1 ')],
    ['fields in another order', JSON.stringify([{ properties, ...others, environment }])],
    ['nothing but what must be there', JSON.stringify([{ event: 'a', environment, properties: {} }])],
    ['an environment of several signs', JSON.stringify([{ ...event, environment: 'a.b-c' }])],
    ['the last days of a month', JSON.stringify([{ ...event, timestamp: '2026-08-31T03:04:05Z' }])],
    ['a time in milliseconds', JSON.stringify([{ ...event, timestamp: 1_763_870_000_000 }])],
    ...['', '1', '-10', 'guest-7', 'nullable', '~', 'ada lovelace'].map((id): [string, string] => [
      `the id ${JSON.stringify(id)}`,
      JSON.stringify([{ ...event, distinct_id: id }]),
    ]),
    ['escapes', JSON.stringify([{ ...event, properties: { title: 'a "b" \\ c\n' } }])],
  ])('%s', (_, body) => {
    expect(countIn(body)).toBe(JSON.parse(body).length)
  })
})

describe('leaves to others', () => {
  const withProperties = (text: string) => `[{"environment":"production","event":"a","properties":{${text}}}]`
  it.each([
    ['a single event', JSON.stringify(event)],
    ['no events', '[]'],
    ['a comma at the end', `${JSON.stringify([event]).slice(0, -1)},]`],
    ['a list that does not end', `${JSON.stringify([event]).slice(0, -1)},`],
    ['what comes after it', `${JSON.stringify([event])}]`],
    ['an unknown environment', JSON.stringify([{ ...event, environment: 'staging' }])],
    ['an environment with signs of JSON', '[{"environment":"with "quotes"","event":"a","properties":{}}]'],
    ['no environment', JSON.stringify([{ event: 'a', properties }])],
    ['no event', JSON.stringify([{ environment, properties }])],
    ['no properties', JSON.stringify([{ environment, event: 'a' }])],
    ['an empty name', JSON.stringify([{ ...event, event: '' }])],
    ['a name of 401 characters', JSON.stringify([{ ...event, event: 'a'.repeat(401) }])],
    ['a property of 401 characters', withProperties(`"${'a'.repeat(401)}":1`)],
    ['an unknown $ property', withProperties('"$unknown":1')],
    ['a $ property with more behind it', withProperties('"$url2":1')],
    ['a $ that is escaped', withProperties(String.raw`"\u0024unknown":1`)],
    ['half a character', withProperties(String.raw`"a":"\ud800"`)],
    ['a list among the properties', withProperties('"a":[1]')],
    ['a number out of range', withProperties('"a":1e999')],
    ['a leading zero', withProperties('"a":01')],
    ['a control character', withProperties('"a":"\n"')],
    [
      'a field that comes twice in the second event',
      `[${JSON.stringify(event)},${JSON.stringify(event).replace('{', '{"device_id":"a","device_id":"b",')}]`,
    ],
    ['an unknown field', JSON.stringify([{ ...event, more: 1 }])],
    ['a day that there is not', JSON.stringify([{ ...event, timestamp: '2026-02-29T00:00:00Z' }])],
    ...[
      'undefined',
      'NULL',
      ' null',
      '0',
      '0 ',
      '-1\n',
      '[object Object]',
      '\u00a0nan',
      'nil\u3000',
      '\tguest',
    ].map((id): [string, string] => [
      `the id ${JSON.stringify(id)}`,
      JSON.stringify([{ ...event, session_id: id }]),
    ]),
    ['a time in seconds', JSON.stringify([{ ...event, timestamp: 1_763_870_000 }])],
    ['a time in microseconds', JSON.stringify([{ ...event, timestamp: 1_763_870_000_000_000 }])],
    ['a time with a zone', JSON.stringify([{ ...event, timestamp: '2026-02-20T00:00:00+01:00' }])],
    ['a body over 256 KiB', withProperties(`"a":"${'a'.repeat(2 ** 18)}"`)],
  ])('%s', (_, body) => {
    expect(countIn(body)).toBeUndefined()
  })

  it('bytes that are no UTF-8', () => {
    const body = Buffer.from(withProperties('"a":"?"'))
    body[body.indexOf('?')] = 0xff
    expect(count(body, environments)).toBeUndefined()
  })

  it('an environment that the key may not write to', () => {
    expect(count(Buffer.from(JSON.stringify([event])), new Set(['a.b-c']))).toBeUndefined()
  })
})

const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    'production',
    '$url',
    '$nothing',
    '2026-02-29T00:00:00Z',
    '2026-04-30T23:59:59.1Z',
    '"},{"',
  ),
)
const value = fc.oneof(
  { weight: 8, arbitrary: text },
  { weight: 2, arbitrary: fc.oneof(fc.double(), fc.integer(), fc.boolean(), fc.constant(null)) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
)
const pick = (usual: string) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant<unknown>(usual) }, { weight: 1, arbitrary: value })
const events = fc.array(
  fc.record(
    {
      timestamp: pick('2026-11-21T03:04:05.123Z'),
      environment: pick('production'),
      distinct_id: value,
      event: pick('Bought'),
      properties: fc.dictionary(text, value, { maxKeys: 4 }),
      session_id: value,
    },
    { requiredKeys: ['environment', 'event', 'properties'] },
  ),
  { minLength: 1, maxLength: 3 },
)
/** What a client, or somebody on the way, may get wrong. */
const damage = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  {
    weight: 1,
    arbitrary: fc.record({
      at: fc.nat(400),
      cut: fc.nat(2),
      put: fc.constantFrom(...'"\\{}[],: 0-.$\n\u0000e', '', '\ud800'),
    }),
  },
)

it('counts nothing that would be refused or stored otherwise', async () => {
  const read = payloadReader('track', environments)
  let taken = 0
  await fc.assert(
    fc.asyncProperty(events, damage, fc.constantFrom(0, 1), async (list, damaged, spaces) => {
      let json = JSON.stringify(list, undefined, spaces).replaceAll(/\n */g, '')
      if (damaged !== undefined) {
        const { at, cut, put } = damaged
        json = json.slice(0, at % json.length) + put + json.slice((at % json.length) + cut)
      }
      const body = Buffer.from(json)
      const counted = count(body, environments)
      if (counted === undefined) return
      taken++
      // With a space before it a body is looked at in the usual way.
      const usual = await read(Buffer.concat([Buffer.from(' '), body]), environments)
      expect(usual.count).toBe(counted)
      expect(usual.body.subarray(1).equals(body)).toBe(true)
    }),
    { numRuns: 3000 },
  )
  expect(taken).toBeGreaterThan(30)
})
