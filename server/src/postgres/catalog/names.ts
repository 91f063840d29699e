import { ownCatalog, quoteIdentifier } from '../../duckdb/quote.js'

/** The schema of what Postgres has in `pg_catalog` and `information_schema`, and is the same for every database. */
export const pg = `${ownCatalog}.pg`

/** The schema of what is told of relations to those who are in a database. */
export const schemaOf = (database: string): string => `${ownCatalog}.${quoteIdentifier(`pg_${database}`)}`

/** The name that is shown as the owner of everything, and its number. */
export const owner = 'waymark'
export const ownerOid = '10'
/** The number of the user who asks, who sees no other. */
export const userOid = 16_384

/** Postgres numbers its objects. DuckDB's own numbers are not unique over several files, so names are hashed. */
export const oid = (...parts: string[]) =>
  `(hash(concat_ws(chr(0), ${parts.join(', ')})) % 2000000000 + 16384)::BIGINT`
