import type { JsonBody } from '../http/parseJson.js'

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
