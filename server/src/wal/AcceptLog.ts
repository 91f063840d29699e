import type { Spent } from './LagLimit.js'
import type { RecentDeadLetters } from './rejected.js'
import type { RemoteApplier } from './RemoteApplier.js'
import type { LogRecord } from './segment.js'

/** Where accepted records go first. */
export interface AcceptLog {
  /** Resolves with the sequence of the record's last row once it is durable. */
  append(record: LogRecord): Promise<number>
  /** The sequence of the newest row that this process knows of. */
  readonly last: number
  /** How many bytes of bodies wait in this process. */
  readonly bytes: number
  /** Why the log takes nothing at the moment, in one sentence; undefined while it does. */
  readonly obstacle: string | undefined
}

/** The log refused a record, and the disk of this machine is not the cause. */
export class LogUnavailable extends Error {
  constructor(
    message: string,
    readonly retryAfterMs: number,
  ) {
    super(message)
    this.name = 'LogUnavailable'
  }
}

/** The accept log, and what this process knows of the engines that store its rows. */
export interface OpenedLog {
  log: AcceptLog
  applier: RemoteApplier
  /** The log's number in task ids. */
  number: number
  /** Signs task ids and logins. */
  taskSecret: Buffer
  deadLetters: RecentDeadLetters
  /** The position that every engine which answers queries has reached; undefined when there is no engine. */
  applied(): number | undefined
  /** The newest row that is stored: the rows up to `durable` wait. */
  stored(): number
  /** The newest row that any engine has stored: whoever else stores the log's rows may be behind. */
  furthest(): number
  /** Whether any engine stores rows at the moment. */
  isStoring(): boolean
  /** What storing took until now; undefined when nobody tells it. */
  spent(): Spent | undefined
  /** The newest row that is safe in the log. */
  durable(): number
  /** Why no rows are being stored at the moment; undefined while they are. */
  whyWaiting(): string | undefined
  /** Why this process cannot work, when the log is the cause. */
  problem(): string | undefined
  /** The newest row that any process has accepted until now. */
  newest(): Promise<number>
}
