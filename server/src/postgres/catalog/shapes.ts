import { argumentsOf, closingAt, type Range } from '../../sql/text/operands.js'
import { isName, isSymbol, lowerName, type SqlToken, wordOf } from '../../sql/text/tokenize.js'
import { informationSchema, pgCatalog } from './facts.js'

export interface Column {
  name: string
  /** PostgreSQL's type, with `_` before it for an array. */
  type: string
  isNeverNull: boolean
}

/** A relation that PostgreSQL has in its catalog. */
export interface Shape {
  /** Its schema: `pg_catalog` or `information_schema`. */
  schema: string
  relation: string
  /** Its number where it is a table. */
  oid: string | undefined
  columns: readonly Column[]
}

const readShape = (schema: string, line: string): Shape => {
  const [relation = '', ...words] = line.split(' ')
  const oid = /^\d+$/.test(words[0]!) ? words.shift() : undefined
  const columns = words.map((word) => {
    const [name = '', type = 'name'] = word.replace('!', '').split(':')
    return { name, type, isNeverNull: word.endsWith('!') }
  })
  return { schema, relation, oid, columns }
}

const readShapes = (schema: string, facts: string, prefix = '') =>
  facts
    .trim()
    .split('\n')
    .map((line): [string, Shape] => {
      const shape = readShape(schema, line)
      return [prefix + shape.relation, shape]
    })

/** All of them, by the names of the service's own relations that stand for them. */
export const shapes: ReadonlyMap<string, Shape> = new Map([
  ...readShapes('pg_catalog', pgCatalog),
  ...readShapes('information_schema', informationSchema, 'information_schema_'),
])

/** The number of one of PostgreSQL's own tables. */
export const oidOfRelation = (name: string): number | undefined => {
  const oid = shapes.get(name)?.oid
  return oid === undefined ? undefined : Number(oid)
}

const numbers = new Map(Object.entries({
  bool: 'BOOLEAN', int2: 'SMALLINT', int4: 'INTEGER', int8: 'BIGINT', float4: 'FLOAT', float8: 'DOUBLE',
  numeric: 'DECIMAL(38, 10)', oid: 'BIGINT', regproc: 'BIGINT', regtype: 'BIGINT', xid: 'BIGINT',
})) // prettier-ignore
const others = new Map(Object.entries({
  timestamptz: 'TIMESTAMPTZ', interval: 'INTERVAL', bytea: 'BLOB', int2vector: 'SMALLINT[]', oidvector: 'BIGINT[]',
})) // prettier-ignore

/** The type of DuckDB's that holds values of a type of PostgreSQL's. */
export const storageOf = (type: string): string =>
  type.startsWith('_')
    ? `${storageOf(type.slice(1))}[]`
    : (numbers.get(type) ?? others.get(type) ?? 'VARCHAR')

/** What stands in a column of which nothing is to be said. */
const emptyOf = ({ type, isNeverNull }: Column): string => {
  if (!isNeverNull) return 'NULL'
  if (type === 'bool') return 'false'
  if (numbers.has(type)) return '0'
  return type.endsWith('vector') || type.startsWith('_') ? '[]' : `''`
}

export type Values = Readonly<Record<string, string>>

/** The list of a SELECT that has all columns of a relation in their order, of which some have a value. */
export const columnList = ({ relation, columns }: Shape, values: Values): string => {
  const unknown = Object.keys(values).find((name) => columns.every((column) => column.name !== name))
  if (unknown !== undefined) throw new Error(`PostgreSQL's ${relation} has no column ${unknown}.`)
  return columns
    .map(
      (column) =>
        `CAST(${values[column.name] ?? emptyOf(column)} AS ${storageOf(column.type)}) AS "${column.name}"`,
    )
    .join(', ')
}

export const columnsOfTable = ({ columns }: Shape): string =>
  columns.map(({ name, type }) => `"${name}" ${storageOf(type)}`).join(', ')

/** Functions that give types that DuckDB has not. */
const results = new Map(Object.entries({
  pg_get_userbyid: 'name', pg_encoding_to_char: 'name', getdatabaseencoding: 'name', current_schemas: '_name',
  current_user: 'name', session_user: 'name', user: 'name', current_role: 'name', current_database: 'name',
  current_catalog: 'name', current_schema: 'name', set_config: 'text', to_regclass: 'regclass', to_regtype: 'regtype',
})) // prettier-ignore

/** The type of a function that stands in FROM with its name for a column. */
export const typeOfValue = (name: string): string | undefined =>
  /^current_(schema|database)s?$/.test(name) ? results.get(name) : undefined

/** The first of the words that stands outside of brackets within a range; behind the range where there is none. */
const findWord = (tokens: readonly SqlToken[], { first, last }: Range, words: RegExp): number => {
  const around = tokens[first]?.around
  let at = first
  while (at <= last && !(tokens[at]!.around === around && words.test(tokens[at]!.text))) at++
  return at
}

