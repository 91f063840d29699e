import { isName, isSymbol, type SqlToken, wordOf } from './tokenize.js'

/** The index of the bracket that closes the one at `opening`; that of the last token when none does. */
export const closingAt = (tokens: readonly SqlToken[], opening: number): number => {
  const pair = tokens[opening]?.pair ?? -1
  return pair > opening ? pair : tokens.length - 1
}

/** Tokens beside each other: the indexes of the first and the last. */
export interface Range {
  first: number
  last: number
}

/** The token that is all of a range; undefined where there are more, or none. */
export const onlyToken = (tokens: readonly SqlToken[], range: Range | undefined): SqlToken | undefined =>
  range?.first === range?.last ? tokens[range?.first ?? -1] : undefined

/** What stands between the commas from `first` to `last`, besides commas within brackets. */
export const itemsOf = (tokens: readonly SqlToken[], { first, last }: Range): Range[] => {
  const items: Range[] = []
  let begin = first
  for (let at = first; at <= last; at++) {
    if (isSymbol(tokens[at], ',')) {
      items.push({ first: begin, last: at - 1 })
      begin = at + 1
    } else at = Math.max(at, tokens[at]!.pair)
  }
  return first > last ? [] : [...items, { first: begin, last }]
}

/** A call whose function is named by the token at `at`, and whose brackets stand at `open` and `close`. */
export interface Call {
  at: number
  open: number
  close: number
}

/** The call that begins with a name, or with the last part of one; undefined when no bracket follows. */
export const callAt = (tokens: readonly SqlToken[], at: number): Call | undefined =>
  isName(tokens[at]) && isSymbol(tokens[at + 1], '(')
    ? { at, open: at + 1, close: closingAt(tokens, at + 1) }
    : undefined

export const argumentsOf = (tokens: readonly SqlToken[], { open, close }: Call): Range[] =>
  itemsOf(tokens, { first: open + 1, last: close - 1 })

/** An operand begins after these words. Before a bracket they are not the name of a function. */
const leads = new Set(
  (
    'select distinct where and or not in is like ilike glob similar between on using when then else having by ' +
    'qualify from limit offset all any some returning as over filter union except intersect values case set'
  ).split(' '),
)

const isOperand = (token: SqlToken | undefined) => isName(token) && !leads.has(wordOf(token))

const isNumber = (token: SqlToken | undefined) => token?.kind === 'symbol' && /^\d/.test(token.text)

const isCast = (tokens: readonly SqlToken[], at: number) =>
  isSymbol(tokens[at], ':') && isSymbol(tokens[at + 1], ':')

/** The names of types that are several words, by their last one. */
const longTypes: Readonly<Record<string, readonly RegExp[]>> = {
  precision: [/^double$/],
  varying: [/^char(acter)?$/],
  zone: [/^time(stamp)?$/, /^with(out)?$/, /^time$/],
}

/** The first word of the type, behind a cast, whose last one stands at a token. */
const startOfType = (tokens: readonly SqlToken[], end: number): number => {
  const words = Object.hasOwn(longTypes, wordOf(tokens[end])) ? longTypes[wordOf(tokens[end])]! : []
  const first = end - words.length
  const isLong = words.every((word, by) => word.test(wordOf(tokens[first + by]))) && isCast(tokens, first - 2)
  return isLong ? first : end
}

/** The last word of the type whose first one stands at a token. */
const endOfType = (tokens: readonly SqlToken[], first: number): number =>
  [first + 1, first + 3].find((end) => startOfType(tokens, end) === first) ?? first

/** Finds where the operand begins that ends with a token; undefined when that is not certain. */
export const operandBefore = (tokens: readonly SqlToken[], end: number): number | undefined => {
  let at = end
  for (;;) {
    at = startOfType(tokens, at)
    if (isSymbol(tokens[at], ')') || isSymbol(tokens[at], ']')) {
      const opening = tokens[at]!.pair
      if (opening < 0) return undefined
      const isSubscript = isSymbol(tokens[opening], '[')
      const before = tokens[opening - 1]
      // FILTER (…), OVER (…) and WITHIN GROUP (…) belong to the call before them.
      const behindCall = wordOf(before) === 'group' && wordOf(tokens[opening - 2]) === 'within' ? 3 : 2
      if (/^(filter|over|group)$/.test(wordOf(before)) && isSymbol(tokens[opening - behindCall], ')')) {
        at = opening - behindCall
        continue
      }
      // A call or a subscript goes on to the left: the function's name, or the value before the bracket.
      if (isOperand(before) || (isSubscript && (isSymbol(before, ')') || isSymbol(before, ']')))) {
        at = opening - 1
        continue
      }
      at = opening
    } else if (tokens[at]?.kind === 'text' || isNumber(tokens[at])) {
      const before = tokens[at - 1]
      // The e of e'…', and the sign of $1.
      if (before?.end === tokens[at]!.start && (/^e$/i.test(before.text) || isSymbol(before, '$'))) at--
    } else if (wordOf(tokens[at - 1]) === 'over' && isSymbol(tokens[at - 2], ')')) {
      at -= 2
      continue
    } else if (!isOperand(tokens[at]) || /^end$/i.test(tokens[at]!.text)) return undefined
    if (isSymbol(tokens[at - 1], '.')) at -= 2
    else if (isCast(tokens, at - 2)) at -= 3
    else return at
  }
}

/** Finds the last token, up to `last`, of the operand that begins with a token; undefined when that is not certain. */
export const operandAt = (
  tokens: readonly SqlToken[],
  start: number,
  last = tokens.length - 1,
): number | undefined => {
  let at = start
  if (isSymbol(tokens[at], '(')) at = closingAt(tokens, at)
  else if (/^(e|array)$/i.test(tokens[at]?.text ?? '') && /^'|^\[$/.test(tokens[at + 1]?.text ?? '')) at++
  else if (isSymbol(tokens[at], '$') && isNumber(tokens[at + 1])) at++
  else if (tokens[at]?.kind !== 'text' && !isNumber(tokens[at]) && !isOperand(tokens[at])) return undefined
  if (isSymbol(tokens[at], '[')) at = closingAt(tokens, at)
  while (at < last) {
    const next = tokens[at + 1]
    if (isSymbol(next, '.') && at + 2 <= last) at += 2
    else if (isSymbol(next, '[') || (isSymbol(next, '(') && isOperand(tokens[at])))
      at = closingAt(tokens, at + 1)
    else if (isCast(tokens, at + 1) && at + 3 <= last) at = endOfType(tokens, at + 3)
    else break
  }
  return at
}

/** What stands behind a call and is a part of it: FILTER, WITHIN GROUP and OVER. `from` is the call's last token. */
export const endOfCall = (tokens: readonly SqlToken[], from: number): number => {
  let at = from
  for (;;) {
    const word = wordOf(tokens[at + 1])
    if ((word === 'filter' || word === 'over') && isSymbol(tokens[at + 2], '('))
      at = closingAt(tokens, at + 2)
    else if (word === 'over') at += 2
    else if (word === 'within') at = closingAt(tokens, at + 3)
    else return at
  }
}

/** Where a call ends, with the casts behind it. */
export const endOfCastCall = (tokens: readonly SqlToken[], from: number): number => {
  let at = endOfCall(tokens, from)
  while (isCast(tokens, at + 1)) {
    at = endOfType(tokens, at + 3)
    while (isSymbol(tokens[at + 1], '(') || isSymbol(tokens[at + 1], '[')) at = closingAt(tokens, at + 1)
  }
  return at
}
