import type { JsonBody } from '../http/readJson.js'

const maxDepth = 100

/** What is wrong with a value that is JSON already, for a column that holds JSON; undefined when it is fine. */
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

/** Which half of a character the escape there names. */
const halfAt = (json: Buffer, at: number): Half => {
  if (json[at] !== backslash || json[at + 1] !== letterU || (json[at + 2]! | 0x20) !== 0x64) return undefined
  // 8, 9, a and b begin the first half's last three digits, and c to f the second's.
  const digit = Number.parseInt(String.fromCharCode(json[at + 3]!), 16)
  return digit < 8 ? undefined : digit < 12 ? 'high' : 'low'
}

/** A lone surrogate is legal in JSON's grammar, but names no character, and no UTF-8 store takes it. */
const mendSurrogates = (json: Buffer): Buffer => {
  // Most bodies hold no such escape, and looking for three letters is the fastest search there is.
  if (!json.includes(String.raw`\ud`) && !json.includes(String.raw`\uD`)) return json
  let mended: Buffer | undefined
  for (let at = 0; at < json.length; at++) {
    if (json[at] !== backslash) continue
    const half = halfAt(json, at)
    if (half === undefined) {
      // What follows a backslash begins no escape of its own.
      at++
      continue
    }
    if (half === 'high' && halfAt(json, at + unicodeEscapeBytes) === 'low') at += unicodeEscapeBytes
    else (mended ??= Buffer.from(json)).write('fffd', at + 2, 'latin1')
    at += unicodeEscapeBytes - 1
  }
  return mended ?? json
}

/** The JSON array to be stored, in the very bytes that were sent wherever these can be stored. */
export const storableBody = ({ bytes, text }: JsonBody, array: string): Buffer =>
  mendSurrogates(array === text ? bytes : Buffer.from(array))
