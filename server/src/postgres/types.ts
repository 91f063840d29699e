import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api'
import { isJson, itemTypeOf } from '../sql/rows/postgresText.js'

/** A type of Postgres: https://www.postgresql.org/docs/current/catalog-pg-type.html */
export interface PostgresType {
  name: string
  oid: number
  /** The length of a value in bytes; -1 when values differ in length. */
  size: number
  /** The oid of its array type. */
  arrayOid: number
  /** DuckDB's name for the type in a cast. */
  sql: string
}

const of = (name: string, oid: number, size: number, [arrayOid, sql]: [number, string]): PostgresType => ({
  name,
  oid,
  size,
  arrayOid,
  sql,
})

const bool = of('bool', 16, 1, [1000, 'BOOLEAN'])
const bytea = of('bytea', 17, -1, [1001, 'BLOB'])
const int8 = of('int8', 20, 8, [1016, 'BIGINT'])
const int2 = of('int2', 21, 2, [1005, 'SMALLINT'])
const int4 = of('int4', 23, 4, [1007, 'INTEGER'])
export const text = of('text', 25, -1, [1009, 'VARCHAR'])
const json = of('json', 114, -1, [199, 'JSON'])
const float4 = of('float4', 700, 4, [1021, 'FLOAT'])
const float8 = of('float8', 701, 8, [1022, 'DOUBLE'])
const date = of('date', 1082, 4, [1182, 'DATE'])
const time = of('time', 1083, 8, [1183, 'TIME'])
const timestamp = of('timestamp', 1114, 8, [1115, 'TIMESTAMP'])
const timestamptz = of('timestamptz', 1184, 8, [1185, 'TIMESTAMPTZ'])
const interval = of('interval', 1186, 16, [1187, 'INTERVAL'])
const timetz = of('timetz', 1266, 12, [1270, 'TIMETZ'])
const numeric = of('numeric', 1700, -1, [1231, 'DECIMAL(38, 10)'])
const uuid = of('uuid', 2950, 16, [2951, 'UUID'])

/** No column has these types: they come in parameters and in the catalog only. */
const others = [
  of('char', 18, 1, [1002, 'VARCHAR']),
  of('name', 19, 64, [1003, 'VARCHAR']),
  of('oid', 26, 4, [1028, 'BIGINT']),
  of('bpchar', 1042, -1, [1014, 'VARCHAR']),
  of('varchar', 1043, -1, [1015, 'VARCHAR']),
  of('jsonb', 3802, -1, [3807, 'JSON']),
]

export const postgresTypes: readonly PostgresType[] = [
  ...[bool, bytea, int8, int2, int4, text, json, float4, float8, date, time, timestamp, timestamptz],
  ...[interval, timetz, numeric, uuid],
  ...others,
]

const byOid = new Map(postgresTypes.map((type) => [type.oid, type]))
const byArrayOid = new Map(postgresTypes.map((type) => [type.arrayOid, type]))

export const typeOfOid = (oid: number): PostgresType | undefined => byOid.get(oid)
/** The type of the items of an array type. */
export const itemTypeOfOid = (oid: number): PostgresType | undefined => byArrayOid.get(oid)

/** What DuckDB's types are in Postgres; all else is text. */
export const scalarTypes: ReadonlyMap<DuckDBTypeId, PostgresType> = new Map([
  [DuckDBTypeId.BOOLEAN, bool],
  [DuckDBTypeId.TINYINT, int2],
  [DuckDBTypeId.UTINYINT, int2],
  [DuckDBTypeId.SMALLINT, int2],
  [DuckDBTypeId.USMALLINT, int4],
  [DuckDBTypeId.INTEGER, int4],
  [DuckDBTypeId.UINTEGER, int8],
  [DuckDBTypeId.BIGINT, int8],
  [DuckDBTypeId.UBIGINT, numeric],
  [DuckDBTypeId.HUGEINT, numeric],
  [DuckDBTypeId.UHUGEINT, numeric],
  [DuckDBTypeId.BIGNUM, numeric],
  [DuckDBTypeId.DECIMAL, numeric],
  [DuckDBTypeId.FLOAT, float4],
  [DuckDBTypeId.DOUBLE, float8],
  [DuckDBTypeId.BLOB, bytea],
  [DuckDBTypeId.DATE, date],
  [DuckDBTypeId.TIME, time],
  [DuckDBTypeId.TIME_TZ, timetz],
  [DuckDBTypeId.TIMESTAMP, timestamp],
  [DuckDBTypeId.TIMESTAMP_S, timestamp],
  [DuckDBTypeId.TIMESTAMP_MS, timestamp],
  [DuckDBTypeId.TIMESTAMP_NS, timestamp],
  [DuckDBTypeId.TIMESTAMP_TZ, timestamptz],
  [DuckDBTypeId.INTERVAL, interval],
  [DuckDBTypeId.UUID, uuid],
])

const scalarOf = (type: DuckDBType): PostgresType =>
  isJson(type) ? json : (scalarTypes.get(type.typeId) ?? text)

/** A column of an answer. */
export interface Field {
  name: string
  oid: number
  size: number
  modifier: number
}

/** What a `numeric` without digits becomes. */
export const isUnbounded = (type: DuckDBType): boolean => type.toString() === 'DECIMAL(38,10)'

/** The precision and scale of a DECIMAL, packed as Postgres does. */
const modifierOf = (type: DuckDBType): number => {
  if (type.typeId !== DuckDBTypeId.DECIMAL) return -1
  const { width, scale } = type as unknown as { width: number; scale: number }
  return isUnbounded(type) ? -1 : ((width << 16) | scale) + 4
}

export const fieldOf = (name: string, type: DuckDBType): Field => {
  const item = itemTypeOf(type)
  if (item !== undefined) return { name, oid: scalarOf(item).arrayOid, size: -1, modifier: -1 }
  const { oid, size } = scalarOf(type)
  return { name, oid, size, modifier: modifierOf(type) }
}

export const textField = (name: string): Field => ({ name, oid: text.oid, size: -1, modifier: -1 })

const byWords = new Map(Object.entries({
  integer: 'int4', int: 'int4', bigint: 'int8', smallint: 'int2', real: 'float4', double: 'float8', float: 'float8',
  boolean: 'bool', decimal: 'numeric', character: 'bpchar', 'character varying': 'varchar', string: 'varchar',
  'timestamp with': 'timestamptz', 'time with': 'timetz', blob: 'bytea',
})) // prettier-ignore

/** Postgres's name for a type of these words. */
export const typeNameOf = ([first = '', second = '']: readonly string[]): string =>
  byWords.get(`${first} ${second}`) ?? byWords.get(first) ?? first

/** The oid of a type by its name, `int4` or `int4[]`; undefined for a type that is not known. */
export const oidOfName = (name: string): number | undefined => {
  const array = /^_(.+)$|^(.+)\[\]$/.exec(name)
  const type = postgresTypes.find((each) => each.name === (array === null ? name : (array[1] ?? array[2])))
  return array === null ? type?.oid : type?.arrayOid
}
