import { openings, startOf } from './readHead.js'
import { isSymbol, type SqlToken, type Edit } from './tokenize.js'

/** The number of tokens in the arrow that begins here: 2 for `->`, 3 for `->>`, 0 without an arrow. */
const arrowLength = (tokens: readonly SqlToken[], at: number): number => {
  const joined = (offset: number) =>
    isSymbol(tokens[at + offset], '>') && tokens[at + offset]!.start === tokens[at]!.start + offset
  if (!isSymbol(tokens[at], '-') || !joined(1)) return 0
  return joined(2) ? 3 : 2
}

const isKey = (token: SqlToken | undefined) =>
  token?.kind === 'text' || (token?.kind === 'symbol' && /^\d+$/.test(token.text))

/**
 * Makes `properties->>'a' = '1'` mean what its author meant. DuckDB binds `->>` weaker than `=` and takes
 * `'$url'` for a JSON path, so arrows with their keys are put into brackets, and a key that begins with $
 * is written as a path. This is done only for keys that are written out, because there the other reading,
 * which compares the key first, makes no sense.
 */
export const mendArrows = (tokens: readonly SqlToken[]): Edit[] => {
  const edits: Edit[] = []
  let opened: Map<number, number> | undefined
  for (let at = 0; at < tokens.length; at++) {
    let length = arrowLength(tokens, at)
    if (length === 0) continue
    opened ??= openings(tokens)
    // A text or number has no keys.
    const isName = tokens[at - 1]?.kind !== 'text' && !/^\d/.test(tokens[at - 1]?.text ?? '')
    const start = isName ? startOf(tokens, opened, at - 1) : undefined
    if (start === undefined) continue
    const keys: SqlToken[] = []
    let asText = false
    for (; length > 0 && isKey(tokens[at + length]); length = arrowLength(tokens, at)) {
      asText ||= length === 3
      keys.push(tokens[at + length]!)
      at += length + 1
    }
    // `x -> 'a'` may be a lambda that returns a text, so `->` alone is left as it is.
    if (!asText) continue
    edits.push({ start: tokens[start]!.start, end: tokens[start]!.start, text: '(' })
    for (const { text: key, start: from, end: to } of keys) {
      if (/^'\$[A-Za-z_]\w*'$/.test(key))
        edits.push({ start: from, end: to, text: `'$."${key.slice(1, -1)}"'` })
    }
    edits.push({ start: keys.at(-1)!.end, end: keys.at(-1)!.end, text: ')' })
  }
  return edits
}
