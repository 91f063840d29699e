import type { QueryLog } from './createQueryLog.js'
import type { QueryRequest } from './querySchema.js'
import { refuseField } from './refuseQuery.js'
import type { Cut } from './wrapRead.js'

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i
const maxSessionIdLength = 200

/** Refuses what the shape alone does not show to be wrong. */
export const checkRequest = (request: QueryRequest, log: QueryLog): void => {
  const { dialect, query_id: queryId, session_id: sessionId, compute_size: size, ephemeral } = request
  if (dialect && dialect.toLowerCase() !== 'duckdb') {
    throw refuseField(`The dialect ${dialect.slice(0, 40)} is not supported: write DuckDB's SQL.`)
  }
  if (queryId !== undefined && queryId !== null) {
    if (!uuid.test(queryId)) throw refuseField('query_id must be a UUID.')
    if (log.has(queryId.toLowerCase())) throw refuseField(`There is a query ${queryId} already.`)
  }
  if (sessionId !== undefined && sessionId !== null) {
    if (sessionId === '' || sessionId.length > maxSessionIdLength) {
      throw refuseField(`session_id must have 1 to ${maxSessionIdLength} characters.`)
    }
    if (size === 'AUTO') throw refuseField('compute_size AUTO cannot be combined with a session_id.')
    if (ephemeral === true) throw refuseField('An ephemeral session cannot have a session_id.')
  }
}

/** How many rows `sanitize` lets through when no limit is given. */
export const sanitizedRows = 10_000

export const cutOfRequest = ({ limit, offset, sanitize }: QueryRequest): Cut => ({
  limit: limit ?? (sanitize === true ? sanitizedRows : undefined),
  offset: offset ?? undefined,
})
