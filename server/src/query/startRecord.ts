import { randomUUID } from 'node:crypto'
import type { LoggedQuery } from './createQueryLog.js'
import type { QueryJob } from './createQueryRunner.js'
import type { Session } from './createSessions.js'
import type { Stopper } from './createStopper.js'

export interface RecordOptions {
  job: QueryJob
  session: Session
  stopper: Stopper
  threads: number
}

/** What the log tells about a query from its beginning. */
export const startRecord = ({ job, session, stopper, threads }: RecordOptions): LoggedQuery => ({
  user: job.user,
  record: {
    uuid: job.request.query_id?.toLowerCase() ?? randomUUID(),
    start_time: new Date().toISOString(),
    query: job.request.statement,
    client_interface: 'HTTP',
    visible: true,
    session_id: session.id,
    threads,
    duration_ms: null,
    end_time: null,
    error: null,
    fingerprint: null,
    requested_by: job.request.requested_by ?? null,
    user_agent: job.userAgent,
    stats: null,
  },
  live: {
    cancel: (reason) => stopper.stop(reason),
    progress() {
      const { percentage, rows_processed, total_rows_to_process } = session.connection.progress
      if (percentage < 0) return undefined
      return {
        percentage,
        rows_processed: Number(rows_processed),
        total_rows: Number(total_rows_to_process),
      }
    },
  },
})
