import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api'
import { quoteIdentifier } from '../../store/quote.js'

/**
 * A type as SQL, with `DECIMAL(38,0)` instead of integers of 128 bits, such as `sum` returns. Parquet has
 * no such integers, and DuckDB would write them as DOUBLE. Undefined when the type holds none.
 */
export const exactType = (type: DuckDBType): string | undefined => {
  switch (type.typeId) {
    case DuckDBTypeId.HUGEINT:
    case DuckDBTypeId.UHUGEINT:
      return 'DECIMAL(38,0)'
    case DuckDBTypeId.LIST: {
      const inner = exactType(type.valueType)
      return inner && `${inner}[]`
    }
    case DuckDBTypeId.ARRAY: {
      const { valueType, length } = type
      const inner = exactType(valueType)
      return inner && `${inner}[${length}]`
    }
    case DuckDBTypeId.MAP: {
      const { keyType, valueType } = type
      const [key, value] = [exactType(keyType), exactType(valueType)]
      return key || value ? `MAP(${key ?? sqlOf(keyType)}, ${value ?? sqlOf(valueType)})` : undefined
    }
    case DuckDBTypeId.STRUCT: {
      const { entryNames, entryTypes } = type
      const inner = entryTypes.map(exactType)
      // Fields without names cannot be written as a type.
      if (inner.every((each) => each === undefined) || entryNames.includes('')) return undefined
      const fields = entryNames.map(
        (name, at) => `${quoteIdentifier(name)} ${inner[at] ?? sqlOf(entryTypes[at]!)}`,
      )
      return `STRUCT(${fields.join(', ')})`
    }
    default:
      return undefined
  }
}

const sqlOf = (type: DuckDBType): string => (type.alias === 'JSON' ? 'JSON' : type.toString())
