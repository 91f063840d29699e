import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinSlices, sliceBytes, sliceItems } from '../../../src/http/json/sliceItems.js'

const slices = (json: string) => [...sliceItems(Buffer.from(json))].map(String)
const filler = 'x'.repeat(sliceBytes)

it('leaves a small body as it is', () => {
  for (const json of ['', ' ', '{}', ' [ 1 , 2 ] ', '"a,b"', '[1', '[1,]'])
    expect(slices(json)).toEqual([json])
  const body = Buffer.from('[1]')
  expect([...sliceItems(body)]).toEqual([body])
})

it('parts a large array between items', () => {
  expect(slices(` [ ["${filler}, ]\\""] , {"a":[1,2]} , "${filler}", 4 ] `)).toEqual([
    ` [ ["${filler}, ]\\""] ]`,
    `[ {"a":[1,2]} , "${filler}"]`,
    '[ 4 ] ',
  ])
})

it('what is JSON stays the same in its slices, and what is none is none in one of them', () => {
  const isJson = (json: string) => {
    try {
      return [JSON.parse(json) as unknown]
    } catch {
      return undefined
    }
  }
  const damage = fc.option(
    fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), put: fc.constantFrom(...'"\\{}[],: 0', '') }),
  )
  const large = fc.constantFrom(`"${filler}"`, `["${filler}"]`, `{"a":"${filler}"}`)
  const item = fc.oneof(large, fc.json())
  const around = fc.constantFrom('', ' ', ' \n')
  let parted = 0
  fc.assert(
    fc.property(fc.array(item, { maxLength: 6 }), around, damage, (items, space, damaged) => {
      let json = `${space}[${space}${items.join(`${space},${space}`)}${space}]${space}`
      if (damaged !== null) {
        const places = [...json.matchAll(/[[\]{},]/g)].map(({ index }) => index)
        const at = places[Math.min(places.length - 1, Math.floor(damaged.at * places.length))] ?? 0
        json = json.slice(0, at) + damaged.put + json.slice(at + 1)
      }
      const whole = isJson(json)
      const parts = slices(json)
      if (parts.length > 1) parted++
      const values = parts.map(isJson)
      if (whole === undefined) expect(values).toContain(undefined)
      else {
        expect(values.every((value) => value !== undefined)).toBe(true)
        expect(JSON.parse(joinSlices(parts.map((part) => Buffer.from(part))).toString())).toEqual(whole[0])
      }
    }),
    { numRuns: 300 },
  )
  expect(parted).toBeGreaterThan(10)
})

describe('refuses before it has read much', () => {
  const refusal = (json: Buffer) => {
    try {
      for (const slice of sliceItems(json)) if (slice.length === 0) return undefined
    } catch (error) {
      return error
    }
    return undefined
  }
  const list = (item: string, times: number) => Buffer.from(`[${`${item},`.repeat(times)}${item}]`)

  it.each([
    ['brackets', '['],
    ['braces', '{"a":'],
    ['both', '[{"a":'],
  ])('%s without end', (_, nested) => {
    expect(refusal(Buffer.from(nested.repeat(1_000_000)))).toMatchObject({
      status: 400,
      code: 'invalid-body',
      message: 'The body is nested deeper than 128 levels.',
    })
  })

  it.each([
    ['lists', '[[', '[],'],
    ['numbers', '[[', '0,'],
  ])('an item of a million %s', (_, first, each) => {
    expect(refusal(Buffer.from(first + each.repeat(1_000_000)))).toMatchObject({
      status: 400,
      message: expect.stringMatching(/^An item of the body holds more than 50000 values\./),
    })
  })

  it.each([
    ['fields', '{', '10000 names of fields'],
    ['fields of a list', '{"a":{"b":[{', '10000 names of fields'],
    ['properties', '{"properties":{', '1000 properties or traits'],
  ])('an event of a million %s, alone or among others', (_, first, what) => {
    const event = first + '"a":0,'.repeat(1_000_000)
    expect(refusal(Buffer.from(event))).toMatchObject({
      status: 400,
      message: `The body holds more than ${what}. Send fewer of them in one.`,
    })
    expect(refusal(Buffer.from(`[{},${event}`))).toMatchObject({
      message: `An item of the body holds more than ${what}. Send fewer of them in one.`,
    })
  })

  it('and takes as many items as there is room for', () => {
    expect(refusal(list('{}', 1_000_000))).toBeUndefined()
    expect(refusal(list('{"a":[1,2,3]}', 100_000))).toBeUndefined()
  })
})
