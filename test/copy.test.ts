import { describe, expect, it } from 'vitest'
import { fitProperties, isTooLong } from '../src/capture/fitProperties'
import { toJson } from '../src/json'

const fitted = (given: unknown, isFrozen = false) => {
  const said: string[] = []
  const say = (code: string, name: string) => said.push(`${code}: ${name}`)
  const own = fitProperties(given, 'property', isFrozen, say, say)
  return { own, said, json: JSON.parse(toJson(own)) as unknown }
}

describe('isTooLong', () => {
  it('counts code points, as the contract says characters', () => {
    expect(isTooLong('x'.repeat(400))).toBe(false)
    expect(isTooLong('x'.repeat(401))).toBe(true)
    expect(isTooLong('🎈'.repeat(400))).toBe(false)
    expect(isTooLong('🎈'.repeat(401))).toBe(true)
  })
})

describe('fitProperties', () => {
  it('keeps what JSON can hold', () => {
    const given = {
      text: 'a',
      number: 1.5,
      yes: true,
      nothing: null,
      list: [1, [2]],
      object: { deep: { er: 1 } },
    }
    expect(fitted(given).json).toEqual(given)
  })

  it('leaves out what has too long a name, and says so', () => {
    const long = 'n'.repeat(401)
    expect(fitted({ short: 1, [long]: 2 })).toMatchObject({
      said: [`property-name-too-long: ${long}`],
      json: { short: 1 },
    })
  })

  it('writes dates as ISO 8601, errors as text, maps and sets as lists', () => {
    expect(
      fitted({
        at: new Date(0),
        bad: new TypeError('no'),
        map: new Map([['a', 1]]),
        set: new Set([1, 2]),
      }).json,
    ).toEqual({ at: '1970-01-01T00:00:00.000Z', bad: 'TypeError: no', map: [['a', 1]], set: [1, 2] })
  })

  it('writes bigints as strings, at any depth', () => {
    expect(fitted({ big: 2n ** 64n, deep: [{ big: 1n }] }).json).toEqual({
      big: '18446744073709551616',
      deep: [{ big: '1' }],
    })
  })

  it('cuts circles', () => {
    const loop: Record<string, unknown> = { name: 'loop' }
    loop['self'] = loop
    expect(fitted({ loop }).json).toEqual({ loop: { name: 'loop', self: '[circular]' } })
  })

  it('keeps an object that stands in two places', () => {
    const shared = { n: 1n }
    expect(fitted({ a: shared, b: shared }).json).toEqual({ a: { n: '1' }, b: { n: '1' } })
  })

  it('names a DOM node or a window instead of walking through the page', () => {
    const node = { nodeType: 1, parentNode: {}, [Symbol.toStringTag]: 'HTMLDivElement' }
    expect(fitted({ node, window: { postMessage() {} } }).json).toEqual({
      node: '[object HTMLDivElement]',
      window: '[object Object]',
    })
  })

  it('survives getters and toJSON that throw', () => {
    const given = {
      fine: 1,
      get bad(): never {
        throw new Error('no')
      },
      worse: {
        toJSON() {
          throw new Error('no')
        },
      },
    }
    expect(fitted(given).json).toEqual({ fine: 1, bad: '[unreadable]', worse: '[unreadable]' })
  })

  it('survives an object that throws at every touch', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect(fitted({ fine: 1, proxy, deep: [proxy] }).json).toEqual({
      fine: 1,
      proxy: '[unreadable]',
      deep: ['[unreadable]'],
    })
  })

  it('freezes what could change after the call, and keeps the names of what is not given', () => {
    const list = [1]
    const { own } = fitted({ list, at: new Date(0), none: undefined, fn() {} }, true)
    list.push(2)
    expect(own).toEqual({ list: [1], at: '1970-01-01T00:00:00.000Z', none: undefined, fn: undefined })
    expect(Object.keys(own)).toEqual(['list', 'at', 'none', 'fn'])
  })
})
