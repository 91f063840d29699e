import type { IncomingMessage, ServerResponse } from 'node:http'
import { createBodyReader } from '../http/createBodyReader.js'
import { Refusal } from '../http/Refusal.js'
import type { Route } from '../http/Route.js'
import { checkRequest, cutOfRequest } from './checkRequest.js'
import type { QueryLog } from './createQueryLog.js'
import type { QueryJob, QueryRunner } from './createQueryRunner.js'
import { deliverParquet } from './deliverParquet.js'
import { deliverRows, type TextFormat } from './deliverRows.js'
import { querySchema, type QueryRequest } from './querySchema.js'
import { refuseField } from './refuseQuery.js'
import type { Layout } from './wrapRead.js'

export interface QueryRouteOptions {
  authorize(request: IncomingMessage): string
  runner: QueryRunner
  log: QueryLog
  exportFolder: string
  maxBodyBytes: number
  workerSlug: string
}

const layouts: Record<string, Layout> = { csv: 'csv', jsonl: 'object' }

/** `POST /query`: a metadata line, a columns line, then one line a row; or csv, jsonl, parquet. */
export const createQueryRoute = (options: QueryRouteOptions): Route => {
  const { authorize, runner, log, exportFolder, maxBodyBytes, workerSlug } = options
  const read = createBodyReader<QueryRequest>(querySchema, maxBodyBytes)

  const toJob = (
    user: string,
    request: QueryRequest,
    http: IncomingMessage,
    response: ServerResponse,
  ): QueryJob => {
    const format = request.format ?? 'default'
    const cut = cutOfRequest(request)
    return {
      user,
      userAgent: http.headers['user-agent'] ?? null,
      request,
      layout: layouts[format] ?? 'array',
      cut,
      admit({ kind }) {
        if (kind === 'read') return
        if (request.sanitize === true) {
          const message = 'Only a statement that reads can be sanitized.'
          throw new Refusal(400, { error: 'not-sanitizable', message })
        }
        if (format === 'parquet') throw refuseField('Only a statement that reads can answer in Parquet.')
      },
      async deliver(run, open) {
        if (format === 'parquet') return deliverParquet(response, exportFolder, cut, run)
        const target = { response, request, cut, format: format as TextFormat, workerSlug }
        return deliverRows(target, await open(), run)
      },
    }
  }

  return {
    method: 'POST',
    path: '/query',
    describeFailure: (message) => ({ error: 'internal', message }),
    async handle({ request: http, response }) {
      const user = authorize(http)
      const request = await read(http)
      checkRequest(request, log)
      await runner.run(toJob(user, request, http, response), (stopper) => {
        response.once('close', () => {
          if (!response.writableFinished) stopper.stop('gone')
        })
      })
      return undefined
    },
  }
}
