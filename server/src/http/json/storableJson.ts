import type { JsonBody } from '../readJson.js'

const maxDepth = 100

/** Says why a parsed value cannot go into a column of JSON; undefined when it can. */
export const checkValue = (value: unknown, depth = 0): string | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'holds a number out of range'
  if (typeof value !== 'object' || value === null) return undefined
  if (depth >= maxDepth) return `is nested deeper than ${maxDepth} levels`
  for (const each of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof each === 'string') continue
    const problem = checkValue(each, depth + 1)
    if (problem !== undefined) return problem
  }
  return undefined
}

const [backslash, letterU] = [0x5c, 0x75]
const unicodeEscapeBytes = 6

type Half = 'high' | 'low' | undefined

/** The half of a character that the escape at an offset names; undefined when it is no such escape. */
const halfAt = (json: Buffer, at: number): Half => {
  if (json[at] !== backslash || json[at + 1] !== letterU || (json[at + 2]! | 0x20) !== 0x64) return undefined
  // The escapes \ud800 to \udbff name a high half, and \udc00 to \udfff a low half.
  const digit = Number.parseInt(String.fromCharCode(json[at + 3]!), 16)
  return digit < 8 ? undefined : digit < 12 ? 'high' : 'low'
}

/** Replaces lone surrogates: JSON's grammar allows them, but they name no character, and no UTF-8 store takes them. */
const mendSurrogates = (json: Buffer): Buffer => {
  // Most bodies hold no such escape, and a search for three letters is the fastest way to see that.
  if (!json.includes(String.raw`\ud`) && !json.includes(String.raw`\uD`)) return json
  let mended: Buffer | undefined
  for (let at = 0; at < json.length; at++) {
    if (json[at] !== backslash) continue
    const half = halfAt(json, at)
    if (half === undefined) {
      // The character after a backslash belongs to its escape, so a second backslash begins none.
      at++
      continue
    }
    if (half === 'high' && halfAt(json, at + unicodeEscapeBytes) === 'low') at += unicodeEscapeBytes
    else (mended ??= Buffer.from(json)).write('fffd', at + 2, 'latin1')
    at += unicodeEscapeBytes - 1
  }
  return mended ?? json
}

/** The JSON array that is stored: the bytes that were sent, whenever they can be stored. */
export const storableBody = ({ bytes, text }: JsonBody, array: string): Buffer =>
  mendSurrogates(array === text ? bytes : Buffer.from(array))
