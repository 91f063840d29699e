import fc from 'fast-check'
import { expect, it } from 'vitest'
import { storableBody } from '../../../src/http/json/storableJson.js'

const stored = (json: string) => {
  const bytes = Buffer.from(json)
  const body = storableBody({ bytes, text: json }, json)
  return { isAsSent: body === bytes, text: body.toString() }
}

it('puts a mark in the place of half a character, however it is written, and leaves all else', () => {
  const unit = fc.constantFrom(
    '\ud83d',
    '\ude00',
    '\ud800',
    '\udfff',
    '\ud7ff',
    '\\',
    'u',
    'd83d',
    '"',
    'ä',
    '😀',
  )
  const escapeHalf = (half: string, isUpper: boolean) => {
    const code = half.charCodeAt(0).toString(16)
    return String.raw`\u${isUpper ? code.toUpperCase() : code}`
  }
  const escape = (text: string, isUpper: boolean) =>
    /^[\ud800-\udfff]/.test(text)
      ? Array.from({ length: text.length }, (_, at) => escapeHalf(text.charAt(at), isUpper)).join('')
      : JSON.stringify(text).slice(1, -1)
  fc.assert(
    fc.property(fc.array(unit), fc.boolean(), (units, isUpper) => {
      const text = units.join('')
      const whole = text.replaceAll(/\p{Surrogate}/gu, '\ufffd')
      const { isAsSent, text: json } = stored(`["${units.map((each) => escape(each, isUpper)).join('')}"]`)
      expect(JSON.parse(json)).toEqual([whole])
      expect(isAsSent).toBe(whole === text)
    }),
    { numRuns: 1000 },
  )
})
