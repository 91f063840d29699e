import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { DuckDBType } from '@duckdb/node-api'
import { brokenLine, HttpError, refuse } from '../../http/HttpError.js'
import { clientPatienceMs } from '../../http/readBody.js'
import type { Pausable } from '../../duckdb/ConcurrencyLimit.js'
import type { ColumnsForm } from '../columnsForm.js'
import type { Format } from '../QueryRequest.js'
import { type Page, uniqueNames, csvCell } from './encodeRows.js'
import type { ParquetFile } from './exportParquet.js'
import type { Rows } from './streamRows.js'

/** How an answer is written. */
export interface Form {
  format: Format
  /** In CSV, a text that a spreadsheet would run is made harmless. */
  escapesFormulas: boolean
  columns: ColumnsForm
  isZipped: boolean
  /** Sent as a file to be saved under this name, to which the format gives its ending. */
  fileName?: string
}

/** Where the rows of an answer come from. */
export interface Source {
  rows: Rows
  turn: Pausable
  /** Aborted when nothing more is to be sent. */
  signal: AbortSignal
}

/** What the answer says about a query before its rows. */
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
  arrow: 'application/vnd.apache.arrow.stream',
}
const endings: Record<Format, string> = {
  default: 'ndjson',
  jsonl: 'jsonl',
  csv: 'csv',
  parquet: 'parquet',
  arrow: 'arrows',
}

/** Whether the answer is gzipped; a Parquet file is compressed already. */
const zips = ({ format, isZipped }: Form) => isZipped && format !== 'parquet'

/** The headers that depend on the form only, not on the query. */
export const headersOfForm = (form: Form): OutgoingHttpHeaders => ({
  'content-type': contentTypes[form.format],
  'x-waymark-format': form.format,
  'x-content-type-options': 'nosniff',
  // What a user may read stays in no cache of a browser or a proxy.
  'cache-control': 'no-store',
  ...(zips(form) && { 'content-encoding': 'gzip', vary: 'Origin, Accept-Encoding' }),
  ...(form.fileName !== undefined && {
    'content-disposition': `attachment; filename="${form.fileName}.${endings[form.format]}"`,
  }),
})

/** The SQL name of a column's type. DuckDB stores JSON as VARCHAR, and only the alias says that it is JSON. */
const typeName = (type: DuckDBType): string => type.alias ?? type.toString()

const openingLines = ({ names, types }: Rows, head: Head, form: Form): string => {
  const { format, escapesFormulas, columns } = form
  if (format === 'csv') return `${names.map((name) => csvCell(name, escapesFormulas)).join(',')}\n`
  if (format === 'jsonl' || format === 'arrow') return ''
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
  const objects = names.map((name, at) => ({ name, type: typeName(types[at]!) }))
  return `${JSON.stringify(metadata)}\n${JSON.stringify(columns === 'labels' ? names : objects)}\n`
}

/**
 * A short answer is sent in one piece: when the engine ends before that, nothing of it is sent, and the ingest process
 * can ask again. Rows that come slowly wait for no longer than this.
 */
const togetherMs = 200

/** A server in front of this one may refuse longer headers. */
const maxHeaderBytes = 4096

/** In jsonl an answer without rows would not say which columns it has. A header holds ASCII alone. */
const columnsHeader = ({ names }: Rows, { format }: Form): OutgoingHttpHeaders => {
  if (format !== 'jsonl') return {}
  const text = JSON.stringify(uniqueNames(names)).replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return text.length > maxHeaderBytes ? {} : { 'x-waymark-columns': text }
}

/** The answer to one query, written no faster than the client takes it. */
export class Answer {
  readonly #response: ServerResponse
  readonly #form: Form
  /** The response, or a gzip before it. */
  #out: Writable
  #holding: NodeJS.Timeout | undefined

  constructor(response: ServerResponse, form: Form) {
    this.#response = response
    this.#out = response
    this.#form = form
  }

  get hasBegun(): boolean {
    return this.#response.headersSent
  }

  /** The answer is not complete before `end`. */
  async writeRows({ rows, turn, signal }: Source, head: Head): Promise<void> {
    // The first rows are read before the status is sent, so that a statement that fails at once is a 400.
    let lines = await rows.next()
    this.#begin(head, columnsHeader(rows, this.#form))
    const opening = openingLines(rows, head, this.#form)
    let isRead = opening === '' || (await this.#write(opening, turn, signal))
    while (lines !== undefined && isRead) {
      isRead = await this.#write(lines, turn, signal)
      if (isRead) lines = await rows.next()
    }
    clearTimeout(this.#holding)
    if (!isRead) throw refuse(400, 'query-gone', 'The client went away.')
  }

  end(): void {
    this.#out.end()
  }

  async sendFile({ file, bytes, remove }: ParquetFile, head: Head): Promise<void> {
    try {
      this.#begin(head, { 'content-length': bytes })
      this.#response.setTimeout(clientPatienceMs, () => this.#response.destroy())
      await pipeline(createReadStream(file), this.#response)
    } finally {
      await remove()
    }
  }

  /** Ends an answer that has begun so that no client takes it for complete, nor the error for a row. */
  breakOff(error: unknown, queryId: string): void {
    const reported = error instanceof HttpError ? error : refuse(500, 'internal', String(error))
    if (this.#form.format !== 'default') this.#response.destroy()
    else {
      this.#out.end(brokenLine(reported, queryId))
      this.#response.setTimeout(clientPatienceMs, () => this.#response.destroy())
    }
  }

  #begin(head: Head, more: OutgoingHttpHeaders = {}): void {
    this.#response.writeHead(200, {
      ...headersOfForm(this.#form),
      'x-query-id': head.queryId,
      'x-session-id': encodeURIComponent(head.sessionId),
      ...more,
    })
    if (!zips(this.#form)) {
      this.#response.cork()
      this.#holding = setTimeout(() => this.#response.uncork(), togetherMs)
      return
    }
    const gzip = createGzip()
    gzip.pipe(this.#response)
    this.#response.once('close', () => gzip.destroy())
    this.#out = gzip
  }

  /** Writes, and waits while the client is slower than the query. False once the client has gone. */
  async #write(lines: string | Buffer, turn: Pausable, signal: AbortSignal): Promise<boolean> {
    const response = this.#response
    if (response.destroyed) return false
    if (this.#out.write(lines)) return true
    response.uncork()
    const gone = new AbortController()
    const leave = () => gone.abort()
    const timer = setTimeout(leave, clientPatienceMs)
    response.once('close', leave)
    turn.pause()
    try {
      await once(this.#out, 'drain', { signal: AbortSignal.any([gone.signal, signal]) })
      await turn.resume()
      return true
    } catch {
      // After a cancellation the client may still be there, and `breakOff` tells it why the answer ends.
      if (!signal.aborted) response.destroy()
      return false
    } finally {
      clearTimeout(timer)
      response.off('close', leave)
    }
  }
}
