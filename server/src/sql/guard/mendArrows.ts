import type { Edits } from '../text/edits.js'
import { operandBefore } from '../text/operands.js'
import { isSymbol, type SqlToken } from '../text/tokenize.js'

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
export const mendArrows = (edits: Edits): void => {
  const { tokens } = edits
  for (let at = 0; at < tokens.length; at++) {
    let length = arrowLength(tokens, at)
    if (length === 0) continue
    // A text or number has no keys.
    const isName = tokens[at - 1]?.kind !== 'text' && !/^\d/.test(tokens[at - 1]?.text ?? '')
    const start = isName ? operandBefore(tokens, at - 1) : undefined
    if (start === undefined) continue
    const keys: number[] = []
    let asText = false
    for (; length > 0 && isKey(tokens[at + length]); length = arrowLength(tokens, at)) {
      asText ||= length === 3
      keys.push(at + length)
      at += length + 1
    }
    // `x -> 'a'` may be a lambda that returns a text, so `->` alone is left as it is.
    if (!asText) continue
    edits.before(start, '(')
    for (const key of keys) {
      const { text } = tokens[key]!
      if (/^'\$[A-Za-z_]\w*'$/.test(text)) edits.replace(key, key, `'$."${text.slice(1, -1)}"'`)
    }
    edits.after(keys.at(-1)!, ')')
  }
}
