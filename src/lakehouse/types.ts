/** What every call takes besides its own. */
export interface CallOptions {
  /** Ends the call; `query` then also ends on the service, which notices that nobody listens. */
  signal?: AbortSignal
}

/** Where a table is. */
export interface TablePlace {
  catalog: string
  schema: string
  table: string
}

/** How a statement is read: where it looks for names that are not qualified, and whose SQL it is. */
export interface Place {
  catalog?: string
  schema?: string
  session_id?: string
  /** In which SQL the statement is written. @defaultValue DuckDB's */
  dialect?: string
}

/** Contract: "Query request", without the statement. */
export interface QueryOptions extends Place, CallOptions {
  query_id?: string
  /** `AUTO` not together with `session_id`. */
  compute_size?: 'XS' | 'S' | 'M' | 'L' | 'XL' | 'AUTO'
  /** @defaultValue `false` */
  ephemeral?: boolean
  limit?: number
  offset?: number
  /** @defaultValue `false` */
  sanitize?: boolean
  /** @defaultValue `true` */
  cache?: boolean
  /** @defaultValue `'UTC'` */
  timezone?: string
  requested_by?: string
  /** Whether lists of queries show it. @defaultValue `true` */
  visible?: boolean
  /** How the service describes the columns: labels have no types. @defaultValue the service's, objects as a rule */
  columns?: 'objects' | 'labels'
}

/** Contract: line 1 of the query response stream. */
export interface QueryMetadata {
  statement: string
  rows_limit: number | null
  rows_offset: number | null
  init_time_ms: number
  connections_errors: Record<string, string>
  session_id: string
  query_id: string
  worker_slug: string
}

export interface Column {
  name: string
  /** SQL's name of it; empty where the service tells labels only. */
  type: string
}

export type Row = unknown[]

/** A result whose rows come as they are read. It can be read once. */
export interface QueryResult extends AsyncIterable<Row> {
  metadata: QueryMetadata
  columns: Column[]
  /** All rows that are left, as arrays in the order of `columns`. */
  rows(): Promise<Row[]>
  /** All rows that are left, as objects by column name; of two columns with one name the last counts. */
  objects(): Promise<Record<string, unknown>[]>
}

export interface AppendAnswer {
  ok: boolean
  task_id?: string | null
  error_code?: 'invalid-data' | 'incompatible-schema' | null
  error_message?: string | null
}

export interface Task {
  task_id: string
  status: 'pending' | 'completed'
  /** How many rows of a completed task were set aside; the view `rejected` has them. */
  rejected?: number
  /** Why the first of them was set aside. */
  error?: string
  /** Why a pending task does not go on. */
  message?: string
}

export interface Validation {
  valid: boolean
  statement: string
  connections_errors: Record<string, string>
  error?: string | null
}

export interface TableScanEstimate {
  table_name: string
  estimated_rows: number
  filters?: string | null
  scanned_bytes_estimate?: number | null
  scanned_files_estimate?: number | null
  total_bytes?: number | null
  total_files?: number | null
}

export interface Explanation {
  statement: string
  tables: TableScanEstimate[]
  connections_errors: Record<string, string>
  error?: string | null
  plan?: unknown
  scanned_bytes_estimate?: number | null
  scanned_files_estimate?: number | null
  total_bytes?: number | null
  total_files?: number | null
}

export interface Suggestion {
  suggestion: string
  suggestion_start: number
  suggestion_type: string
  suggestion_score: number
  extra_char?: string | null
}

export interface Suggestions {
  statement: string
  suggestions: Suggestion[]
  connections_errors: Record<string, string>
}

/** Contract: "QueryProgress". */
export interface QueryProgress {
  percentage: number
  rows_processed: number
  total_rows: number
}

/** Contract: "Query log", with the progress where it is known. */
export interface QueryLog extends Partial<QueryProgress> {
  uuid: string
  start_time: string
  query: string
  client_interface: 'ArrowFlightSQL' | 'HTTP' | 'Postgres'
  visible: boolean
  session_id: string
  threads: number
  duration_ms?: number | null
  end_time?: string | null
  error?: string | null
  fingerprint?: number | null
  requested_by?: string | null
  user_agent?: string | null
  stats?: Record<string, Record<string, number> | null> | null
  /** Percentage, rows processed and rows in all, as one object. */
  progress?: QueryProgress
}

export interface Cancelled {
  cancelled: boolean
  message: string
}
