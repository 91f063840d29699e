export interface QueryRecord {
  uuid: string
  start_time: string
  query: string
  client_interface: 'ArrowFlightSQL' | 'HTTP' | 'Postgres'
  visible: boolean
  session_id: string
  threads: number
  duration_ms: number | null
  end_time: string | null
  error: string | null
  fingerprint: number | null
  requested_by: string | null
  user_agent: string | null
  stats: QueryStats | null
}

export interface QueryStats {
  caching: null
  memory: { total_usage_bytes: number } | null
  scan: { estimated_result_rows: number; estimated_scanned_rows: number } | null
}

export interface Progress {
  percentage: number
  rows_processed: number
  total_rows: number
}

export type CancelReason = 'cancelled' | 'timeout' | 'gone' | 'stopping'

export interface LoggedQuery {
  readonly user: string
  record: QueryRecord
  /** While it runs or waits. */
  live?: {
    cancel(reason: CancelReason): void
    progress(): Progress | undefined
  }
}

export interface QueryLog {
  add(query: LoggedQuery): void
  find(user: string, id: string): LoggedQuery | undefined
  has(id: string): boolean
  live(): LoggedQuery[]
}

/** The newest queries, in memory: a running one is never forgotten. */
export const createQueryLog = (maxQueries: number): QueryLog => {
  const queries = new Map<string, LoggedQuery>()
  return {
    add(query) {
      queries.set(query.record.uuid, query)
      for (const [id, each] of queries) {
        if (queries.size <= maxQueries) break
        if (each.live === undefined) queries.delete(id)
      }
    },
    find(user, id) {
      const query = queries.get(id)
      return query?.user === user ? query : undefined
    },
    has: (id) => queries.has(id),
    live: () => [...queries.values()].filter((each) => each.live !== undefined),
  }
}
