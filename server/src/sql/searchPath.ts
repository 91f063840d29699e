import type { DuckDBConnection } from '@duckdb/node-api'
import { shorten } from '../http/HttpError.js'
import { analyticsCatalog, internalSchema, quoteIdentifier, quoteText } from '../duckdb/quote.js'
import { isName, type SqlToken } from './text/tokenize.js'
import { isFatal } from '../duckdb/transactions.js'
import { messageOf, refuseField } from './refuse.js'

/** The schema in which unqualified names are looked for first. */
export interface SearchPath {
  catalog: string
  schema: string
}

/** False when there is no such schema. */
const setPath = async (connection: DuckDBConnection, path: SearchPath): Promise<boolean> => {
  if (path.schema.toLowerCase() === internalSchema) {
    throw refuseField(`The schema ${internalSchema} belongs to the service.`)
  }
  const own = `${quoteIdentifier(path.catalog)}.${quoteIdentifier(path.schema)}`
  const all = path.catalog === analyticsCatalog && path.schema === 'main' ? own : `${own},analytics.main`
  try {
    await connection.run(`SET search_path = ${quoteText(all)}`)
    return true
  } catch (error) {
    if (isFatal(error)) throw error
    const message = messageOf(error)
    if (/no catalog \+ schema|does not exist/i.test(message)) return false
    throw refuseField(message)
  }
}

/** Unqualified names are looked for in this schema first, then among the analytics views. */
export const enterPath = async (connection: DuckDBConnection, path: SearchPath): Promise<void> => {
  if (await setPath(connection, path)) return
  throw refuseField(`There is no schema ${path.schema} in the catalog ${path.catalog}.`)
}

/** Finds a catalog by its name; case does not matter, as everywhere in SQL. */
export const findCatalog = (name: string, catalogs: readonly string[]): string | undefined =>
  catalogs.find((each) => each === name.toLowerCase())

/** Reads the new search path from `USE catalog`, `USE schema` or `USE catalog.schema`. */
export const pathOfUse = (
  tokens: readonly SqlToken[],
  now: SearchPath,
  catalogs: readonly string[],
): SearchPath => {
  const [first, second] = tokens
    .slice(1)
    .filter(isName)
    .map(({ text }) => text)
  if (first === undefined) throw refuseField('USE needs the name of a catalog or schema.')
  const catalog = findCatalog(first, catalogs)
  if (second !== undefined) {
    if (catalog === undefined)
      throw refuseField(`There is no catalog ${first}; there are ${catalogs.join(', ')}.`)
    return { catalog, schema: second }
  }
  return catalog === undefined ? { catalog: now.catalog, schema: first } : { catalog, schema: 'main' }
}

export interface PathFields {
  catalog?: string | null
  schema?: string | null
}

/** The path that a request names; without one, the path that its connection has now. */
export const pathOfRequest = (
  { catalog, schema }: PathFields,
  now: SearchPath,
  catalogs: readonly string[],
): SearchPath => {
  for (const [field, value] of Object.entries({ catalog, schema })) {
    if (value === '') throw refuseField(`${field} is empty. Leave it out to stay where the session is.`)
  }
  if (catalog === undefined || catalog === null) {
    return { catalog: now.catalog, schema: schema ?? now.schema }
  }
  const known = findCatalog(catalog, catalogs)
  if (known === undefined) {
    throw refuseField(`There is no catalog ${shorten(catalog, 80)}; there are ${catalogs.join(', ')}.`)
  }
  return { catalog: known, schema: schema ?? 'main' }
}

/**
 * Enters the path that a request names, or that its connection has. When the connection's own schema
 * was dropped it enters `home` and returns a message that says so. Throws an HttpError when the
 * request names a schema that does not exist.
 */
export const enterConnection = async (
  { connection, path }: { connection: DuckDBConnection; path: SearchPath },
  request: PathFields,
  catalogs: readonly string[],
  home: SearchPath,
): Promise<string | undefined> => {
  const wanted = pathOfRequest(request, path, catalogs)
  const isOwn = (request.catalog ?? request.schema ?? undefined) === undefined
  if (!isOwn) await enterPath(connection, wanted)
  if (!isOwn || (await setPath(connection, wanted))) return undefined
  await enterPath(connection, home)
  return `The schema ${path.schema} of this session is gone; the session is in ${home.catalog}.${home.schema} again. Send the statement once more if it belongs there.`
}
