import type { ServerResponse } from 'node:http'
import { Refusal } from '../http/Refusal.js'
import type { QueryRun } from './createQueryRunner.js'
import type { QueryRequest } from './querySchema.js'
import type { RowSource } from './RowSource.js'
import { typeName } from './typeName.js'
import type { Cut } from './wrapRead.js'
import { writeLines } from './writeLines.js'

export type TextFormat = 'default' | 'csv' | 'jsonl'

export interface DeliverOptions {
  response: ServerResponse
  request: QueryRequest
  cut: Cut
  format: TextFormat
  workerSlug: string
}

const contentTypes: Record<TextFormat, string> = {
  default: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
}

const csvName = (name: string) => (/[",\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)

const openingLines = (options: DeliverOptions, source: RowSource, run: QueryRun): string => {
  if (options.format === 'csv') return `${source.names.map(csvName).join(',')}\n`
  if (options.format === 'jsonl') return ''
  const head = {
    statement: options.request.statement,
    rows_limit: options.cut.limit ?? null,
    rows_offset: options.cut.offset ?? null,
    init_time_ms: Math.round(performance.now() - run.startedMs),
    connections_errors: {},
    session_id: run.session.id,
    query_id: run.queryId,
    worker_slug: options.workerSlug,
  }
  const columns = source.names.map((name, at) => ({ name, type: typeName(source.types[at]!) }))
  return `${JSON.stringify(head)}\n${JSON.stringify(columns)}\n`
}

/** The lines under way are not complete, and the client must see that. */
const breakOff = (options: DeliverOptions, error: unknown) => {
  const { response, format } = options
  const body = error instanceof Refusal ? error.body : { error: 'internal', message: String(error) }
  if (format === 'csv') response.destroy()
  else response.end(`${JSON.stringify({ error: body })}\n`)
}

/** Streams the rows, no faster than the client takes them. */
export const deliverRows = async (
  options: DeliverOptions,
  source: RowSource,
  run: QueryRun,
): Promise<void> => {
  const { response, format } = options
  // Read before the status is sent, so that a statement that fails at once is a 400.
  let lines = await source.next()
  response.writeHead(200, {
    'content-type': contentTypes[format],
    'x-query-id': run.queryId,
    'x-session-id': encodeURIComponent(run.session.id),
  })
  try {
    const opening = openingLines(options, source, run)
    let taken = opening === '' || (await writeLines(response, opening))
    while (lines !== undefined && taken) {
      taken = await writeLines(response, lines)
      if (taken) lines = await source.next()
    }
    if (!taken) {
      run.stopper.stop('gone')
      throw new Refusal(400, { error: 'query-gone', message: 'The client went away.' })
    }
    response.end()
  } catch (error) {
    breakOff(options, error)
    throw error
  }
}
