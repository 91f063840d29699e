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

/** A lone surrogate is legal in JSON's grammar, but names no character, and no UTF-8 store takes it. */
const mendSurrogates = (json: string): string => {
  // Most bodies hold no escape at all, and looking for two letters is the fastest search there is.
  if (!json.includes(String.raw`\u`) || !/\\u[dD]/.test(json)) return json
  return json.replaceAll(
    /\\u[dD][89abAB][\da-fA-F]{2}(?:\\u[dD][c-fC-F][\da-fA-F]{2})?|\\u[dD][c-fC-F][\da-fA-F]{2}|\\./g,
    (escape) => (escape.length === 6 && /^\\u[dD][89a-fA-F]/.test(escape) ? String.raw`\ufffd` : escape),
  )
}

/** The JSON array to be stored, in the very bytes that were sent wherever these can be stored. */
export const storableBody = ({ bytes, text }: JsonBody, array: string): Buffer => {
  const json = mendSurrogates(array)
  return json === text ? bytes : Buffer.from(json)
}
