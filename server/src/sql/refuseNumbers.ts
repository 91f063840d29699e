import type { DuckDBConnection } from '@duckdb/node-api'
import { forbidden, isReading } from '../store/readOnly.js'
import type { Guarded } from './guard/Guard.js'

/**
 * Throws for a statement that would take numbers of a sequence where nothing may be changed. DuckDB
 * refuses that too, but only when the statement runs, and takes one for `range(nextval('s'))` before.
 */
export const refuseNumbers = (connection: DuckDBConnection, { tokens }: Guarded): void => {
  if (!isReading(connection)) return
  if (tokens.some((token) => token.kind !== 'text' && /^nextval$/i.test(token.text))) throw forbidden()
}
