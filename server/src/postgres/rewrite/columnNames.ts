import { closingAt, endOf } from '../../sql/guard/readHead.js'
import { isSymbol, type SqlToken } from '../../sql/guard/tokenize.js'
import { typeNameOf } from '../types.js'

/** How Postgres names a column: by what is certain, or by a type or CASE where there is nothing better. */
interface Figure {
  name: string
  isWeak?: boolean
}

const wordAt = (tokens: readonly SqlToken[], at: number) =>
  tokens[at]?.kind === 'word' ? tokens[at].text.toLowerCase() : ''

const nameAt = (token: SqlToken) => (token.kind === 'name' ? token.text : token.text.toLowerCase())

const isName = (token: SqlToken | undefined): token is SqlToken =>
  token?.kind === 'word' || token?.kind === 'name'

/** Words that end no operand, so a name behind them is not a column's. */
const operators =
  /^(and|or|not|is|in|like|ilike|similar|between|then|else|when|case|distinct|from|null|end|precision|zone|varying|escape|collate|interval)$/i

/** Whether the item ends with a name that the client has given it. */
const hasAlias = (item: readonly SqlToken[]): boolean => {
  const [before, last] = item.slice(-2)
  if (item.length < 2 || !isName(last) || !before) return false
  if (wordAt(item, item.length - 2) === 'as') return true
  if (isSymbol(item[1], ':') && !isSymbol(item[2], ':')) return true
  if (last.kind === 'word' && operators.test(last.text)) return false
  return before.kind === 'symbol' ? /^[)\]\d]/.test(before.text) : !operators.test(before.text)
}

/** What stands behind a call and is a part of it. */
const endOfCall = (item: readonly SqlToken[], from: number): number => {
  let at = from
  for (;;) {
    const word = wordAt(item, at + 1)
    if ((word === 'filter' || word === 'over') && isSymbol(item[at + 2], '(')) at = closingAt(item, at + 2)
    else if (word === 'over') at += 2
    else if (word === 'within') at = closingAt(item, at + 3)
    else return at
  }
}

const figureOf = (item: readonly SqlToken[]): Figure | undefined => {
  const first = wordAt(item, 0)
  if (first === 'case')
    return wordAt(item, item.length - 1) === 'end' ? { name: 'case', isWeak: true } : undefined
  if (/^(exists|array)$/.test(first) && closingAt(item, 1) === item.length - 1) return { name: first }
  if (isSymbol(item[0], '[') && closingAt(item, 0) === item.length - 1) return { name: 'array' }
  if (/^(try_)?cast$/.test(first) && isSymbol(item[1], '(') && closingAt(item, 1) === item.length - 1) {
    const as = item.findLastIndex((_, at) => wordAt(item, at) === 'as')
    return castFigure(item.slice(2, as), item.slice(as + 1, -1))
  }
  const cast = item.findLastIndex((_, at) => isSymbol(item[at], ':') && isSymbol(item[at + 1], ':'))
  if (cast > 0 && isType(item.slice(cast + 2))) return castFigure(item.slice(0, cast), item.slice(cast + 2))
  if (isSymbol(item[0], '(') && closingAt(item, 0) === item.length - 1) {
    const inner = item.slice(1, -1)
    return wordAt(inner, 0) === 'select' ? figuresOf(inner)[0]?.figure : figureOf(inner)
  }
  const end = endOf(item, 0)
  if (end === undefined || !isName(item[0])) return undefined
  const whole = isSymbol(item[end], ')') ? endOfCall(item, end) : end
  if (whole !== item.length - 1) return undefined
  let last = 0
  while (isSymbol(item[last + 1], '.') && isName(item[last + 2])) last += 2
  return isName(item[last]) && !/^(null|true|false)$/i.test(item[last]!.text)
    ? { name: nameAt(item[last]!) }
    : undefined
}

const isType = (tokens: readonly SqlToken[]) =>
  tokens.every(({ kind, text }) => kind !== 'symbol' || /^[\d(),.[\]]/.test(text))

const castFigure = (operand: readonly SqlToken[], type: readonly SqlToken[]): Figure => {
  const figure = figureOf(operand)
  if (figure !== undefined && figure.isWeak !== true) return figure
  const names = type.filter(isName).map(({ text }) => text.toLowerCase())
  return { name: typeNameOf(names.at(0) === 'pg_catalog' ? names.slice(1) : names), isWeak: true }
}

interface Item {
  /** Undefined where the name that DuckDB knows is right. */
  figure?: Figure
  isStar: boolean
}

const ends =
  /^(from|where|group|order|having|limit|offset|window|union|intersect|except|qualify|into|fetch|for)$/

/** The items behind the SELECT that the tokens begin with. */
const figuresOf = (tokens: readonly SqlToken[]): Item[] => {
  const items: SqlToken[][] = [[]]
  let from = 1
  if (wordAt(tokens, from) === 'distinct') {
    from = wordAt(tokens, 2) === 'on' ? closingAt(tokens, 3) + 1 : 2
  } else if (wordAt(tokens, from) === 'all') from = 2
  for (let at = from; at < tokens.length && !ends.test(wordAt(tokens, at)); at++) {
    if (isSymbol(tokens[at], ',')) items.push([])
    else {
      const closed = isSymbol(tokens[at], '(') || isSymbol(tokens[at], '[') ? closingAt(tokens, at) : at
      items.at(-1)!.push(...tokens.slice(at, closed + 1))
      at = closed
    }
  }
  return items.map((item): Item => {
    const isStar =
      item.some((token, at) => isSymbol(token, '*') && (at === 0 || isSymbol(item[at - 1], '.'))) ||
      /^columns$/i.test(item[0]?.text ?? '')
    if (isStar || hasAlias(item) || item.length === 0) return { isStar }
    return { isStar, figure: figureOf(item) ?? { name: '?column?' } }
  })
}

/** Where the SELECT of the whole statement stands; -1 where there is none. */
const outerSelect = (tokens: readonly SqlToken[]): number => {
  if (wordAt(tokens, 0) === 'select') return 0
  if (wordAt(tokens, 0) !== 'with') return -1
  for (let at = 1; at < tokens.length; at++) {
    if (wordAt(tokens, at) === 'select') return at
    if (isSymbol(tokens[at], '(')) at = closingAt(tokens, at)
  }
  return -1
}

/** The names that Postgres would give to columns to which the statement gives none. */
export const columnNames = (tokens: readonly SqlToken[], names: readonly string[]): string[] => {
  const at = outerSelect(tokens)
  if (at < 0) return [...names]
  const items = figuresOf(tokens.slice(at))
  const star = items.findIndex(({ isStar }) => isStar)
  const [before, behind] =
    star < 0
      ? [items, []]
      : [items.slice(0, star), items.slice(items.findLastIndex(({ isStar }) => isStar) + 1)]
  return names.map((name, column) => {
    const item = column < before.length ? before[column] : behind[column - names.length + behind.length]
    return item?.figure?.name ?? name
  })
}
