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
  layout: Layout | 'parquet'
  page: Page
  /** What to say to a statement that does not only read. */
  readsOnly?: HttpError | undefined
  cancellation: Cancellation
  /** By another door than HTTP. */
  wire?: WireJob
}

/** What a client that keeps its connection brings with its query. */
export interface WireJob {
  /** Its own, and not among those that HTTP requests name. */
  session: HeldConnection
  /** What is run, where that is not what is logged. */
  text: string
  /** Throws what to say to a statement that may not run. */
  admit(plan: Plan): void
  /** What to say to one that would have changed something. */
  readsOnly: Error
}

/** What is said to a statement of a job that may change nothing; undefined where it may. */
export const refusalOf = ({ role, readsOnly, wire }: QueryJob): Error | undefined =>
  readsOnly ?? (role === 'read' ? readOnlyUser() : wire?.readsOnly)
