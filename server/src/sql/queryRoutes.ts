import type { IncomingMessage, ServerResponse } from 'node:http'
import { lakehouseError, refuse } from '../http/HttpError.js'
import { bodyReader } from '../http/readJson.js'
import type { Authorize, Route } from '../http/Route.js'
import type { Cancellation } from './Cancellation.js'
import type { QueryLog } from './QueryLog.js'
import { checkRequest, pageOfRequest, querySchema, type QueryRequest } from './QueryRequest.js'
import type { QueryJob, QueryRunner } from './QueryRunner.js'
import { refuseField } from './refuse.js'
import { breakOff, respondParquet, respondRows, type Format } from './rows/respondRows.js'
import type { Sessions } from './Sessions.js'

export interface QueryRoutesOptions {
  authorize: Authorize
  runner: QueryRunner
  log: QueryLog
  sessions: Sessions
  newCancellation(): Cancellation
  maxBodyBytes: number
  workerSlug: string
}

const layouts = { default: 'array', csv: 'csv', jsonl: 'object', parquet: 'parquet' } as const

const readsOnly = ({ sanitize }: QueryRequest, format: Format) => {
  if (sanitize === true)
    return refuse(400, 'not-sanitizable', 'Only a statement that reads can be sanitized.')
  if (format === 'parquet') return refuseField('Only a statement that reads can answer in Parquet.')
  return undefined
}

/** `POST /query`: a metadata line, a columns line, then one line a row; or csv, jsonl, parquet. */
const postQuery = (options: QueryRoutesOptions): Route => {
  const { authorize, runner, log, newCancellation, maxBodyBytes, workerSlug } = options
  const read = bodyReader<QueryRequest>(querySchema, maxBodyBytes)

  const answer = async (job: QueryJob, format: Format, response: ServerResponse) => {
    const query = await runner.run(job)
    const head = {
      statement: job.request.statement,
      page: job.page,
      initTimeMs: Math.round(performance.now() - query.startedMs),
      sessionId: query.info.session_id,
      queryId: query.info.uuid,
      workerSlug,
    }
    try {
      if ('file' in query.rows) await respondParquet(response, query.rows, head)
      else await respondRows(response, query.rows, head, format)
      await query.end()
    } catch (error) {
      const told = query.fail(error)
      if (!response.headersSent) throw told
      breakOff(response, format, told)
    }
  }

  return {
    method: 'POST',
    path: '/query',
    writeError: lakehouseError,
    async handle({ request: http, response }: { request: IncomingMessage; response: ServerResponse }) {
      const user = authorize(http)
      const request = await read(http)
      checkRequest(request, (id) => log.has(id))
      const cancellation = newCancellation()
      response.once('close', () => {
        if (!response.writableFinished) cancellation.cancel('gone')
      })
      const format = (request.format ?? 'default') as Format
      const job = {
        user,
        userAgent: http.headers['user-agent'] ?? null,
        request,
        layout: layouts[format],
        page: pageOfRequest(request),
        readsOnly: readsOnly(request, format),
        cancellation,
      }
      await answer(job, format, response)
      return undefined
    },
  }
}

/** `GET /query/{query_id}`; each user sees their own. */
const getQuery = ({ authorize, log }: QueryRoutesOptions): Route => ({
  method: 'GET',
  path: '/query/{query_id}',
  writeError: lakehouseError,
  handle({ request, parameters }) {
    const query = log.find(authorize(request), parameters[0]!.toLowerCase())
    if (query === undefined) throw refuse(404, 'query-not-found', 'There is no query of this id.')
    return Promise.resolve({ status: 200, body: { ...query.info, ...query.progress } })
  },
})

/** `DELETE /query/{query_id}`; each user cancels their own. */
const deleteQuery = ({ authorize, log, sessions }: QueryRoutesOptions): Route => ({
  method: 'DELETE',
  path: '/query/{query_id}',
  writeError: lakehouseError,
  handle({ request, parameters, search }) {
    const user = authorize(request)
    const sessionId = new URLSearchParams(search).get('session_id')
    if (sessionId === null || sessionId === '') throw refuseField('session_id is missing.')
    const query = log.find(user, parameters[0]!.toLowerCase())
    const owns = query?.info.session_id === sessionId
    if (!owns && sessions.find(user, sessionId) === undefined) {
      throw refuse(404, 'session-not-found', 'There is no session of this id.')
    }
    if (!owns) {
      const message = 'The session has no query of this id.'
      return Promise.resolve({ status: 200, body: { cancelled: false, message } })
    }
    const cancelled = query.isLive
    query.cancel('cancelled')
    const message = cancelled ? 'The query is being cancelled.' : 'The query has ended already.'
    return Promise.resolve({ status: 200, body: { cancelled, message } })
  },
})

export const queryRoutes = (options: QueryRoutesOptions): Route[] => [
  postQuery(options),
  getQuery(options),
  deleteQuery(options),
]
