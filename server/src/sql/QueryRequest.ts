import { shapeChecker, checkParameters } from '../http/readJson.js'
import { type ComputeSize, computeSizes } from './computeSize.js'
import { columnsForms, type ColumnsForm } from './columnsForm.js'
import { readDialect } from './dialects/Translator.js'
import { refuseField } from './refuse.js'
import type { Page, Layout } from './rows/encodeRows.js'
import type { HttpError } from '../http/HttpError.js'
import { readOnlyUser, type UserRole } from '../users/Identity.js'
import type { Cancellation } from './Cancellation.js'
import type { Plan } from './planStatement.js'
import type { HeldConnection } from './HeldConnections.js'

export type Format = 'default' | 'csv' | 'jsonl' | 'parquet' | 'arrow'

export interface QueryRequest {
  statement: string
  catalog?: string | null
  schema?: string | null
  session_id?: string | null
  query_id?: string | null
  compute_size?: ComputeSize | null
  dialect?: string | null
  ephemeral?: boolean | null
  format?: Format | null
  escape_formulas?: boolean | null
  file_name?: string | null
  columns?: ColumnsForm | null
  visible?: boolean | null
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
const oneOf = (...values: readonly string[]) => ({ type: 'string', nullable: true, enum: [...values, null] })

export const querySchema = {
  type: 'object',
  required: ['statement'],
  properties: {
    statement: { type: 'string' },
    catalog: text,
    schema: text,
    session_id: text,
    query_id: text,
    compute_size: oneOf(...computeSizes),
    dialect: text,
    ephemeral: flag,
    format: oneOf('default', 'csv', 'jsonl', 'parquet', 'arrow'),
    escape_formulas: flag,
    file_name: { ...text, pattern: String.raw`^[\w. -]{1,100}$` },
    columns: oneOf(...columnsForms),
    visible: flag,
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

/** Throws for mistakes that the JSON schema cannot find. */
export const checkRequest = (request: QueryRequest): void => {
  const { dialect, query_id: queryId, session_id: sessionId, compute_size: size, ephemeral } = request
  readDialect(dialect)
  if (request.escape_formulas === true && request.format !== 'csv') {
    throw refuseField('escape_formulas is for the format csv.')
  }
  if (queryId !== undefined && queryId !== null && !uuid.test(queryId)) {
    throw refuseField('query_id must be a UUID.')
  }
  if (sessionId !== undefined && sessionId !== null) {
    if (sessionId === '' || sessionId.length > maxSessionIdLength) {
      throw refuseField(`session_id must have 1 to ${maxSessionIdLength} characters.`)
    }
    if (size === 'AUTO') throw refuseField('compute_size AUTO cannot be combined with a session_id.')
    if (ephemeral === true) throw refuseField('An ephemeral session cannot have a session_id.')
  }
}

/**
 * Makes a function that reads fields of a query, among them `named`, from the parameters of a URL. Without a session_id
 * the query is ephemeral: no later request can name its connection.
 */
export const parametersReader = <T extends object>(
  properties: Readonly<Record<string, object>>,
  named: keyof T & string,
) => {
  const check = shapeChecker({ type: 'object', properties }, { coerceTypes: true })
  return (search: string): T => {
    const given = new URLSearchParams(search)
    checkParameters(given, Object.keys(properties))
    const request: Record<string, unknown> = Object.fromEntries(given)
    if (request[named] === undefined) throw refuseField(`The parameter ${named} is missing.`)
    check(request)
    return { ephemeral: request['session_id'] === undefined, ...(request as T) }
  }
}

export const readParameters = parametersReader<QueryRequest>(querySchema.properties, 'statement')

/** How many rows `sanitize` lets through when no limit is given. */
const sanitizedRows = 10_000

export const pageOfRequest = ({ limit, offset, sanitize }: QueryRequest): Page => ({
  limit: limit ?? (sanitize === true ? sanitizedRows : undefined),
  offset: offset ?? undefined,
})

export interface QueryJob {
  user: string
  role: UserRole
  userAgent: string | null
  request: QueryRequest
  layout: Layout | 'parquet' | 'arrow'
  page: Page
  /** The error for a statement that does not only read. */
  readsOnly?: HttpError | undefined
  cancellation: Cancellation
  /** Called before the statement does what may not be done twice, if the engine ends meanwhile. */
  onceOnly?(): void
  /** Given when the query came through the Postgres protocol. */
  postgres?: PostgresJob
}

/** What a client of the Postgres protocol brings with its query. */
export interface PostgresJob {
  /** The client's own connection, which no HTTP request can name. */
  held: HeldConnection
  /** The statement that is run; the log keeps `request.statement`. */
  text: string
  /** Throws when the statement may not run. */
  admit(plan: Plan): void
  /** The error for a statement that would have changed something. */
  readsOnly: Error
}

/** The error for a change in a job that may only read; undefined when the job may change tables. */
export const refusalOf = ({ role, readsOnly, postgres }: QueryJob): Error | undefined =>
  readsOnly ?? (role === 'read' ? readOnlyUser() : postgres?.readsOnly)
