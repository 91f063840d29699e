import {
  closingAt,
  endOfCall,
  itemsOf,
  operandAt,
  operandBefore,
  type Range,
} from '../../sql/text/operands.js'
import { isName, isSymbol, type SqlToken, wordOf } from '../../sql/text/tokenize.js'
import { quoteIdentifier } from '../../duckdb/quote.js'
import { nameOf } from '../statements/statements.js'
import { typeNameOf } from '../types.js'
import type { Rewrite } from './Rewrite.js'

/** How Postgres names a column: by what is certain, or by a type or CASE where there is nothing better. */
interface Figure {
  name: string
  isWeak?: boolean
  /** Postgres's name for the type of a cast. */
  type?: string
  isCall?: boolean
  /** Whether it is a column, whose name DuckDB knows. */
  isColumn?: boolean
}

/** Words that end no operand, so a name behind them is not a column's. */
const operators =
  /^(and|or|not|is|in|like|ilike|similar|between|then|else|when|case|distinct|from|null|end|precision|zone|varying|escape|collate|interval|over)$/i

type Tokens = readonly SqlToken[]

/** Whether the item ends with a name that the client has given it. */
const hasAlias = (tokens: Tokens, { first, last }: Range): boolean => {
  const [before, end] = [tokens[last - 1], tokens[last]]
  if (first >= last || !isName(end) || !before) return false
  if (wordOf(before) === 'as') return true
  if (isSymbol(tokens[first + 1], ':') && !isSymbol(tokens[first + 2], ':')) return true
  if (operators.test(wordOf(end))) return false
  if (wordOf(tokens[last - 2]) === 'interval' && before.kind === 'text') return false
  return before.kind === 'symbol' ? /^[)\]\d]/.test(before.text) : !operators.test(before.text)
}

const figureOf = (tokens: Tokens, { first, last }: Range): Figure | undefined => {
  const begin = tokens[first]
  if (begin === undefined) return undefined
  const word = wordOf(begin)
  const isWhole = (opening: number) => tokens[opening]?.pair === last
  const findLast = (around: number, isMeant: (at: number) => boolean) => {
    let at = last
    while (at >= first && !(tokens[at]!.around === around && isMeant(at))) at--
    return at
  }
  if (word === 'case' && wordOf(tokens[last]) === 'end') {
    const other = findLast(begin.around, (at) => /^(else|case)$/.test(wordOf(tokens[at])))
    const figure =
      wordOf(tokens[other]) === 'else' ? figureOf(tokens, { first: other + 1, last: last - 1 }) : undefined
    return figure === undefined || figure.isWeak === true
      ? { name: 'case', isWeak: true }
      : { name: figure.name }
  }
  if (/^(exists|array)$/.test(word) && isWhole(first + 1)) return { name: word }
  if (isSymbol(begin, '[') && isWhole(first)) return { name: 'array' }
  if (/^(try_)?cast$/.test(word) && isSymbol(tokens[first + 1], '(') && isWhole(first + 1)) {
    const as = findLast(first + 1, (at) => wordOf(tokens[at]) === 'as')
    return castFigure(tokens, { first: first + 2, last: as - 1 }, tokens.slice(as + 1, last))
  }
  const isZone = wordOf(tokens[last - 1]) === 'zone' && wordOf(tokens[last - 3]) === 'at'
  if (isZone && isOperand(tokens, { first, last: last - 4 })) return { name: 'timezone' }
  const cast = findLast(begin.around, (at) => isSymbol(tokens[at], ':') && isSymbol(tokens[at + 1], ':'))
  // Another operator before the operand is the outer one, and gives no name.
  if (cast > first && isOperand(tokens, { first, last: cast - 1 })) {
    const type = tokens.slice(cast + 2, last + 1)
    if (isType(type)) return castFigure(tokens, { first, last: cast - 1 }, type)
  }
  if (isSymbol(begin, '(') && isWhole(first)) {
    const inner = { first: first + 1, last: last - 1 }
    return wordOf(tokens[first + 1]) === 'select'
      ? figuresOf(tokens, inner)[0]?.figure
      : figureOf(tokens, inner)
  }
  if (word === 'e' && last === first + 1 && tokens[last]?.kind === 'text') return undefined
  const isInterval = last === first + 2 && isName(tokens[last]) && tokens[first + 1]?.kind === 'text'
  if (word === 'interval' && isInterval) return { name: 'interval', isWeak: true }
  if (isName(begin) && last === first + 1 && tokens[last]?.kind === 'text')
    return castFigure(tokens, { first: last, last }, [begin])
  const subscript = isSymbol(tokens[last], ']') ? tokens[last]!.pair : -1
  if (subscript > first && !isName(tokens[subscript - 1]))
    return figureOf(tokens, { first, last: subscript - 1 })
  const end = isName(begin) ? operandAt(tokens, first, last) : undefined
  if (end === undefined) return undefined
  if ((isSymbol(tokens[end], ')') ? endOfCall(tokens, end) : end) !== last) return undefined
  let at = first
  while (isSymbol(tokens[at + 1], '.') && isName(tokens[at + 2])) at += 2
  if (word === 'trim' && at === first) return { name: trimName(tokens[first + 2]) }
  if (/^(null|true|false)$/i.test(tokens[at]!.text)) return undefined
  return { name: nameOf(tokens[at]!), isCall: at < last, isColumn: at === last }
}

