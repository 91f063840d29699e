import { acceptsCoding } from '../http/headers.js'
import { lakehouseError, refuse, type HttpError } from '../http/HttpError.js'
import { bodyReader } from '../http/readJson.js'
import type { Exchange, Route } from '../http/Route.js'
import { readIdentity } from '../users/Identity.js'
import { answerer, type AnswererOptions } from './answerer.js'
import { columnsFormOf, readColumns, type ColumnsForm, isPublishedClient } from './columnsForm.js'
import type { QueryInfo, QueryLog } from './QueryLog.js'
import { checkRequest, querySchema, readParameters, type QueryRequest } from './QueryRequest.js'
import { refuseField } from './refuse.js'
import { headersOfForm } from './rows/Answer.js'
import type { HeldConnections } from './HeldConnections.js'

export interface RowsOptions extends AnswererOptions {
  /** The form for clients that do not say which one they read. */
  columns: ColumnsForm
}

export interface QueryRoutesOptions extends RowsOptions {
  log: QueryLog
  connections: HeldConnections
  maxBodyBytes: number
}

const refusalOfWrite = ({ sanitize, format }: QueryRequest): HttpError | undefined => {
  if (sanitize === true)
    return refuse(400, 'not-sanitizable', 'Only a statement that reads can be sanitized.')
  if (format === 'parquet') return refuseField('Only a statement that reads can answer in Parquet.')
  if (format === 'arrow') return refuseField('Only a statement that reads can answer in Arrow.')
  return undefined
}

/** Answers a request by POST with the rows of a statement. */
export const rowsByPost = (options: RowsOptions) => {
  const answer = answerer(options)
  return (
    { request: http, response, search }: Exchange,
    request: QueryRequest,
    readsOnly: HttpError | undefined,
  ): Promise<undefined> => {
    checkRequest(request)
    const asked = request.columns ?? readColumns(search)
    const form = {
      format: request.format ?? 'default',
      escapesFormulas: request.escape_formulas ?? false,
      columns: columnsFormOf(asked, http.headers['user-agent'], options.columns),
      isZipped: false,
    }
    return answer({ ...readIdentity(http), http, response, request, form, readsOnly })
  }
}

/** Answers a request by GET with the rows of a statement as a file; by HEAD with what its headers would be. */
export const rowsByGet = (options: RowsOptions) => {
  const answer = answerer(options)
  return (
    { request: http, response }: Exchange,
    request: QueryRequest,
    readsOnly: HttpError,
  ): Promise<undefined> => {
    const identity = readIdentity(http)
    checkRequest(request)
    const form = {
      format: request.format ?? 'default',
      escapesFormulas: request.escape_formulas ?? false,
      columns: columnsFormOf(request.columns, http.headers['user-agent'], options.columns),
      isZipped: acceptsCoding(http.headers['accept-encoding']?.toString(), 'gzip'),
      fileName: request.file_name ?? 'query',
    }
    if (http.method === 'HEAD') {
      // How long the answer is, only the query could tell.
      response.writeHead(200, headersOfForm(form)).end()
      return Promise.resolve(undefined)
    }
    return answer({ ...identity, http, response, request, form, readsOnly })
  }
}

/** `POST /query`: a metadata line, a columns line, then one line a row; or csv, jsonl, parquet, arrow. */
const postQuery = (options: QueryRoutesOptions): Route => {
  const read = bodyReader<QueryRequest>(querySchema, options.maxBodyBytes)
  const answer = rowsByPost(options)
  return {
    method: 'POST',
    path: '/query',
    writeError: lakehouseError,
    async handle(asked) {
      const request = await read(asked.request)
      return answer(asked, request, refusalOfWrite(request))
    },
  }
}

const onlyReading = refuseField('GET /query runs statements that read. Send all others by POST.')

/** `GET /query?statement=…` is for programs that can only fetch a URL. It runs only statements that read. */
const getRows = (options: QueryRoutesOptions, method: 'GET' | 'HEAD'): Route => {
  const answer = rowsByGet(options)
  return {
    method,
    path: '/query',
    writeError: lakehouseError,
    handle: (asked) => answer(asked, readParameters(asked.search), onlyReading),
  }
}

/** Published clients know `HTTP` by the names of its parts alone, and the log holds what `/query` ran. */
const interfaceFor = (userAgent: string | undefined, { client_interface: known }: QueryInfo) =>
  known === 'HTTP' && isPublishedClient(userAgent) ? { client_interface: 'HttpQuery' } : {}

/** `GET /query/{query_id}`; each user sees their own. */
const getQuery = ({ log }: QueryRoutesOptions): Route => ({
  method: 'GET',
  path: '/query/{query_id}',
  writeError: lakehouseError,
  handle({ request, parameters }) {
    const query = log.find(readIdentity(request).user, parameters[0]!.toLowerCase())
    if (query === undefined) throw refuse(404, 'query-not-found', 'There is no query of this id.')
    const { progress } = query
    const info = { ...query.info, ...interfaceFor(request.headers['user-agent'], query.info) }
    const body = progress === undefined ? info : { ...info, ...progress, progress }
    return Promise.resolve({ status: 200, body })
  },
})

/** `DELETE /query/{query_id}`; each user cancels their own. */
const deleteQuery = ({ log, connections }: QueryRoutesOptions): Route => ({
  method: 'DELETE',
  path: '/query/{query_id}',
  writeError: lakehouseError,
  handle({ request, parameters, search }) {
    const { user } = readIdentity(request)
    const sessionId = new URLSearchParams(search).get('session_id')
    if (sessionId === null || sessionId === '') throw refuseField('session_id is missing.')
    const query = log.find(user, parameters[0]!.toLowerCase())
    const owns = query?.info.session_id === sessionId
    if (!owns && connections.find(user, sessionId) === undefined) {
      throw refuse(404, 'session-not-found', 'There is no session of this id.')
    }
    if (query === undefined) {
      const message = 'There is no query of this id any more.'
      return Promise.resolve({ status: 200, body: { cancelled: false, message } })
    }
    if (!owns) throw refuseField('The query is not of this session: send the session_id of its metadata.')
    const cancelled = query.isLive
    query.cancel('cancelled')
    const message = cancelled ? 'The query is being cancelled.' : 'The query has ended already.'
    return Promise.resolve({ status: 200, body: { cancelled, message } })
  },
})

export const queryRoutes = (options: QueryRoutesOptions): Route[] => [
  postQuery(options),
  getRows(options, 'GET'),
  getRows(options, 'HEAD'),
  getQuery(options),
  deleteQuery(options),
]
