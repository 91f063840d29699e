import { quoteIdentifier } from './quote.js'
import { rejectedTable } from './rejectedSchema.js'

/** The service's own schema in every lakehouse catalog; user statements may not write in it. */
export const internalSchema = 'waymark_internal'

export const lakehouseSchema = (catalog: string): string => {
  const schema = `${quoteIdentifier(catalog)}.${internalSchema}`
  return `
CREATE SCHEMA IF NOT EXISTS ${schema};
CREATE TABLE IF NOT EXISTS ${schema}.position (applied BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS ${schema}.bound (x INTEGER);
${rejectedTable(`${schema}.rejected`)}
`
}

/**
 * Makes this catalog the only one that the transaction can write to, and changes nothing. DuckDB lets a
 * transaction write to a single file, so user SQL can change neither the analytics catalog nor another one.
 */
export const bindTransaction = (catalog: string): string =>
  `UPDATE ${quoteIdentifier(catalog)}.${internalSchema}.bound SET x = x WHERE false`
