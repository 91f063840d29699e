import { expect, it, vi } from 'vitest'
import { brief, byteLength, toIso } from '../../src/core/json'

it('brief cuts no character in half', () => {
  for (let before = 50; before < 62; before++)
    expect(brief('a'.repeat(before) + '👋🏽👋🏽')).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/)
})

it('writes times as ISO 8601, also where the page has another toISOString', () => {
  const times = [0, 999, 1000, Date.UTC(2026, 0, 1, 12, 0, 0, 7), -1, -62167219200000, 253402300799999]
  const texts = times.map((at) => new Date(at).toISOString())
  expect(times.map(toIso)).toEqual(texts)
  expect([NaN, Infinity, -62167219200001, 253402300800000].map(toIso)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
  const { toISOString } = Date.prototype
  // As Datejs has it: in quotes, and to the second.
  vi.spyOn(Date.prototype, 'toISOString').mockImplementation(function (this: Date) {
    return `"${toISOString.call(this).slice(0, 19)}Z"`
  })
  expect(times.map(toIso)).toEqual(texts)
  vi.restoreAllMocks()
})

it.each(['', 'plain', '\0\x7f', 'é', '€', '\u07ff\u0800\ud7ff\ue000\uffff', 'a 👋🏽 b', '漢字かな'])(
  'byteLength counts the bytes of %j as UTF-8',
  (text) => {
    const { length } = new TextEncoder().encode(text)
    // As in Jest's jsdom.
    vi.stubGlobal('TextEncoder', undefined)
    expect(byteLength(text)).toBe(length)
    vi.unstubAllGlobals()
  },
)
