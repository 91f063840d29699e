import type { DuckDBConnection } from '@duckdb/node-api'
import { analyticsCatalog } from '../store/analyticsSchema.js'
import { internalSchema } from '../store/lakehouseSchema.js'
import { quoteIdentifier } from '../store/quoteIdentifier.js'
import { quoteText } from '../store/quoteText.js'
import type { Place } from './createSessions.js'
import { messageOf, refuseField } from './refuseQuery.js'
import type { SqlToken } from './scanSql.js'

/** False when there is no such schema. */
const setPath = async (connection: DuckDBConnection, place: Place): Promise<boolean> => {
  if (place.schema.toLowerCase() === internalSchema) {
    throw refuseField(`The schema ${internalSchema} belongs to the service.`)
  }
  const own = `${quoteIdentifier(place.catalog)}.${quoteIdentifier(place.schema)}`
  const path = place.catalog === analyticsCatalog && place.schema === 'main' ? own : `${own},analytics.main`
  try {
    await connection.run(`SET search_path = ${quoteText(path)}`)
    return true
  } catch (error) {
    const message = messageOf(error)
    if (/no catalog \+ schema|does not exist/i.test(message)) return false
    throw refuseField(message)
  }
}

/** Unqualified names are looked for here first, then among the analytics views. */
export const enterPlace = async (connection: DuckDBConnection, place: Place): Promise<void> => {
  if (await setPath(connection, place)) return
  throw refuseField(`There is no schema ${place.schema} in the catalog ${place.catalog}.`)
}

/** Where a `USE` leads: `USE catalog`, `USE schema` or `USE catalog.schema`. */
export const placeOfUse = (tokens: readonly SqlToken[], now: Place, catalogs: readonly string[]): Place => {
  const names = tokens.slice(1).filter((token) => token.kind === 'word' || token.kind === 'name')
  const [first, second] = names.map((token) => token.text)
  if (first === undefined) throw refuseField('USE needs the name of a catalog or schema.')
  const catalog = catalogs.find((each) => each === first.toLowerCase())
  if (second !== undefined) {
    if (catalog === undefined)
      throw refuseField(`There is no catalog ${first}; there are ${catalogs.join(', ')}.`)
    return { catalog, schema: second }
  }
  return catalog === undefined ? { catalog: now.catalog, schema: first } : { catalog, schema: 'main' }
}

interface PlaceFields {
  catalog?: string | null
  schema?: string | null
}

/** The place a request names, or the session's where it names none. */
export const placeOfRequest = (
  { catalog, schema }: PlaceFields,
  now: Place,
  catalogs: readonly string[],
): Place => {
  if (catalog !== undefined && catalog !== null && !catalogs.includes(catalog)) {
    throw refuseField(`There is no catalog ${catalog.slice(0, 80)}; there are ${catalogs.join(', ')}.`)
  }
  return { catalog: catalog ?? now.catalog, schema: schema ?? (catalog ? 'main' : now.schema) }
}

/**
 * Enters the place a request names, or its session's. A session whose own schema was dropped goes
 * home, and the answer says so; a field that names no schema is refused.
 */
export const enterSession = async (
  { connection, place }: { connection: DuckDBConnection; place: Place },
  request: PlaceFields,
  catalogs: readonly string[],
  home: Place,
): Promise<string | undefined> => {
  const wanted = placeOfRequest(request, place, catalogs)
  const isOwn = (request.catalog ?? request.schema ?? undefined) === undefined
  if (!isOwn) await enterPlace(connection, wanted)
  if (!isOwn || (await setPath(connection, wanted))) return undefined
  await enterPlace(connection, home)
  return `The schema ${place.schema} of this session is gone; the session is in ${home.catalog}.${home.schema} again. Send the statement once more if it belongs there.`
}
