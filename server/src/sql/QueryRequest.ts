import { refuseField } from './refuse.js'
import type { Page } from './rows/encodeRows.js'

export interface QueryRequest {
  statement: string
  catalog?: string | null
  schema?: string | null
  session_id?: string | null
  query_id?: string | null
  compute_size?: string | null
  dialect?: string | null
  ephemeral?: boolean | null
  format?: string | null
  limit?: number | null
  offset?: number | null
  sanitize?: boolean | null
  cache?: boolean | null
  timezone?: string | null
  requested_by?: string | null
}

const text = { type: 'string', nullable: true }
const flag = { type: 'boolean', nullable: true }
const count = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, nullable: true }
const oneOf = (...values: string[]) => ({ type: 'string', nullable: true, enum: [...values, null] })

export const querySchema = {
  type: 'object',
  required: ['statement'],
  properties: {
    statement: { type: 'string' },
    catalog: text,
    schema: text,
    session_id: text,
    query_id: text,
    compute_size: oneOf('XS', 'S', 'M', 'L', 'XL', 'AUTO'),
    dialect: text,
    ephemeral: flag,
    format: oneOf('default', 'csv', 'jsonl', 'parquet'),
    limit: count,
    offset: count,
    sanitize: flag,
    cache: flag,
    timezone: text,
    requested_by: text,
  },
}

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i
const maxSessionIdLength = 200

/** Refuses what the shape alone does not show to be wrong. */
export const checkRequest = (request: QueryRequest, isTaken: (id: string) => boolean): void => {
  const { dialect, query_id: queryId, session_id: sessionId, compute_size: size, ephemeral } = request
  if (dialect && dialect.toLowerCase() !== 'duckdb') {
    throw refuseField(`The dialect ${dialect.slice(0, 40)} is not supported: write DuckDB's SQL.`)
  }
  if (queryId !== undefined && queryId !== null) {
    if (!uuid.test(queryId)) throw refuseField('query_id must be a UUID.')
    if (isTaken(queryId.toLowerCase())) throw refuseField(`There is a query ${queryId} already.`)
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
const sanitizedRows = 10_000

export const pageOfRequest = ({ limit, offset, sanitize }: QueryRequest): Page => ({
  limit: limit ?? (sanitize === true ? sanitizedRows : undefined),
  offset: offset ?? undefined,
})
