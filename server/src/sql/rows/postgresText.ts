import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api'

/** For values of these types Postgres has no type but JSON, except for lists of simple values. */
export const nestedTypes: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.LIST,
  DuckDBTypeId.ARRAY,
  DuckDBTypeId.STRUCT,
  DuckDBTypeId.MAP,
  DuckDBTypeId.UNION,
  DuckDBTypeId.VARIANT,
])

/** The type of a list's items when Postgres knows the list as an array; undefined for other types. */
export const itemTypeOf = (type: DuckDBType): DuckDBType | undefined => {
  if (type.typeId !== DuckDBTypeId.LIST && type.typeId !== DuckDBTypeId.ARRAY) return undefined
  const { valueType } = type as unknown as { valueType: DuckDBType }
  return nestedTypes.has(valueType.typeId) ? undefined : valueType
}

export const isJson = (type: DuckDBType): boolean =>
  type.alias === 'JSON' || (nestedTypes.has(type.typeId) && itemTypeOf(type) === undefined)

/** DuckDB has the era behind the date, Postgres behind all. */
const beforeChrist = (text: string) =>
  `CASE WHEN contains(${text}, '(BC)') THEN replace(${text}, ' (BC)', '') || ' BC' ELSE ${text} END`

/** Behind a part below zero Postgres writes the sign of the next, and one below zero is many. */
export const intervalText = (text: string) =>
  `CASE WHEN contains(${text}, '-') THEN regexp_replace(regexp_replace(${text}, '-1 (year|mon|day)( |$)', '-1 \\1s\\2', 'g'), '(-\\d+ [a-z]+) (\\d)', '\\1 +\\2', 'g') ELSE ${text} END`

const scalar = (sql: string, type: DuckDBType): string => {
  switch (type.typeId) {
    case DuckDBTypeId.BOOLEAN:
      return `CASE ${sql} WHEN true THEN 't' WHEN false THEN 'f' END`
    case DuckDBTypeId.FLOAT:
    case DuckDBTypeId.DOUBLE:
      return `CASE WHEN isnan(${sql}) THEN 'NaN' WHEN isinf(${sql}) THEN CASE WHEN ${sql} > 0 THEN 'Infinity' ELSE '-Infinity' END ELSE ${sql}::VARCHAR END`
    case DuckDBTypeId.BLOB:
      return `'\\x' || lower(hex(${sql}))`
    case DuckDBTypeId.DECIMAL: {
      const { width, scale } = type as unknown as { width: number; scale: number }
      return width === scale ? `regexp_replace(${sql}::VARCHAR, '^(-?)\\.', '\\10.')` : `${sql}::VARCHAR`
    }
    case DuckDBTypeId.INTERVAL:
      return intervalText(`replace(${sql}::VARCHAR, 'month', 'mon')`)
    case DuckDBTypeId.DATE:
    case DuckDBTypeId.TIMESTAMP:
    case DuckDBTypeId.TIMESTAMP_TZ:
      return beforeChrist(`${sql}::VARCHAR`)
    case DuckDBTypeId.TIMESTAMP_S:
    case DuckDBTypeId.TIMESTAMP_MS:
    case DuckDBTypeId.TIMESTAMP_NS:
      return beforeChrist(`${sql}::TIMESTAMP::VARCHAR`)
    default:
      return `${sql}::VARCHAR`
  }
}

const unquoted: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.BOOLEAN,
  DuckDBTypeId.TINYINT,
  DuckDBTypeId.SMALLINT,
  DuckDBTypeId.INTEGER,
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.UTINYINT,
  DuckDBTypeId.USMALLINT,
  DuckDBTypeId.UINTEGER,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.FLOAT,
  DuckDBTypeId.DOUBLE,
  DuckDBTypeId.DECIMAL,
])

const item = (type: DuckDBType): string => {
  const text = scalar('x', type)
  const plain = `regexp_full_match(${text}, '[^\\s{}",\\\\]+') AND lower(${text}) <> 'null'`
  const quoted = `CASE WHEN ${plain} THEN ${text} ELSE '"' || replace(replace(${text}, '\\', '\\\\'), '"', '\\"') || '"' END`
  return `CASE WHEN x IS NULL THEN 'NULL' ELSE ${unquoted.has(type.typeId) ? text : quoted} END`
}

/** The SQL that writes a value as Postgres does: arrays, times, bytes and infinities have their own form there. */
export const postgresText = (sql: string, type: DuckDBType): string => {
  if (isJson(type)) return type.alias === 'JSON' ? `${sql}::VARCHAR` : `to_json(${sql})::VARCHAR`
  const itemType = itemTypeOf(type)
  if (itemType === undefined) return scalar(sql, type)
  return `'{' || array_to_string(list_transform(${sql}::${itemType.toString()}[], lambda x: ${item(itemType)}), ',') || '}'`
}
