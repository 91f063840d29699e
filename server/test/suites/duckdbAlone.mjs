// DuckDB without the service, and what it says in the words of docs/api.md ("Values are written so").
import { DuckDBInstance, DuckDBTypeId } from '@duckdb/node-api'

/** @typedef {{ columns: { name: string, type: string }[], rows: unknown[][] } | { error: string }} Answer */

/** A moment in UTC, with its offset; years outside 1 to 9999 are DuckDB's text. @param {any} value */
function writeMoment(value) {
  const text = String(value)
  const [, day, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)\+00$/.exec(text) ?? []
  return day ? `${day}T${time}+00:00` : text
}

/** A number whose digits a JSON reader keeps; else its text. @param {string} text */
const writeNumber = (text) => {
  const digits = text
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/^-|\./g, '')
    .replace(/^0+/, '')
  const isExact = text.includes('.') ? digits.length <= 17 : Math.abs(Number(text)) <= Number.MAX_SAFE_INTEGER
  return isExact ? Number(text) : text
}

/** Whole numbers whose digits a JSON reader would lose are texts. @param {string} json */
const quoteLong = (json) =>
  json.replace(/(?<=[:[,\s]|^)-?\d{16,}(?=[,\]}\s]|$)/g, (digits) =>
    Number.isSafeInteger(Number(digits)) ? digits : `"${digits}"`,
  )

/** @param {any} value @param {any} type @returns {unknown} */
function write(value, type) {
  if (value === null || value === undefined) return null
  const { typeId } = type
  switch (typeId) {
    case DuckDBTypeId.BOOLEAN:
      return value
    case DuckDBTypeId.FLOAT:
    case DuckDBTypeId.DOUBLE:
      return Number.isFinite(value) ? value : null
    case DuckDBTypeId.TINYINT:
    case DuckDBTypeId.SMALLINT:
    case DuckDBTypeId.INTEGER:
    case DuckDBTypeId.BIGINT:
    case DuckDBTypeId.HUGEINT:
    case DuckDBTypeId.UTINYINT:
    case DuckDBTypeId.USMALLINT:
    case DuckDBTypeId.UINTEGER:
    case DuckDBTypeId.UBIGINT:
    case DuckDBTypeId.UHUGEINT:
    case DuckDBTypeId.DECIMAL:
      return writeNumber(String(value))
    case DuckDBTypeId.TIMESTAMP_TZ:
      return writeMoment(value)
    case DuckDBTypeId.LIST:
    case DuckDBTypeId.ARRAY:
      return value.items.map((/** @type {unknown} */ item) => write(item, type.valueType))
    case DuckDBTypeId.STRUCT:
      return Object.fromEntries(
        type.entryNames.map((/** @type {string} */ name, /** @type {number} */ i) => [
          name,
          write(value.entries[name], type.entryTypes[i]),
        ]),
      )
    case DuckDBTypeId.MAP:
      return Object.fromEntries(
        value.entries.map((/** @type {any} */ { key, value: one }) => [
          String(key),
          write(one, type.valueType),
        ]),
      )
    case DuckDBTypeId.UNION:
      return { [value.tag]: write(value.value, type.memberTypes[type.memberTags.indexOf(value.tag)]) }
    case DuckDBTypeId.VARCHAR:
      return type.alias === 'JSON' ? JSON.parse(quoteLong(value)) : value
    case DuckDBTypeId.DATE:
      return value.isFinite ? String(value) : value.days > 0 ? 'infinity' : '-infinity'
    default:
      return String(value)
  }
}

/** @param {string} [path] of a database; in memory without one */
export async function openAlone(path = ':memory:') {
  const instance = await DuckDBInstance.create(path)
  const connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  return {
    /** @param {string} statement @returns {Promise<Answer>} */
    async ask(statement) {
      try {
        const reader = await connection.runAndReadAll(statement)
        const types = reader.columnTypes()
        const columns = reader
          .columnNames()
          .map((name, i) => ({ name, type: types[i]?.alias ?? String(types[i]) }))
        return { columns, rows: reader.getRows().map((row) => row.map((one, i) => write(one, types[i]))) }
      } catch (error) {
        return { error: error instanceof Error ? error.message : String(error) }
      }
    },
    close() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}
