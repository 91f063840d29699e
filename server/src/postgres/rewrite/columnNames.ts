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
export interface Figure {
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

/** What an item shows, and where the name stands that the client has given it. */
const readAlias = (tokens: Tokens, { first, last }: Range): { shown: Range; aliasAt?: number } => {
  const [before, end] = [tokens[last - 1], tokens[last]]
  const none = { shown: { first, last } }
  if (first >= last || !isName(end) || !before) return none
  if (wordOf(before) === 'as') return { shown: { first, last: last - 2 }, aliasAt: last }
  if (isSymbol(tokens[first + 1], ':') && !isSymbol(tokens[first + 2], ':'))
    return { shown: { first: first + 2, last }, aliasAt: first }
  if (operators.test(wordOf(end))) return none
  if (wordOf(tokens[last - 2]) === 'interval' && before.kind === 'text') return none
  const isBehind = before.kind === 'symbol' ? /^[)\]\d]/.test(before.text) : !operators.test(before.text)
  return isBehind ? { shown: { first, last: last - 1 }, aliasAt: last } : none
}

const figureOf = (tokens: Tokens, { first, last }: Range): Figure | undefined => {
  const begin = tokens[first]
  if (begin === undefined) return undefined
  const word = wordOf(begin)
  const isWhole = (opening: number) => tokens[opening]?.pair === last
  const findLast = (around: number, isMeant: (at: number) => boolean) => {
    let at = last
    // Each bracket around it would look at what stands within anew.
    for (; at >= first && !(tokens[at]!.around === around && isMeant(at)); at--)
      if (tokens[at]!.pair > around && tokens[at]!.pair < at) at = tokens[at]!.pair
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
      ? aliasOr(figuresOf(tokens, inner)[0])
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

const aliasOr = (item: Item | undefined): Figure | undefined =>
  item?.alias === undefined ? item?.figure : { name: item.alias }

/** Whether these tokens are one operand, and not two with an operator between them. */
const isOperand = (tokens: Tokens, { first, last }: Range): boolean => {
  if (wordOf(tokens[first]) === 'case') return wordOf(tokens[last]) === 'end'
  const start = operandBefore(tokens, last)
  return start === first || (start === first + 1 && tokens[start]?.kind === 'text' && isName(tokens[first]))
}

const isType = (tokens: Tokens) =>
  tokens.every(({ kind, text }) =>
    kind === 'symbol'
      ? /^[\d(),.[\]]/.test(text)
      : !/^(is|isnull|notnull|not|in|like|ilike|between|and|or|at|collate|similar)$/i.test(text),
  )

const castFigure = (tokens: Tokens, operand: Range, type: Tokens): Figure => {
  const figure = figureOf(tokens, operand)
  const names = type.filter(isName).map(({ text }) => text.toLowerCase())
  const name = typeNameOf(names.at(0) === 'pg_catalog' ? names.slice(1) : names)
  if (figure !== undefined && figure.isWeak !== true) return { name: figure.name, type: name }
  return { name, isWeak: true, type: name }
}

interface Item extends Range {
  /** The name that the client has given it. */
  alias?: string
  /** Undefined where the name that DuckDB knows is right. */
  figure?: Figure
  isStar: boolean
  /** What is shown, without the name that the client has given it. */
  shown: Range
}

const ends =
  /^(from|where|group|order|having|limit|offset|window|union|intersect|except|qualify|into|fetch|for)$/

/** Whether an item stands for any number of columns: `t.*`, `columns(…)`. A star in brackets is another one's. */
const showsStar = (tokens: Tokens, { first, last }: Range): boolean => {
  for (let at = first; at <= last; at = Math.max(at, tokens[at]!.pair) + 1)
    if (isSymbol(tokens[at], '*') && (at === first || isSymbol(tokens[at - 1], '.'))) return true
  return wordOf(tokens[first]) === 'columns' && isSymbol(tokens[first + 1], '(')
}

/** The items behind the SELECT that the tokens begin with. */
const figuresOf = (tokens: Tokens, { first, last }: Range): Item[] => {
  let from = first + 1
  if (wordOf(tokens[from]) === 'distinct')
    from = wordOf(tokens[from + 1]) === 'on' ? closingAt(tokens, from + 2) + 1 : from + 1
  else if (wordOf(tokens[from]) === 'all') from++
  let end = from
  const isEnd = (at: number) =>
    ends.test(wordOf(tokens[at])) && !/^(distinct|within|as)$/.test(wordOf(tokens[at - 1]))
  for (; end <= last && !isEnd(end); end++) end = Math.max(end, tokens[end]!.pair)
  return itemsOf(tokens, { first: from, last: end - 1 }).map((range): Item => {
    const { shown, aliasAt } = readAlias(tokens, range)
    const isStar = showsStar(tokens, range)
    if (isStar || range.first > range.last) return { ...range, isStar, shown }
    // A name that is not quoted is one in small letters.
    const alias = aliasAt === undefined ? undefined : nameOf(tokens[aliasAt]!)
    const figure = figureOf(tokens, shown) ?? { name: '?column?' }
    return { ...range, isStar, shown, ...(alias === undefined ? {} : { alias }), figure }
  })
}

interface Shown {
  name: string
  /** Where it stands in the statement; undefined for what a star shows. */
  shown?: Range
  figure?: Figure
}

/** The columns of a statement, with the names that Postgres would give to those to which the statement gives none. */
export const columnsShown = (tokens: Tokens, names: readonly string[]): Shown[] => {
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
    if (item === undefined) return { name }
    return {
      name: item.alias ?? item.figure?.name ?? name,
      shown: item.shown,
      ...(item.figure === undefined ? {} : { figure: item.figure }),
    }
  })
}

/** Gives the columns of subqueries these names, too, by which the statement around them may call them. */
export const nameColumns = (rewrite: Rewrite): void => {
  const { tokens } = rewrite
  for (const [at, { pair }] of tokens.entries()) {
    if (pair <= at || rewrite.word(at + 1) !== 'select') continue
    const items = figuresOf(tokens, { first: at + 1, last: pair - 1 })
    const counts = new Map<string, number>()
    for (const { alias, figure } of items) {
      const name = alias ?? figure?.name ?? ''
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    for (const { alias, figure, last } of items) {
      if (alias !== undefined || figure === undefined || figure.isColumn === true) continue
      if (figure.name !== '?column?' && counts.get(figure.name) === 1)
        rewrite.after(last, ` AS ${quoteIdentifier(figure.name)}`)
    }
  }
}
