import { isSymbol, type SqlToken } from './tokenize.js'

const isName = (token: SqlToken | undefined) => token?.kind === 'word' || token?.kind === 'name'
const isWord = (token: SqlToken | undefined, word: RegExp) => token?.kind === 'word' && word.test(token.text)

/** Finds where the brackets that open at a token are closed. Without brackets it returns the token before. */
const endOfBrackets = (tokens: readonly SqlToken[], opening: number): number => {
  let open = 0
  let at = opening
  for (; at < tokens.length; at++) {
    if (isSymbol(tokens[at], '(')) open++
    else if (isSymbol(tokens[at], ')')) open--
    if (open <= 0) break
  }
  return open === 0 && at > opening ? at : opening - 1
}

/** The last token of the type that begins at a token. */
const endOfType = (tokens: readonly SqlToken[], start: number): number => {
  let at = start
  while (isSymbol(tokens[at + 1], '.')) at += 2
  return endOfBrackets(tokens, at + 1)
}

/**
 * Whether a statement makes a VARIANT by a cast. DuckDB 1.5.6 crashes on some uses of a VARIANT:
 * `list_sort(1::VARIANT)`, and a cast of deeply nested JSON. A column may be called `variant`.
 */
export const castsToVariant = (tokens: readonly SqlToken[]): boolean => {
  if (!tokens.some((token) => isName(token) && /^variant$/i.test(token.text))) return false
  /** Holds for each open bracket whether it belongs to a cast. */
  const casts: boolean[] = []
  for (const [at, token] of tokens.entries()) {
    if (isSymbol(token, '(')) casts.push(isWord(tokens[at - 1], /^(try_)?cast$/i))
    else if (isSymbol(token, ')')) casts.pop()
    const isType =
      (isSymbol(token, ':') && isSymbol(tokens[at - 1], ':')) ||
      (isWord(token, /^as$/i) && casts.at(-1) === true)
    const type = isType ? tokens.slice(at + 1, endOfType(tokens, at + 1) + 1) : []
    if (type.some((each) => isName(each) && /^variant$/i.test(each.text))) return true
    // `VARIANT 'x'` is a cast as well.
    if (isName(token) && /^variant$/i.test(token.text) && tokens[at + 1]?.kind === 'text') return true
  }
  return false
}
