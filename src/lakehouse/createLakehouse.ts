import { toError } from './LakehouseError'
import { readResult } from './readResult'
import type {
  AppendAnswer,
  CallOptions,
  Cancelled,
  Explanation,
  Place,
  QueryLog,
  QueryOptions,
  QueryResult,
  Suggestions,
  TablePlace,
  Task,
  Validation,
} from './types'

export interface LakehouseConfig {
  /** The service's base URL. */
  endpoint: string
  username: string
  password: string
  /** Used instead of the global `fetch`. */
  fetch?: typeof fetch
}

type Format = 'csv' | 'json' | 'parquet'

/** What rows are matched by. */
interface RowKey {
  /** A column, or several with commas between. */
  primaryKey: string
  /** Where two rows have one key, the row with the greater value here is kept. */
  cursorField?: string
}
type Params = Record<string, string | number | boolean | undefined>

export type Lakehouse = ReturnType<typeof createLakehouse>

/**
 * A client of the lakehouse group of the service, for Node and browsers. Every call rejects with a `LakehouseError`
 * when the service refuses it, with the error of `fetch` when it cannot be reached, and with an `AbortError` when
 * its signal ends it.
 *
 * @example
 * const lakehouse = createLakehouse({ endpoint: 'http://127.0.0.1:8787', username: 'ada', password: 'secret' })
 * const result = await lakehouse.query('SELECT event, count(*) AS n FROM events GROUP BY event')
 * for await (const [event, n] of result) console.log(event, n)
 */
export function createLakehouse(config: LakehouseConfig) {
  const endpoint = config.endpoint.replace(/\/+$/, '')
  const bytes = new TextEncoder().encode(`${config.username}:${config.password}`)
  const Authorization = `Basic ${btoa(String.fromCodePoint(...bytes))}`
  const send = config.fetch ?? ((url: string, init: RequestInit) => fetch(url, init))

  const call = async (
    method: string,
    path: string,
    { signal, params = {}, json, body }: CallOptions & { params?: Params; json?: unknown; body?: BodyInit },
  ): Promise<Response> => {
    const given = Object.entries(params).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, `${value}`]],
    )
    const query = given.length ? `?${new URLSearchParams(given)}` : ''
    const response = await send(`${endpoint}${path}${query}`, {
      method,
      headers: {
        Authorization,
        ...(json !== undefined && { 'Content-Type': 'application/json' }),
        ...(body !== undefined && { 'Content-Type': 'application/octet-stream' }),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
      // A stream as a body needs to be told.
      ...(body instanceof ReadableStream && { duplex: 'half' }),
    })
    if (response.ok) return response
    throw toError(response.status, await response.json().catch(() => undefined))
  }

  const read = async <T>(...args: Parameters<typeof call>): Promise<T> => {
    const response = await call(...args)
    const text = await response.text()
    return (text ? JSON.parse(text) : {}) as T
  }

  return {
    /** Runs SQL and streams its rows (contract: `POST /query`). */
    async query(statement: string, { signal, ...options }: QueryOptions = {}): Promise<QueryResult> {
      const response = await call('POST', '/query', {
        json: { statement, ...options },
        ...(signal && { signal }),
      })
      return readResult(response.body!)
    },

    /** What is known of a query, its progress while it runs (contract: `GET /query/{query_id}`). */
    queryLog: (queryId: string, options: CallOptions = {}) =>
      read<QueryLog>('GET', `/query/${encodeURIComponent(queryId)}`, options),

    /** Ends a query (contract: `DELETE /query/{query_id}`). */
    cancel: (queryId: string, sessionId: string, options: CallOptions = {}) =>
      read<Cancelled>('DELETE', `/query/${encodeURIComponent(queryId)}`, {
        params: { session_id: sessionId },
        ...options,
      }),

    /** Appends records to a table, which is made when it is missing. `sync` waits until they are there. */
    append: async (
      { catalog, schema, table }: TablePlace,
      records: object | object[],
      { sync, ...options }: CallOptions & { sync?: boolean } = {},
    ) => {
      const answer = await read<AppendAnswer>('POST', '/append', {
        params: { catalog, schema, table, sync },
        json: records,
        ...options,
      })
      // Records that do not fit are answered 200 (contract: "Append request and response").
      if (!answer.ok) throw toError(200, answer)
      return answer
    },

    /** Whether what was accepted has been carried out (contract: `GET /tasks/{task_id}`). */
    task: (taskId: string, options: CallOptions = {}) =>
      read<Task>('GET', `/tasks/${encodeURIComponent(taskId)}`, options),

    /** Brings a file into a table; `upsert` needs `primaryKey`, `create_append` may have one. */
    upload: (
      { catalog, schema, table }: TablePlace,
      file: BodyInit,
      {
        mode,
        format,
        primaryKey,
        cursorField,
        ...options
      }: CallOptions &
        Partial<RowKey> & {
          mode: 'create' | 'append' | 'create_append' | 'upsert' | 'overwrite'
          format: Format
        },
    ) =>
      read<Record<string, unknown>>('POST', '/upload', {
        params: { catalog, schema, table, mode, format, primary_key: primaryKey, cursor_field: cursorField },
        body: file,
        ...options,
      }),

    /** Updates the rows of a file by their key, and inserts the new ones (contract: `POST /upsert`). */
    upsert: (
      { catalog, schema, table }: TablePlace,
      file: BodyInit,
      { primaryKey, cursorField, format, ...options }: CallOptions & RowKey & { format?: Format },
    ) =>
      read<Record<string, unknown>>('POST', '/upsert', {
        params: { catalog, schema, table, primary_key: primaryKey, cursor_field: cursorField, format },
        body: file,
        ...options,
      }),

    /** Whether a statement is valid, without running it. */
    validate: (statement: string, { signal, ...place }: Place & CallOptions = {}) =>
      read<Validation>('POST', '/validate', { json: { statement, ...place }, ...(signal && { signal }) }),

    /** What a statement would scan, without running it. */
    explain: (
      statement: string,
      { signal, includePlan, ...place }: Place & CallOptions & { includePlan?: boolean } = {},
    ) =>
      read<Explanation>('POST', '/explain', {
        json: { statement, include_plan: includePlan, ...place },
        ...(signal && { signal }),
      }),

    /** What could follow. @defaultValue `maxSuggestions` 20, at most 200 */
    autocomplete: (
      statement: string,
      { signal, maxSuggestions, ...place }: Place & CallOptions & { maxSuggestions?: number } = {},
    ) =>
      read<Suggestions>('POST', '/autocomplete', {
        json: { statement, max_suggestions: maxSuggestions, ...place },
        ...(signal && { signal }),
      }),
  }
}
