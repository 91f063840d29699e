import { isSymbol, type SqlToken } from './tokenize.js'

/** An operand begins after these words. Before a bracket they are not the name of a function. */
const leads = new Set(
  (
    'select distinct where and or not in is like ilike glob similar between on using when then else having by ' +
    'qualify from limit offset all any some returning as over filter union except intersect values case set'
  ).split(' '),
)

const isName = (token: SqlToken | undefined) =>
  token?.kind === 'name' || (token?.kind === 'word' && !leads.has(token.text.toLowerCase()))

const isNumber = (token: SqlToken | undefined) => token?.kind === 'symbol' && /^\d/.test(token.text)

/** For each closing bracket the index of the one that it closes. */
export const openings = (tokens: readonly SqlToken[]): Map<number, number> => {
  const found = new Map<number, number>()
  const open: number[] = []
  for (const [at, token] of tokens.entries()) {
    if (isSymbol(token, '(') || isSymbol(token, '[')) open.push(at)
    else if ((isSymbol(token, ')') || isSymbol(token, ']')) && open.length > 0) found.set(at, open.pop()!)
  }
  return found
}

/** The index of the bracket that closes the one at `opening`; that of the last token when none does. */
export const closingAt = (tokens: readonly SqlToken[], opening: number): number => {
  let open = 0
  for (let at = opening; at < tokens.length; at++) {
    if (isSymbol(tokens[at], '(') || isSymbol(tokens[at], '[')) open++
    else if ((isSymbol(tokens[at], ')') || isSymbol(tokens[at], ']')) && --open === 0) return at
  }
  return tokens.length - 1
}

/** Finds where the operand begins that ends with a token; undefined when that is not certain. */
export const startOf = (
  tokens: readonly SqlToken[],
  opened: ReadonlyMap<number, number>,
  end: number,
): number | undefined => {
  let at = end
  for (;;) {
    if (isSymbol(tokens[at], ')') || isSymbol(tokens[at], ']')) {
      const opening = opened.get(at)
      if (opening === undefined) return undefined
      const isSubscript = isSymbol(tokens[opening], '[')
      const before = tokens[opening - 1]
      // A call or a subscript goes on to the left: the function's name, or the value before the bracket.
      if (isName(before) || (isSubscript && (isSymbol(before, ')') || isSymbol(before, ']')))) {
        at = opening - 1
        continue
      }
      at = opening
    } else if (tokens[at]?.kind === 'text' || isNumber(tokens[at])) {
      const before = tokens[at - 1]
      // The e of e'…', and the sign of $1.
      if (before?.end === tokens[at]!.start && (/^e$/i.test(before.text) || isSymbol(before, '$'))) at--
    } else if (!isName(tokens[at]) || /^end$/i.test(tokens[at]!.text)) return undefined
    if (isSymbol(tokens[at - 1], '.')) at -= 2
    else if (isSymbol(tokens[at - 1], ':') && isSymbol(tokens[at - 2], ':')) at -= 3
    else return at
  }
}

/** Finds the last token of the operand that begins with a token; undefined when that is not certain. */
export const endOf = (tokens: readonly SqlToken[], start: number): number | undefined => {
  let at = start
  if (isSymbol(tokens[at], '(')) at = closingAt(tokens, at)
  else if (/^(e|array)$/i.test(tokens[at]?.text ?? '') && /^'|^\[$/.test(tokens[at + 1]?.text ?? '')) at++
  else if (isSymbol(tokens[at], '$') && isNumber(tokens[at + 1])) at++
  else if (tokens[at]?.kind !== 'text' && !isNumber(tokens[at]) && !isName(tokens[at])) return undefined
  if (isSymbol(tokens[at], '[')) at = closingAt(tokens, at)
  for (;;) {
    const next = tokens[at + 1]
    if (isSymbol(next, '.') && tokens[at + 2] !== undefined) at += 2
    else if (isSymbol(next, '(') && isName(tokens[at])) at = closingAt(tokens, at + 1)
    else if (isSymbol(next, '[')) at = closingAt(tokens, at + 1)
    else if (isSymbol(next, ':') && isSymbol(tokens[at + 2], ':') && tokens[at + 3] !== undefined) at += 3
    else return at
  }
}
