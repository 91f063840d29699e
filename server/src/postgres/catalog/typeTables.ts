import { DuckDBTypeId } from '@duckdb/node-api'
import { quoteText } from '../../store/quote.js'
import { postgresTypes, scalarTypes } from '../types.js'
import { oid } from './names.js'

const cases = [...scalarTypes].flatMap(([id, { oid: own, arrayOid }]) => {
  const name = DuckDBTypeId[id].replace(/_TZ$/, ' WITH TIME ZONE')
  return [`WHEN '${name}' THEN ${own}`, `WHEN '${name}[]' THEN ${arrayOid}`]
})

/** The number of Postgres's type for DuckDB's name of a type. */
export const typeOid = `
CASE t ${cases.join(' ')} WHEN 'JSON' THEN 114 WHEN 'JSON[]' THEN 199 WHEN 'VARCHAR[]' THEN 1009
  ELSE CASE WHEN t LIKE '%[]' OR t LIKE 'STRUCT(%' OR t LIKE 'MAP(%' OR t LIKE 'UNION(%' THEN 114 WHEN t LIKE 'DECIMAL(%' THEN 1700 ELSE 25 END END`

const sqlNames: Record<string, string> = {
  bool: 'boolean', int2: 'smallint', int4: 'integer', int8: 'bigint', float4: 'real', float8: 'double precision',
  timestamp: 'timestamp without time zone', timestamptz: 'timestamp with time zone', time: 'time without time zone',
  timetz: 'time with time zone', varchar: 'character varying', bpchar: 'character', char: '"char"',
} // prettier-ignore
const sqlName = (name: string) => sqlNames[name] ?? name

const digits = `CASE WHEN modifier > 4 THEN format('({},{})', (modifier - 4) >> 16, (modifier - 4) & 65535) ELSE '' END`

/** The name in SQL for the number of a type of Postgres. */
export const formatType = `
CASE id ${postgresTypes
  .flatMap(({ name, oid: id, arrayOid }) => [
    `WHEN ${id} THEN ${quoteText(sqlName(name))}${name === 'numeric' ? ` || ${digits}` : ''}`,
    `WHEN ${arrayOid} THEN ${quoteText(`${sqlName(name)}[]`)}`,
  ])
  .join(' ')} ELSE '???' END`

const categories: Record<string, string> = {
  bool: 'B', date: 'D', time: 'D', timetz: 'D', timestamp: 'D', timestamptz: 'D', interval: 'T', text: 'S',
  varchar: 'S', bpchar: 'S', name: 'S', char: 'S', int2: 'N', int4: 'N', int8: 'N', float4: 'N', float8: 'N',
  numeric: 'N', oid: 'N',
} // prettier-ignore

const rows = postgresTypes.flatMap(({ name, oid: id, size, arrayOid }) => [
  `(${id}, '${name}', ${size}, '${categories[name] ?? 'U'}', 0, ${arrayOid}, '${name}in', '${name}recv')`,
  `(${arrayOid}, '_${name}', -1, 'A', ${id}, 0, 'array_in', 'array_recv')`,
])
const receivers = [...postgresTypes.map(({ name }) => `'${name}recv'`), `'array_recv'`].join(', ')

/** The tables of `pg_catalog` that tell of types. */
export const typeTables: Record<string, string> = {
  pg_type: `
SELECT oid::BIGINT AS oid, typname, 11::BIGINT AS typnamespace, typlen::SMALLINT AS typlen, 'b' AS typtype, typcategory, ',' AS typdelim,
  0::BIGINT AS typrelid, typelem::BIGINT AS typelem, typarray::BIGINT AS typarray, typinput, ${oid('typreceive')} AS typreceive,
  false AS typnotnull, 0::BIGINT AS typbasetype, -1 AS typtypmod, 0::BIGINT AS typcollation, NULL::VARCHAR AS typdefault, 1247::BIGINT AS tableoid
FROM (VALUES ${rows.join(', ')}) t(oid, typname, typlen, typcategory, typelem, typarray, typinput, typreceive)`,
  // .NET's driver knows the arrays among the types by the function that reads them.
  pg_proc: `
SELECT ${oid('name')} AS oid, name AS proname, 11::BIGINT AS pronamespace, 0::BIGINT AS prolang, 0::BIGINT AS prorettype, 'f' AS prokind,
  NULL::VARCHAR AS proargdefaults, 1255::BIGINT AS tableoid
FROM (SELECT DISTINCT unnest([${receivers}]) AS name)`,
}
