import { closingAt } from '../../sql/text/operands.js'
import { quoteIdentifier } from '../../duckdb/quote.js'
import { catalogMacros } from '../catalog/createCatalog.js'
import { listed } from '../catalog/functions.js'
import { pg } from '../catalog/names.js'
import type { Rewrite } from './Rewrite.js'

/** These give a row for each item, as tables do. */
const ofItems = new Set(['generate_series', 'generate_subscripts', 'unnest'])
/** Functions in FROM that have no rows here, with their columns. */
export const rowless: Readonly<Record<string, string>> = {
  pg_partition_ancestors: 'NULL::BIGINT AS relid, NULL::BIGINT AS ordinality',
  pg_partition_tree: 'NULL::BIGINT AS relid, NULL::BIGINT AS parentrelid, false AS isleaf, 0 AS level',
  pg_options_to_table: 'NULL::VARCHAR AS option_name, NULL::VARCHAR AS option_value',
  aclexplode: 'NULL::BIGINT AS grantor, NULL::BIGINT AS grantee, NULL::VARCHAR AS privilege_type, false AS is_grantable',
} // prettier-ignore

/** These give one value; in Postgres it may stand in FROM as a row of its own. */
const ofOne = new Set(
  (
    'current_schema current_database current_setting now pg_backend_pid upper lower trim abs coalesce concat replace ' +
    'greatest least to_timestamp to_date jsonb_build_object json_build_object to_jsonb to_json'
  ).split(' '),
)
const isOne = (name: string) =>
  ofOne.has(name) ||
  (catalogMacros.has(name) &&
    !Object.hasOwn(listed, name) &&
    !/^(pg_get_keywords|_pg_expandarray)$/.test(name))

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

/** Returns where an alias stands that is the name of a value, too. */
const rewriteTable = (rewrite: Rewrite, at: number): number | undefined => {
  const name = rewrite.word(at)
  const close = closingAt(rewrite.tokens, at + 1)
  let next = close + 1
  const isNumbered = rewrite.word(next) === 'with' && rewrite.word(next + 1) === 'ordinality'
  if (isNumbered) next += 2
  const aliasAt = rewrite.word(next) === 'as' ? next + 1 : next
  const hasAlias = hasAliasAt(rewrite, next)
  const hasColumns = hasAlias && rewrite.is(aliasAt + 1, '(')
  const column = hasAlias ? quoteIdentifier(rewrite.tokens[aliasAt]!.text) : name
  const fields = listed[name]?.split(' ')
  if (fields !== undefined) {
    const given = fields[0] === '' ? [column] : fields
    const as = (field: string) => (fields.length > 1 ? `l.${field}` : 'l') + ` AS ${field}`
    const number = isNumbered ? ', n AS ordinality' : ''
    rewrite.before(
      at,
      `(SELECT ${given.map(as).join(', ')}${number} FROM (SELECT unnest(l) AS l, unnest(range(1, len(l) + 1)) AS n FROM (SELECT `,
    )
    rewrite.replace(at, at, `${pg}.${name}_items`)
    rewrite.after(close, ' AS l)))')
    if (isNumbered) rewrite.replace(close + 1, close + 2, hasAlias ? '' : ` AS ${name}`)
    else if (!hasAlias) rewrite.after(close, ` AS ${name}`)
    // The alias is the value itself where it stands alone.
    return hasAlias && !hasColumns && fields[0] === 'value' ? aliasAt : undefined
  }
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
  } else if (name === 'unnest' && rewrite.commasIn(at + 1, close).length > 0) {
    rewrite.before(at, '(SELECT ')
    for (const comma of rewrite.commasIn(at + 1, close)) rewrite.replace(comma, comma, '), unnest(')
    rewrite.after(close, `)${hasAlias ? '' : ` AS ${name}`}`)
  } else if (isOne(name) || asks(rewrite, at + 1, close)) {
    const isWhole = isOne(name) || name === 'unnest'
    rewrite.before(at, isWhole ? '(SELECT ' : '(SELECT unnest(')
    rewrite.after(close, `${isWhole ? '' : ')'} AS ${column})${hasAlias ? '' : ` AS ${name}`}`)
  } else if (name === 'generate_series' && areSmall(rewrite, at + 2, close - 1)) {
    rewrite.before(at, `(SELECT CAST(i AS INTEGER) AS ${column} FROM `)
    rewrite.after(close, ` t(i))${hasAlias ? '' : ` AS ${name}`}`)
  } else if (hasAlias && !hasColumns) rewrite.after(aliasAt, `(${column})`)
  return undefined
}

/** Whether all of these are written-out whole numbers of four bytes. */
const areSmall = (rewrite: Rewrite, first: number, last: number): boolean =>
  rewrite.tokens
    .slice(first, last + 1)
    .every(({ kind, text }) => kind === 'symbol' && /^(\d{1,9}|[-,$])$/.test(text))

/** A value may stand behind these words. */
const followed =
  /^(select|distinct|all|where|and|or|not|on|by|having|when|then|else|case|in|like|ilike|between|is|limit)$/

/** Whether a token stands in the brackets in which an alias is known. */
const isWithin = (rewrite: Rewrite, at: number, alias: number): boolean => {
  const { around } = rewrite.tokens[alias]!
  return around < 0 || (at > around && at < rewrite.tokens[around]!.pair)
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
  /** Where aliases stand that are values, too, by their names. */
  const aliases = new Map<string, number>()
  for (const [at, { around }] of rewrite.tokens.entries()) {
    const word = rewrite.word(at)
    if (word === '') continue
    const before = clauses.get(around) ?? ''
    const clause = isBeginning(rewrite, at, before) ? 'from' : ends.test(word) ? word : before
    clauses.set(around, clause)
    if (word === 'generate_series' && clause === 'select' && isItem(rewrite, at)) {
      const close = closingAt(rewrite.tokens, at + 1)
      const isSmall = areSmall(rewrite, at + 2, close - 1)
      rewrite.before(at, isSmall ? 'CAST(unnest(' : 'unnest(')
      rewrite.after(close, isSmall ? ') AS INTEGER)' : ')')
    }
    if (
      clause !== 'from' ||
      !rewrite.is(at + 1, '(') ||
      rewrite.asker.isOwn(word) ||
      Object.hasOwn(rowless, word)
    )
      continue
    if (!ofItems.has(word) && !isOne(word) && !Object.hasOwn(listed, word)) continue
    // The schema of a function stands before it.
    const last = rewrite.is(at - 1, '.') ? at - 3 : at - 1
    if (rewrite.is(last, ',') || isBeginning(rewrite, last, 'from')) {
      const alias = rewriteTable(rewrite, at)
      if (alias !== undefined) aliases.set(rewrite.word(alias), alias)
    }
  }
  if (aliases.size === 0) return
  for (const at of rewrite.tokens.keys()) {
    const alias = aliases.get(rewrite.word(at))
    if (
      alias === undefined ||
      alias === at ||
      !isWithin(rewrite, at, alias) ||
      /^[.(]$/.test(rewrite.tokens[at + 1]?.text ?? '')
    )
      continue
    const before = rewrite.tokens[at - 1]
    const isValue =
      before?.kind === 'symbol'
        ? !/^[.)\]\d]/.test(before.text)
        : begins.test(rewrite.word(at - 1)) || followed.test(rewrite.word(at - 1))
    if (isValue) rewrite.after(at, '.value')
  }
}
