import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, it } from 'vitest'
import { copy } from '../../src/core/capture'
import { createInstance } from '../../src/core/instance'
import { toJson, toText } from '../../src/core/json'
import type { Waymark } from '../../src/core/types'
import { on } from '../../src/core/signals'
import { createWorld } from '../world/createWorld'

/** What is made of properties, as it is kept and as it is sent, and what is said about them. */
const copied = (given: unknown, tooLong?: Parameters<typeof copy>[2]) => {
  const w = createInstance(createWorld().openTab().browser, {} as Waymark)
  const said: string[] = []
  on(w, 'error', ({ code, message }) => said.push(`${code}: ${message}`))
  const own = copy(w, given, tooLong)
  return { own, said, json: JSON.parse(toJson(own)) as unknown }
}

const selfish = () => {
  const map = new Map<string, unknown>()
  return map.set('self', map)
}

describe('copy', () => {
  it('keeps what JSON can hold', () => {
    const given = {
      text: 'a',
      number: 1.5,
      yes: true,
      nothing: null,
      list: [1, [2]],
      object: { deep: { er: 1 } },
    }
    expect(copied(given).json).toEqual(given)
  })

  it('leaves out what has too long a name, and says so with its beginning', () => {
    const long = 'n'.repeat(401)
    expect(copied({ short: 1, [long]: 2 })).toMatchObject({
      said: [`property-name-too-long: ${'n'.repeat(60)}`],
      json: { short: 1 },
    })
  })

  it('refuses the whole for such a name where it is told so', () => {
    const thrown = (tooLong: Parameters<typeof copy>[2]) => {
      try {
        return copied({ ['n'.repeat(401)]: 2 }, tooLong)
      } catch (error) {
        return error
      }
    }
    expect(thrown('property')).toEqual(['invalid', 'property-name-too-long', 'n'.repeat(401)])
    expect(thrown('trait')).toEqual(['invalid', 'trait-name-too-long', 'n'.repeat(401)])
  })

  it('leaves out of properties what only the service may name, and keeps it in traits', () => {
    const given = { $mine: 1, $url: 'https://shop.test/', own: 2 }
    expect(copied(given)).toMatchObject({
      said: ['unknown-built-in-property: $mine'],
      json: { $url: 'https://shop.test/', own: 2 },
    })
    expect(copied(given, 'trait')).toMatchObject({ said: [], json: given })
  })

  it.each([
    ['nothing', undefined, []],
    ['null', null, ['invalid-properties: null']],
    ['text', 'text', ['invalid-properties: text']],
    ['a list', ['a'], ['invalid-properties: ["a"]']],
  ])('makes no properties of %s', (_, given, said) => {
    expect(copied(given)).toMatchObject({ own: {}, said })
  })

  it('writes dates as ISO 8601, errors as text, maps and sets as lists', () => {
    expect(
      copied({
        at: new Date(0),
        bad: new TypeError('no'),
        map: new Map([['a', 1]]),
        set: new Set([1, 2]),
      }).json,
    ).toEqual({ at: '1970-01-01T00:00:00.000Z', bad: 'TypeError: no', map: [['a', 1]], set: [1, 2] })
  })

  it('writes bigints as strings, at any depth', () => {
    expect(copied({ big: 2n ** 64n, deep: [{ big: 1n }] }).json).toEqual({
      big: '18446744073709551616',
      deep: [{ big: '1' }],
    })
  })

  it('cuts circles', () => {
    const loop: Record<string, unknown> = { name: 'loop' }
    loop['self'] = loop
    expect(copied({ loop }).json).toEqual({ loop: { name: 'loop', self: '[circular]' } })
  })

  it('keeps an object that stands in two places', () => {
    const shared = { n: 1n }
    expect(copied({ a: shared, b: shared }).json).toEqual({ a: { n: '1' }, b: { n: '1' } })
  })

  it('keeps an object that stands in two places of one value', () => {
    const shared = { n: 1n }
    expect(copied({ list: [shared, { inner: shared }, shared] }).json).toEqual({
      list: [{ n: '1' }, { inner: { n: '1' } }, { n: '1' }],
    })
  })

  it('names what the platform makes, such as a DOM node, instead of walking through the page', () => {
    const node = { nodeType: 1, parentNode: {}, [Symbol.toStringTag]: 'HTMLDivElement' }
    expect(copied({ node, file: new Blob(['text']) }).json).toEqual({
      node: '[object HTMLDivElement]',
      file: '[object Blob]',
    })
  })

  it('keeps data whose fields are called as those of a DOM node or a window', () => {
    const given = { rule: { nodeType: 'leaf', postMessage: true, size: 2, entries: ['a'] } }
    expect(copied(given).json).toEqual(given)
  })

  const other = (code: string): unknown => runInNewContext(code)
  const form = new FormData()
  form.append('size', 'xl')

  it.each<[string, unknown, unknown]>([
    ['form data', form, [['size', 'xl']]],
    ['parameters', new URLSearchParams('a=1&a=2'), [['a', '1'], ['a', '2']]], // prettier-ignore
    ['headers', new Headers({ 'X-One': '1' }), [['x-one', '1']]],
    ['bytes', new Uint8Array([1, 2]), [1, 2]],
    ['a pattern', /a+/i, '/a+/i'],
    ['an error', new DOMException('gone', 'NotFoundError'), 'NotFoundError: gone'],
    ['an error of another realm', other('new RangeError("far")'), 'RangeError: far'],
    ['a map of another realm', other('new Map([["a", new Set([1])]])'), [['a', [1]]]],
    ['a date of another realm', other('new Date(0)'), '1970-01-01T00:00:00.000Z'],
    ['a URL', new URL('https://shop.test/a'), 'https://shop.test/a'],
    ['a boxed number', Object(1), 1],
    ['a promise', Promise.resolve(1), '[object Promise]'],
    ['a date that is none', new Date(NaN), null],
    ['a map in which it stands itself', selfish(), [['self', '[circular]']]],
  ])('loses nothing of %s without a word', (_, value, json) => {
    expect(copied({ value, deep: [value] }).json).toEqual({ value: json, deep: [json] })
  })

  it.each<[string, unknown]>([
    ['a map', new Map([['a', 1]])],
    ['a set', new Set([1])],
    ['form data', form],
    ['parameters', new URLSearchParams('a=1')],
    ['headers', new Headers({ a: '1' })],
    ['an error', new Error('no')],
    ['an error of another realm', other('new Error("no")')],
    ['a pattern', /a/],
    ['a file', new Blob(['text'])],
    ['a date', new Date(0)],
  ])('says that %s is no properties', (_, given) => {
    expect(copied(given)).toMatchObject({ own: {}, said: [expect.stringContaining('invalid-properties: ')] })
  })

  it('keeps a property called `__proto__`, or like what all objects have', () => {
    const given = JSON.parse('{"__proto__": {"a": 1}, "constructor": "b", "toString": "c"}') as object
    expect(JSON.stringify(copied(given).json)).toBe(JSON.stringify(given))
  })

  describe('in a page whose lists and dates have a toJSON of the page', () => {
    const types = [Array, Date] as { prototype: { toJSON?: unknown } }[]
    const native = types.map(({ prototype }) => Object.getOwnPropertyDescriptor(prototype, 'toJSON'))
    afterEach(() => {
      types.forEach(({ prototype }, at) => {
        delete prototype.toJSON
        if (native[at]) Object.defineProperty(prototype, 'toJSON', native[at])
      })
    })

    it('writes them as in any other, and asks that of a class of the user', () => {
      class Money {
        toJSON = () => '5 EUR'
      }
      class Steps extends Array<number> {
        toJSON = () => 'steps'
      }
      const given = { list: [1, ['a']], at: new Date(0), deep: { list: [new Date(1)] }, money: new Money() }
      for (const { prototype } of types) prototype.toJSON = () => 'of the page'
      const text = toText(copied({ ...given, steps: new Steps() }).own)
      for (const { prototype } of types) delete prototype.toJSON
      expect(JSON.parse(text)).toEqual({
        list: [1, ['a']],
        at: '1970-01-01T00:00:00.000Z',
        deep: { list: ['1970-01-01T00:00:00.001Z'] },
        money: '5 EUR',
        steps: 'steps',
      })
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
    expect(copied(given).json).toEqual({ fine: 1, bad: '[unreadable]', worse: '[unreadable]' })
  })

  it('survives an object that throws at every touch', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect(copied({ fine: 1, proxy, deep: [proxy] }).json).toEqual({
      fine: 1,
      proxy: '[unreadable]',
      deep: '[unreadable]',
    })
  })

  it('holds nothing that could change after the call, and keeps the names of what is not given', () => {
    const list = [1]
    const { own } = copied({ list, at: new Date(0), none: undefined, fn() {} })
    list.push(2)
    expect(own).toEqual({ list: [1], at: '1970-01-01T00:00:00.000Z', none: undefined, fn: undefined })
    expect(Object.keys(own)).toEqual(['list', 'at', 'none', 'fn'])
  })
})
