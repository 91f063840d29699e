import { lowerName, type SqlToken } from '../../sql/text/tokenize.js'
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

const numbers: Record<string, string> = {
  bool: 'BOOLEAN', int2: 'SMALLINT', int4: 'INTEGER', int8: 'BIGINT', float4: 'FLOAT', float8: 'DOUBLE',
  numeric: 'DECIMAL(38, 10)', oid: 'BIGINT', regproc: 'BIGINT', regtype: 'BIGINT', xid: 'BIGINT',
} // prettier-ignore
const others: Record<string, string> = {
  timestamptz: 'TIMESTAMPTZ', interval: 'INTERVAL', bytea: 'BLOB', int2vector: 'SMALLINT[]', oidvector: 'BIGINT[]',
} // prettier-ignore

/** The type of DuckDB's that holds values of a type of PostgreSQL's. */
export const storageOf = (type: string): string =>
  type.startsWith('_') ? `${storageOf(type.slice(1))}[]` : (numbers[type] ?? others[type] ?? 'VARCHAR')

/** What stands in a column of which nothing is to be said. */
const emptyOf = ({ type, isNeverNull }: Column): string => {
  if (!isNeverNull) return 'NULL'
  if (type === 'bool') return 'false'
  if (type in numbers) return '0'
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
  return types
}
