import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpError } from '../http/HttpError.js'
import type { Identity } from '../users/Identity.js'
import type { Cancellation } from './Cancellation.js'
import { type Translate, readDialect } from './dialects/Translator.js'
import { pageOfRequest, type QueryRequest, type QueryJob } from './QueryRequest.js'
import type { QueryRunner } from './QueryRunner.js'
import { Answer, type Form } from './rows/Answer.js'

const layouts = { default: 'array', csv: 'csv', jsonl: 'object', parquet: 'parquet', arrow: 'arrow' } as const

/** One query and the form in which its answer is wanted. */
export interface Asked extends Identity {
  http: IncomingMessage
  response: ServerResponse
  request: QueryRequest
  form: Form
  readsOnly: HttpError | undefined
}

export interface AnswererOptions {
  runner: QueryRunner
  newCancellation(): Cancellation
  workerSlug: string
  translate: Translate
}

/** Runs a query and writes its answer. */
export const answerer = ({ runner, newCancellation, workerSlug, translate }: AnswererOptions) => {
  const write = async (job: QueryJob, answer: Answer) => {
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
      // The log entry is complete before the answer is: a client may read it right after the answer.
      if ('file' in query.rows) {
        await query.end()
        await answer.sendFile(query.rows, head)
      } else {
        await answer.writeRows({ ...query, rows: query.rows }, head)
        await query.end()
        answer.end()
      }
    } catch (error) {
      const reported = query.fail(error)
      if (!answer.hasBegun) throw reported
      answer.breakOff(reported, head.queryId)
    }
  }

  /** From here on the statement is DuckDB's: in the guard, the log and the answer. */
  const inDuckdb = async (
    user: string,
    request: QueryRequest,
    cancellation: Cancellation,
  ): Promise<QueryRequest> => {
    const dialect = readDialect(request.dialect)
    if (dialect === undefined) return request
    const { statement } = request
    try {
      const { signal } = cancellation
      return { ...request, statement: await translate({ user, statement, dialect, signal }) }
    } catch (error) {
      throw cancellation.error ?? error
    }
  }

  return async ({
    user,
    role,
    http,
    response,
    request: given,
    form,
    readsOnly: refusal,
  }: Asked): Promise<undefined> => {
    const cancellation = newCancellation()
    response.once('close', () => {
      if (!response.writableFinished) cancellation.cancel('gone')
    })
    const onceOnly = () => {
      if (!response.headersSent && !response.destroyed) response.writeProcessing()
    }
    // Nobody wants a cancelled statement to be asked again.
    cancellation.signal.addEventListener('abort', onceOnly)
    const request = await inDuckdb(user, given, cancellation)
    const job = {
      user,
      role,
      userAgent: http.headers['user-agent'] ?? null,
      request,
      layout: form.escapesFormulas ? ('escaped-csv' as const) : layouts[form.format],
      page: pageOfRequest(request),
      readsOnly: refusal,
      cancellation,
      onceOnly,
    }
    await write(job, new Answer(response, form))
    return undefined
  }
}
