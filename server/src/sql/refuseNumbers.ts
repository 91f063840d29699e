import type { DuckDBConnection } from '@duckdb/node-api'
import { forbidden, isReading } from '../store/readOnly.js'
import type { Guarded } from './guard/Guard.js'

/**
 * Throws for a statement that would take numbers from a sequence when the user may only read. DuckDB
 * refuses that only when the statement runs. For `range(nextval('s'))` it takes a number already when
 * it prepares the statement.
 */
export const refuseNumbers = (connection: DuckDBConnection, { tokens }: Guarded): void => {
  if (!isReading(connection)) return
  if (tokens.some((token) => token.kind !== 'text' && /^nextval$/i.test(token.text))) throw forbidden()
}
