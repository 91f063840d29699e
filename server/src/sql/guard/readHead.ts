import { type SqlToken, isSymbol } from './tokenize.js'

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

export interface StatementHead {
  /** What is done. For `EXPLAIN (FORMAT JSON) ANALYZE COPY …` it is `copy`. */
  verb: string
  /** What a CREATE, DROP or ALTER is about: `table`, `type`, `secret`. Empty for other statements. */
  object: string
  isTemporary: boolean
  /** Whether it says `OR REPLACE` or `IF NOT EXISTS`: something of that name may exist already. */
  takesExisting: boolean
  /** The name that follows, part by part. */
  name: readonly string[]
  /** The index of the token that is the name's last part; -1 without a name. */
  nameAt: number
}

const beforeObject = new Set('or replace temp temporary local global persistent unique'.split(' '))
const beforeName = new Set(['if', 'not', 'exists'])

/** Finds where the bracket that opens at a token is closed. When it is not, the result is behind the last token. */
const closingOf = (tokens: readonly SqlToken[], opening: number): number => {
  let open = 0
  let at = opening
  for (; at < tokens.length; at++) {
    const { kind, text } = tokens[at]!
    if (kind !== 'symbol') continue
    if (text === '(') open++
    else if (text === ')' && --open === 0) break
  }
  return at
}

/** Reads the first words of a statement, up to the name of what it makes or changes. */
export const readHead = (tokens: readonly SqlToken[]): StatementHead => {
  let at = 0
  const wordAt = () => (tokens[at]?.kind === 'word' ? tokens[at]!.text.toLowerCase() : '')
  const isAt = (text: string) => tokens[at]?.kind === 'symbol' && tokens[at]?.text === text
  if (wordAt() === 'explain') {
    for (at = 1; at < tokens.length; at++) {
      // A quoted `")"` may be the value of an option, and closes nothing.
      if (isAt('(')) at = closingOf(tokens, at)
      else if (wordAt() !== 'analyze' && wordAt() !== 'verbose') break
    }
  }
  const verb = wordAt()
  const head = {
    verb,
    object: '',
    isTemporary: false,
    takesExisting: false,
    name: [] as string[],
    nameAt: -1,
  }
  if (!/^(create|drop|alter)$/.test(verb)) return head
  for (at++; beforeObject.has(wordAt()); at++) {
    head.isTemporary ||= wordAt().startsWith('temp')
    head.takesExisting ||= wordAt() === 'replace'
  }
  head.object = wordAt()
  for (at++; beforeName.has(wordAt()); at++) head.takesExisting ||= wordAt() === 'not'
  for (; tokens[at]?.kind === 'word' || tokens[at]?.kind === 'name'; at++) {
    head.name.push(tokens[at]!.text)
    head.nameAt = at++
    if (!isAt('.')) break
  }
  return head
}
