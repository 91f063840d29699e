import { isSymbol, type SqlToken, tokenize } from '../text/tokenize.js'

/**
 * For each bracket that is still open DuckDB's suggester takes about three times as long: 30 ms for
 * four, 0.4 s for seven, 20 s for twelve. It cannot be interrupted, and hundreds of open brackets end
 * the process. A statement of 10,000 characters takes it a tenth of a second.
 */
const maxOpen = 3
const maxDepth = 100
const maxLength = 10_000

/** Writes texts empty and names without signs, so that DuckDB cannot find a bracket inside one. */
const write = (token: SqlToken): string => {
  if (token.kind === 'text') return "''"
  return token.kind === 'name' ? `"${token.text.replaceAll(/[^\w ]/g, '_')}"` : token.text
}

const writeFrom = (tokens: readonly SqlToken[], from: number): string =>
  tokens
    .slice(from)
    .map((token, at) => {
      const before = at === 0 ? undefined : tokens[from + at - 1]
      return `${before !== undefined && before.end < token.start ? ' ' : ''}${write(token)}`
    })
    .join('')

/**
 * Cuts a statement so that DuckDB's suggester can read its end: when more than `maxOpen` brackets are
 * open, only the innermost are kept. Undefined when no part is safe, or when nothing could be suggested.
 */
export const trimStatement = (statement: string): string | undefined => {
  const { tokens, problem } = tokenize(statement)
  const left = statement.slice(tokens.at(-1)?.end ?? 0)
  // A quoted name may still be open; an open text or comment has nothing to suggest.
  if (problem !== undefined && !/^\s*"[^()[\]{}"]*$/.test(left)) return undefined
  const rest = problem === undefined ? left.replace(/\S.*/s, ' ') : left

  if (tokens.some(({ depth }) => depth >= maxDepth)) return undefined
  const start = tokens.findLastIndex((token) => isSymbol(token, ';')) + 1
  const isOpen = ({ kind, text, pair }: SqlToken) => kind === 'symbol' && '([{'.includes(text) && pair < 0
  const open = [...tokens.keys()].filter((at) => at >= start && isOpen(tokens[at]!))
  const outer = open.length > maxOpen ? open.at(-maxOpen)! : undefined
  for (const from of [outer ?? start, open.at(-1)]) {
    if (from === undefined) break
    const text = `${from === start ? '' : 'SELECT '}${writeFrom(tokens, from)}${rest}`
    if (text.length <= maxLength) return text
  }
  return undefined
}