/** `trim(leading from x)` is `ltrim`. */
const trimName = (side: SqlToken | undefined): string =>
  ({ leading: 'ltrim', trailing: 'rtrim' })[wordOf(side)] ?? 'btrim'

/** Whether these tokens are one operand, and not two with an operator between them. */
const isOperand = (tokens: Tokens, { first, last }: Range): boolean => {
  if (wordOf(tokens[first]) === 'case') return wordOf(tokens[last]) === 'end'
  const start = operandBefore(tokens, last)
  return start === first || (start === first + 1 && tokens[start]?.kind === 'text' && isName(tokens[first]))
}

const isType = (tokens: Tokens) =>
  tokens.every(({ kind, text }) => kind !== 'symbol' || /^[\d(),.[\]]/.test(text))

const castFigure = (tokens: Tokens, operand: Range, type: Tokens): Figure => {
  const figure = figureOf(tokens, operand)
  const names = type.filter(isName).map(({ text }) => text.toLowerCase())
  const name = typeNameOf(names.at(0) === 'pg_catalog' ? names.slice(1) : names)
  if (figure !== undefined && figure.isWeak !== true) return { name: figure.name, type: name }
  return { name, isWeak: true, type: name }
}

interface Item extends Range {
  /** Undefined where the name that DuckDB knows is right. */
  figure?: Figure
  isStar: boolean
}

const ends =
  /^(from|where|group|order|having|limit|offset|window|union|intersect|except|qualify|into|fetch|for)$/

/** The items behind the SELECT that the tokens begin with. */
const figuresOf = (tokens: Tokens, { first, last }: Range): Item[] => {
  let from = first + 1
  if (wordOf(tokens[from]) === 'distinct')
    from = wordOf(tokens[from + 1]) === 'on' ? closingAt(tokens, from + 2) + 1 : from + 1
  else if (wordOf(tokens[from]) === 'all') from++
  let end = from
  const isEnd = (at: number) =>
    ends.test(wordOf(tokens[at])) && !/^(distinct|within)$/.test(wordOf(tokens[at - 1]))
  for (; end <= last && !isEnd(end); end++) end = Math.max(end, tokens[end]!.pair)
  return itemsOf(tokens, { first: from, last: end - 1 }).map((range): Item => {
    const item = tokens.slice(range.first, range.last + 1)
    const isStar =
      item.some((token, at) => isSymbol(token, '*') && (at === 0 || isSymbol(item[at - 1], '.'))) ||
      /^columns$/i.test(item[0]?.text ?? '')
    if (isStar || hasAlias(tokens, range) || item.length === 0) return { ...range, isStar }
    return { ...range, isStar, figure: figureOf(tokens, range) ?? { name: '?column?' } }
  })
}

/** The names that Postgres would give to columns to which the statement gives none, and what else is seen of them. */
export const columnFigures = (tokens: Tokens, names: readonly string[]): Figure[] => {
  if (wordOf(tokens[0]) === 'values') return names.map((_, at) => ({ name: `column${at + 1}` }))
  // Behind a WITH the SELECT of the whole statement is the first one outside of brackets.
  const isWith = wordOf(tokens[0]) === 'with'
  const first = tokens.findIndex(
    (token, at) => token.depth === 0 && wordOf(token) === 'select' && (at === 0 || isWith),
  )
  if (first < 0) return names.map((name) => ({ name }))
  const items = figuresOf(tokens, { first, last: tokens.length - 1 })
  const star = items.findIndex(({ isStar }) => isStar)
  const [before, behind] =
    star < 0
      ? [items, []]
      : [items.slice(0, star), items.slice(items.findLastIndex(({ isStar }) => isStar) + 1)]
  return names.map((name, column) => {
    const item = column < before.length ? before[column] : behind[column - names.length + behind.length]
    return item?.figure ?? { name }
  })
}

/** Gives the columns of subqueries these names, too, by which the statement around them may call them. */
export const nameColumns = (rewrite: Rewrite): void => {
  const { tokens } = rewrite
  for (const [at, { pair }] of tokens.entries()) {
    if (pair <= at || rewrite.word(at + 1) !== 'select') continue
    const items = figuresOf(tokens, { first: at + 1, last: pair - 1 })
    const names = items.map(({ figure }) => figure?.name)
    for (const [nth, { figure, last }] of items.entries()) {
      const name = names[nth]
      if (figure === undefined || figure.isColumn === true || name === '?column?') continue
      if (names.indexOf(name) === nth && names.lastIndexOf(name) === nth)
        rewrite.after(last, ` AS ${quoteIdentifier(name!)}`)
    }
  }
}
