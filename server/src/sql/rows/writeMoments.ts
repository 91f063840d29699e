import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api'

const itemOf = (type: DuckDBType | undefined): DuckDBType | undefined =>
  type !== undefined && (type.typeId === DuckDBTypeId.LIST || type.typeId === DuckDBTypeId.ARRAY)
    ? (type as unknown as { valueType: DuckDBType }).valueType
    : undefined

const holdsMoment = (type: DuckDBType | undefined): boolean =>
  type?.typeId === DuckDBTypeId.TIMESTAMP_TZ || (type !== undefined && holdsMoment(itemOf(type)))

/** Only years of four digits are rewritten. Others, and infinities, stay as DuckDB writes them. */
const inIso = (sql: string) =>
  `${sql} BETWEEN TIMESTAMPTZ '0001-01-02 00:00:00+00' AND TIMESTAMPTZ '9999-12-30 00:00:00+00'`

const momentSql = (sql: string) => {
  const text = `(${sql})::VARCHAR`
  return `CASE WHEN ${inIso(sql)} THEN replace(${text}, ' ', 'T') ||
    CASE WHEN substr(${text}, -3, 1) IN ('+', '-') THEN ':00' ELSE '' END ELSE ${text} END`
}

const write = (sql: string, type: DuckDBType | undefined, depth = 0): string => {
  if (type?.typeId === DuckDBTypeId.TIMESTAMP_TZ) return momentSql(sql)
  const item = `t${depth}`
  return `list_transform(${sql}, lambda ${item}: ${write(item, itemOf(type), depth + 1)})`
}

/**
 * A table of columns c0, c1, … in which timestamps with a time zone are texts in ISO 8601, with the
 * offset of the connection's time zone. JavaScript cannot read DuckDB's own `2026-01-01 01:00:00+01`.
 */
export const writeMoments = (table: string, types: readonly DuckDBType[]): string => {
  if (!types.some(holdsMoment)) return table
  const columns = types.map((type, at) =>
    holdsMoment(type) ? `${write(`c${at}`, type)} AS c${at}` : `c${at}`,
  )
  return `(SELECT ${columns.join(', ')} FROM ${table})`
}