/** What a subquery shows that begins with the SELECT at a place. */
const shownBy = (tokens: readonly SqlToken[], select: number, last: number): Range => ({
  first: select + 1,
  last: findWord(tokens, { first: select + 1, last }, /^(from|,|where|order|limit)$/i) - 1,
})

const arrayOf = (type: string | undefined) =>
  type === undefined || type.startsWith('_') ? undefined : `_${type}`

/** The type of PostgreSQL's of an expression, as far as it is that of a column or a cast; `types` has those of columns. */
export const typeShown = (
  tokens: readonly SqlToken[],
  { first, last }: Range,
  types: ReadonlyMap<string, string>,
): string | undefined => {
  const begin = tokens[first]
  if (begin === undefined || first > last) return undefined
  const typeOf = (from: number, to: number) => typeShown(tokens, { first: from, last: to }, types)
  const isCast = (at: number) => isSymbol(tokens[at], ':') && isSymbol(tokens[at - 1], ':')
  // The type of a cast has a schema, brackets or quotes at most.
  let typeAt = last
  while (typeAt > first && !isCast(typeAt) && /^[[\].\w]+$/.test(tokens[typeAt]!.text)) typeAt--
  if (typeAt > first + 1 && typeAt < last && tokens[typeAt]!.around === begin.around && isCast(typeAt)) {
    const isArray = isSymbol(tokens[last], ']')
    const name = lowerName(tokens[isArray ? last - 2 : last])
    return isArray ? arrayOf(name) : name
  }
  if (first === last && results.has(wordOf(begin))) return results.get(wordOf(begin))
  if (isSymbol(begin, '(') && begin.pair === last)
    return wordOf(tokens[first + 1]) === 'select'
      ? typeShown(tokens, shownBy(tokens, first + 1, last - 1), types)
      : typeOf(first + 1, last - 1)
  if (wordOf(begin) === 'case' && wordOf(tokens[last]) === 'end') {
    // A text of no type takes that of the others.
    for (let at = first + 1; at < last;) {
      const then = findWord(tokens, { first: at, last }, /^(then|else)$/i)
      at = findWord(tokens, { first: then + 1, last }, /^(when|else|end)$/i)
      const found = typeOf(then + 1, at - 1)
      if (found !== undefined) return found
      if (wordOf(tokens[at]) === 'else') at--
    }
    return undefined
  }
  let at = first
  while (isSymbol(tokens[at + 1], '.') && isName(tokens[at + 2])) at += 2
  const name = lowerName(tokens[at])
  if (at === last) return types.get(name)
  if (!isSymbol(tokens[at + 1], '(') || closingAt(tokens, at + 1) !== last) return undefined
  const [argument] = argumentsOf(tokens, { at, open: at + 1, close: last })
  if (/^(coalesce|nullif)$/.test(name) && argument !== undefined) return typeShown(tokens, argument, types)
  if (name === 'array_agg' && argument !== undefined) {
    const end = findWord(tokens, argument, /^order$/i) - 1
    return arrayOf(typeOf(argument.first, end))
  }
  if (name === 'array' && wordOf(tokens[at + 2]) === 'select')
    return arrayOf(typeShown(tokens, shownBy(tokens, at + 2, last - 1), types))
  return results.get(name)
}

/** Adds the names that a statement's subqueries give to what they show. */
const addAliases = (tokens: readonly SqlToken[], types: Map<string, string>): void => {
  /** Where the items of each list begin, by the bracket around it. */
  const items = new Map<number, number>()
  for (const [at, token] of tokens.entries()) {
    const word = wordOf(token)
    if (/^(select|distinct)$/.test(word) || isSymbol(token, ',')) items.set(token.around, at + 1)
    else if (word === 'from') items.delete(token.around)
    const first = items.get(token.around)
    if (word !== 'as' || token.depth === 0 || first === undefined || !isName(tokens[at + 1])) continue
    const type = typeShown(tokens, { first, last: at - 1 }, types)
    const name = lowerName(tokens[at + 1])
    if (type !== undefined) types.set(name, type)
    else if (!/^\d/.test(tokens[first]!.text)) types.delete(name)
  }
}

/**
 * The types of the columns that a statement may show of the catalog, by their names. DuckDB keeps no types of
 * PostgreSQL's, so a column that has got another name, or is computed, has DuckDB's type.
 */
export const typesNamed = (tokens: readonly SqlToken[]): ReadonlyMap<string, string> => {
  const types = new Map<string, string>()
  for (const [at, token] of tokens.entries()) {
    const name = lowerName(token)
    const isOfInformation = lowerName(tokens[at - 2]) === 'information_schema'
    const shape = name === '' ? undefined : shapes.get(isOfInformation ? `information_schema_${name}` : name)
    for (const column of shape?.columns ?? []) types.set(column.name, column.type)
  }
  // A name may be that of an expression with such names, and the other way round.
  if (types.size > 0) for (let times = 0; times < 2; times++) addAliases(tokens, types)
  return types
}
