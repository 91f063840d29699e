import type { HttpError } from '../http/HttpError.js'
import { readOnlyUser, type UserRole } from '../users/Identity.js'
import type { Cancellation } from './Cancellation.js'
import type { Plan } from './planStatement.js'
import type { QueryRequest } from './QueryRequest.js'
import type { Layout, Page } from './rows/encodeRows.js'
import type { HeldConnection } from './HeldConnections.js'

export interface QueryJob {
  user: string
  role: UserRole
  userAgent: string | null
  request: QueryRequest
  layout: Layout | 'parquet' | 'arrow'
  page: Page
  /** The error for a statement that does not only read. */
  readsOnly?: HttpError | undefined
  cancellation: Cancellation
  /** Called before the statement does what may not be done twice, if the engine ends meanwhile. */
  onceOnly?(): void
  /** Given when the query came through the Postgres protocol. */
  postgres?: PostgresJob
}

/** What a client of the Postgres protocol brings with its query. */
export interface PostgresJob {
  /** The client's own connection, which no HTTP request can name. */
  held: HeldConnection
  /** The statement that is run; the log keeps `request.statement`. */
  text: string
  /** Throws when the statement may not run. */
  admit(plan: Plan): void
  /** The error for a statement that would have changed something. */
  readsOnly: Error
}

/** The error for a change in a job that may only read; undefined when the job may change tables. */
export const refusalOf = ({ role, readsOnly, postgres }: QueryJob): Error | undefined =>
  readsOnly ?? (role === 'read' ? readOnlyUser() : postgres?.readsOnly)
