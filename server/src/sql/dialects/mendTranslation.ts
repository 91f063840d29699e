import { applyEdits, type Edit } from '../guard/applyEdits.js'
import { isSymbol, type SqlToken, tokenize } from '../guard/tokenize.js'

/** Functions that the transpiler writes by names which DuckDB does not know. */
const names: Readonly<Record<string, string>> = {
  endswith: 'ENDS_WITH',
  iif: 'IF',
  startswith: 'STARTS_WITH',
}

const isWord = (token: SqlToken | undefined, pattern: RegExp) =>
  token?.kind === 'word' && pattern.test(token.text)

/** Where the bracket closes that opens at `open`. */
const closeOf = (tokens: readonly SqlToken[], open: number): SqlToken | undefined => {
  let depth = 0
  return tokens.slice(open).find((token) => {
    if (isSymbol(token, '(')) depth++
    return isSymbol(token, ')') && --depth === 0
  })
}

/** COUNT_IF counts null, and not 0, where no row has a value. */
const countAt = (tokens: readonly SqlToken[], at: number): Edit[] => {
  const [token, open, first] = tokens.slice(at)
  if (!isWord(token, /^count_if$/i) || !isSymbol(open, '(') || isWord(first, /^distinct$/i)) return []
  const close = closeOf(tokens, at + 1)
  if (close === undefined) return []
  return [
    { start: token!.start, end: open!.end, text: 'COUNT(CASE WHEN ' },
    { start: close.start, end: close.start, text: ' THEN 1 END' },
  ]
}

const editAt = (tokens: readonly SqlToken[], at: number): Edit | undefined => {
  const token = tokens[at]!
  const [next, second, third, fourth, fifth] = tokens.slice(at + 1, at + 6)
  const renamed = isSymbol(next, '(') && token.kind === 'word' ? names[token.text.toLowerCase()] : undefined
  if (renamed !== undefined) return { start: token.start, end: token.end, text: renamed }
  // `CAST(properties -> '$.theme' AS TEXT)` would keep the quotes of the JSON.
  const isArrow = isSymbol(token, '-') && isSymbol(next, '>') && next?.start === token.end
  if (isArrow && second?.kind === 'text' && isWord(third, /^as$/i) && isWord(fourth, /^(text|varchar)$/i)) {
    return isSymbol(fifth, ')') ? { start: token.start, end: next.end, text: '->>' } : undefined
  }
  // `INTERVAL -1 DAY` cannot be read.
  if (isWord(token, /^interval$/i) && isSymbol(next, '-') && /^\d+$/.test(second?.text ?? '')) {
    return { start: next!.start, end: second!.end, text: `(-${second!.text})` }
  }
  const isDual =
    isWord(token, /^from$/i) && isWord(next, /^dual$/i) && !isSymbol(second, '.') && !isSymbol(second, ',')
  return isDual ? { start: token.start, end: next!.end, text: '' } : undefined
}

/** Rewrites what the transpiler writes and DuckDB cannot read, or reads as another thing. */
export const mendTranslation = (statement: string): string => {
  const { tokens, problem } = tokenize(statement)
  // The guard refuses it for the same problem.
  if (problem !== undefined) return statement
  const edits = tokens.flatMap((_, at) => [editAt(tokens, at) ?? countAt(tokens, at)].flat())
  return applyEdits(statement, edits)
}
