import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { DuckDBType } from '@duckdb/node-api'
import { HttpError, lakehouseError, refuse } from '../../http/HttpError.js'
import { clientPatienceMs } from '../../http/readBody.js'
import type { Page } from './encodeRows.js'
import type { ParquetFile } from './exportParquet.js'
import type { Rows } from './streamRows.js'

export type Format = 'default' | 'csv' | 'jsonl' | 'parquet'

/** What is told about a query before its rows. */
export interface Head {
  statement: string
  page: Page
  initTimeMs: number
  sessionId: string
  queryId: string
  workerSlug: string
}

const contentTypes: Record<Format, string> = {
  default: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
  parquet: 'application/vnd.apache.parquet',
}

const headersOf = (head: Head, format: Format) => ({
  'content-type': contentTypes[format],
  'x-query-id': head.queryId,
  'x-session-id': encodeURIComponent(head.sessionId),
})

/** The SQL name of a column's type; JSON is a VARCHAR underneath and says so unless asked for its alias. */
const typeName = (type: DuckDBType): string => type.alias ?? type.toString()

/** Writes, and waits while the client is slower than the query. False once the client has gone. */
const writeLines = async (response: ServerResponse, lines: string | Buffer): Promise<boolean> => {
  if (response.destroyed) return false
  if (response.write(lines)) return true
  const gone = new AbortController()
  const leave = () => gone.abort()
  const timer = setTimeout(leave, clientPatienceMs)
  response.once('close', leave)
  try {
    await once(response, 'drain', { signal: gone.signal })
    return true
  } catch {
    response.destroy()
    return false
  } finally {
    clearTimeout(timer)
    response.off('close', leave)
  }
}

const csvName = (name: string) => (/[",\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)

const openingLines = (rows: Rows, head: Head, format: Format): string => {
  if (format === 'csv') return `${rows.names.map(csvName).join(',')}\n`
  if (format === 'jsonl') return ''
  const metadata = {
    statement: head.statement,
    rows_limit: head.page.limit ?? null,
    rows_offset: head.page.offset ?? null,
    init_time_ms: head.initTimeMs,
    connections_errors: {},
    session_id: head.sessionId,
    query_id: head.queryId,
    worker_slug: head.workerSlug,
  }
  const columns = rows.names.map((name, at) => ({ name, type: typeName(rows.types[at]!) }))
  return `${JSON.stringify(metadata)}\n${JSON.stringify(columns)}\n`
}

/** Streams the rows, no faster than the client takes them. */
export const respondRows = async (
  response: ServerResponse,
  rows: Rows,
  head: Head,
  format: Format,
): Promise<void> => {
  // Read before the status is sent, so that a statement that fails at once is a 400.
  let lines = await rows.next()
  response.writeHead(200, headersOf(head, format))
  const opening = openingLines(rows, head, format)
  let taken = opening === '' || (await writeLines(response, opening))
  while (lines !== undefined && taken) {
    taken = await writeLines(response, lines)
    if (taken) lines = await rows.next()
  }
  if (!taken) throw refuse(400, 'query-gone', 'The client went away.')
  response.end()
}

export const respondParquet = async (
  response: ServerResponse,
  { file, bytes, remove }: ParquetFile,
  head: Head,
): Promise<void> => {
  try {
    response.writeHead(200, { ...headersOf(head, 'parquet'), 'content-length': bytes })
    await pipeline(createReadStream(file), response)
  } finally {
    await remove()
  }
}

/** The lines under way are not complete, and the client must see that. */
export const breakOff = (response: ServerResponse, format: Format, error: unknown): void => {
  const told = error instanceof HttpError ? error : refuse(500, 'internal', String(error))
  if (format === 'csv' || format === 'parquet') response.destroy()
  else response.end(`${JSON.stringify({ error: lakehouseError(told) })}\n`)
}
