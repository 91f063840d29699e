import type { DeadLetters } from './DeadLetters.js'
import type { RemoteApplier } from './RemoteApplier.js'
import type { LogRecord } from './segment.js'

/** Where accepted records go first. */
export interface AcceptLog {
  /** Resolves with the sequence of the record's last row once it is durable. */
  append(record: LogRecord): Promise<number>
  /** The sequence of the newest row, as far as it is known here. */
  readonly last: number
  /** Bytes of the bodies that wait here. */
  readonly bytes: number
  /** Why nothing is taken at the moment, in one sentence. */
  readonly obstacle: string | undefined
}

/** A record was refused for a reason that is no fault of this machine's disk. */
export class LogUnavailable extends Error {
  constructor(
    message: string,
    readonly retryAfterMs: number,
  ) {
    super(message)
    this.name = 'LogUnavailable'
  }
}

/** The accept log, and what is known of those that store its rows. */
export interface OpenedLog {
  log: AcceptLog
  applier: RemoteApplier
  /** The log's number in task ids, and what these and sessions are signed with. */
  number: number
  taskSecret: Buffer
  deadLetters: DeadLetters
  /** How far all have stored that answer queries; undefined when there is none. */
  applied(): number | undefined
  /** What waits to be stored is between these two. */
  stored(): number
  durable(): number
  /** Why no rows are being stored at the moment; undefined while they are. */
  whyWaiting(): string | undefined
  /** Why this process cannot do what it is for, as far as the log is the cause. */
  problem(): string | undefined
  /** The newest row of all that were accepted until now. */
  newest(): Promise<number>
}
