import { DuckDBTypeId, type DuckDBType } from '@duckdb/node-api'

interface Inner {
  valueType?: DuckDBType
  entryNames?: readonly string[]
  entryTypes?: readonly DuckDBType[]
}

/** A row whose fields have no names, which `row(1, 2)` makes. */
const isRow = (type: DuckDBType): boolean =>
  type.typeId === DuckDBTypeId.STRUCT && (type as Inner).entryNames?.every((name) => name === '') === true

const isList = (type: DuckDBType): boolean =>
  type.typeId === DuckDBTypeId.LIST || type.typeId === DuckDBTypeId.ARRAY

const holdsRow = (type: DuckDBType): boolean =>
  isRow(type) || (isList(type) && holdsRow((type as Inner).valueType!))

/**
 * The SQL of a value for JSON. A row without names would be an object with one key many times, of
 * which a client keeps the last: it becomes an array.
 */
export const jsonOf = (sql: string, type: DuckDBType | undefined, depth = 0): string => {
  if (type === undefined || !holdsRow(type)) return sql
  if (isList(type)) {
    const item = `x${depth}`
    const each = jsonOf(item, (type as Inner).valueType, depth + 1)
    return `list_transform(${sql}, lambda ${item}: ${each})`
  }
  const fields = (type as Inner).entryTypes!.map((each, at) => jsonOf(`(${sql})[${at + 1}]`, each, depth))
  return `CASE WHEN ${sql} IS NULL THEN NULL ELSE json_array(${fields.join(', ')}) END`
}
