import { closingAt } from '../../sql/text/operands.js'
import { quoteIdentifier } from '../../duckdb/quote.js'
import type { Rewrite } from './Rewrite.js'

/** These give a row for each item, as tables do. */
const ofItems = new Set(['generate_series', 'generate_subscripts', 'unnest'])
/** These give one value; in Postgres it may stand in FROM as a row of its own. */
const ofOne = new Set(
  'string_to_array current_schemas current_schema current_database current_setting version now pg_backend_pid'.split(
    ' ',
  ),
)

/** Columns of lists that count from 0. */
export const vectors = /^(indkey|indoption|indclass|indcollation)$/

const begins = /^(from|join|lateral)$/
const ends =
  /^(select|where|group|order|having|limit|offset|window|union|intersect|except|set|values|returning|qualify)$/
const noAlias =
  /^(where|join|left|right|full|inner|cross|natural|on|group|order|having|limit|offset|window|union|intersect|except|using|with|qualify|asof|positional)$/

/** Whether a relation's alias stands at a token, or behind AS. */
export const hasAliasAt = (rewrite: Rewrite, at: number): boolean => {
  const nameAt = rewrite.word(at) === 'as' ? at + 1 : at
  const word = rewrite.word(nameAt)
  return word !== '' && (rewrite.tokens[nameAt]!.kind === 'name' || !noAlias.test(word))
}

/** Whether the arguments have a subquery, which DuckDB does not take there. */
const asks = (rewrite: Rewrite, open: number, close: number): boolean =>
  rewrite.tokens.slice(open, close).some((_, at) => rewrite.word(open + at) === 'select')

const rewriteTable = (rewrite: Rewrite, at: number): void => {
  const name = rewrite.word(at)
  const close = closingAt(rewrite.tokens, at + 1)
  let next = close + 1
  const isNumbered = rewrite.word(next) === 'with' && rewrite.word(next + 1) === 'ordinality'
  if (isNumbered) next += 2
  const aliasAt = rewrite.word(next) === 'as' ? next + 1 : next
  const hasAlias = hasAliasAt(rewrite, next)
  const hasColumns = hasAlias && rewrite.is(aliasAt + 1, '(')
  const column = hasAlias ? quoteIdentifier(rewrite.tokens[aliasAt]!.text) : name
  if (name === 'generate_subscripts') {
    const listEnd = (rewrite.commasIn(at + 1, close)[0] ?? close) - 1
    rewrite.replace(at, at, `(SELECT CAST(${vectors.test(rewrite.word(listEnd)) ? '-1 + ' : ''}${name}`)
    rewrite.after(close, ` AS INTEGER) AS ${column})${hasAlias ? '' : ` AS ${name}`}`)
  } else if (isNumbered && name === 'unnest') {
    const commas = rewrite.commasIn(at + 1, close)
    const first = rewrite.tokens.slice(at + 2, commas[0] ?? close)
    rewrite.before(at, '(SELECT ')
    for (const comma of commas) rewrite.replace(comma, comma, '), unnest(')
    rewrite.after(
      close,
      `${commas.length === 0 ? ` AS ${column}` : ''}, unnest(range(1, len(${first.map(({ kind, text }) => (kind === 'name' ? quoteIdentifier(text) : text)).join('')}) + 1)) AS ordinality)`,
    )
    rewrite.replace(close + 1, close + 2, hasAlias ? '' : ` AS ${name}`)
  } else if (isNumbered) {
    rewrite.before(
      at,
      `(SELECT unnest(l) AS ${column}, unnest(range(1, len(l) + 1)) AS ordinality FROM (SELECT `,
    )
    rewrite.after(close, ' AS l))')
    rewrite.replace(close + 1, close + 2, hasAlias ? '' : ` AS ${name}`)
  } else if (ofOne.has(name) || asks(rewrite, at + 1, close)) {
    const isOne = ofOne.has(name)
    rewrite.before(at, isOne || name === 'unnest' ? '(SELECT ' : '(SELECT unnest(')
    rewrite.after(
      close,
      `${isOne || name === 'unnest' ? '' : ')'} AS ${column})${hasAlias ? '' : ` AS ${name}`}`,
    )
  } else if (hasAlias && !hasColumns) rewrite.after(aliasAt, `(${column})`)
}

/** Whether a call is a column of its own, which gives a row for each of its values. */
const isItem = (rewrite: Rewrite, at: number): boolean =>
  rewrite.is(at + 1, '(') && (rewrite.is(at - 1, ',') || /^(select|distinct|all)$/.test(rewrite.word(at - 1)))

/** FROM begins no clause in `extract(epoch FROM now())`, `trim(BOTH FROM x)` and `x IS DISTINCT FROM now()`. */
const isBeginning = (rewrite: Rewrite, at: number, clause: string): boolean =>
  begins.test(rewrite.word(at)) &&
  rewrite.word(at - 1) !== 'distinct' &&
  (clause !== '' || at === 0 || rewrite.is(at - 1, '('))

/** Makes functions in FROM what they are in Postgres: `generate_series(1, 2) AS i` is a column `i`. */
export const rewriteTables = (rewrite: Rewrite): void => {
  /** The last clause that began within each bracket. */
  const clauses = new Map<number, string>()
  for (const [at, { around }] of rewrite.tokens.entries()) {
    const word = rewrite.word(at)
    if (word === '') continue
    const before = clauses.get(around) ?? ''
    const clause = isBeginning(rewrite, at, before) ? 'from' : ends.test(word) ? word : before
    clauses.set(around, clause)
    if (word === 'generate_series' && clause === 'select' && isItem(rewrite, at)) {
      rewrite.before(at, 'unnest(')
      rewrite.after(closingAt(rewrite.tokens, at + 1), ')')
    }
    if (clause !== 'from' || !rewrite.is(at + 1, '(') || !(ofItems.has(word) || ofOne.has(word))) continue
    // The schema of a function stands before it.
    const last = rewrite.is(at - 1, '.') ? at - 3 : at - 1
    if (rewrite.is(last, ',') || isBeginning(rewrite, last, 'from')) rewriteTable(rewrite, at)
  }
}
