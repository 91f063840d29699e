import { refuse, type HttpError } from '../http/HttpError.js'

export type CancelReason =
  | 'cancelled'
  | 'timeout'
  | 'size'
  | 'gone'
  | 'stopping'
  | 'memory'
  | 'unread'
  | 'disk'

interface Interruptible {
  interrupt(): void
}

const againMs = 20

/** SQL of a client's, and the client's user. */
export interface AskedStatement {
  user: string
  statement: string
}

/** Called when a cancelled query does not end. The engine process then ends itself and the query with it. */
export type OnStuck = (reason: CancelReason, asked: AskedStatement | undefined) => void

/** Called when DuckDB begins with a statement; it calls the result when DuckDB is done with it. */
export type OnRun = (asked: AskedStatement) => () => void

const reasonText: Record<CancelReason, string> = {
  cancelled: 'The query was cancelled.',
  timeout: 'The query took longer than this service allows.',
  size: 'The query took longer than its compute_size allows. Ask with a larger one, or without one.',
  gone: 'The client went away.',
  stopping: 'The service is stopping.',
  unread: 'The client did not read its answer, and too many others did not read theirs.',
  memory: 'The service needed the memory to store what it had accepted.',
  disk: 'The disk has too little room left for this statement. It was ended and has changed nothing; delete what is not needed, or make the disk larger.',
}

const statusOf: Partial<Record<CancelReason, number>> = { stopping: 503, memory: 503, disk: 507 }

/** Makes the HttpError for a client whose query was ended, or was not begun. */
export const queryEnded = (reason: CancelReason): HttpError =>
  refuse(statusOf[reason] ?? 400, `query-${reason === 'size' ? 'timeout' : reason}`, reasonText[reason])

/**
 * Stops one query, whether it waits, runs or sends rows. DuckDB forgets an interrupt that comes
 * between two calls, so the interrupt is repeated until the query has ended.
 */
export class Cancellation {
  readonly #controller = new AbortController()
  /** What runs, where that is SQL of a client's. */
  asked: AskedStatement | undefined
  #reason: CancelReason | undefined
  #running: Interruptible | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #afterMs: number
  readonly #onStuck: OnStuck
  readonly #onRun: OnRun | undefined

  /** `onStuck` is called when a call of DuckDB's still runs `afterMs` after it was cancelled. */
  constructor(afterMs: number, onStuck: OnStuck, onRun?: OnRun) {
    this.#afterMs = afterMs
    this.#onStuck = onStuck
    this.#onRun = onRun
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get isCancelled(): boolean {
    return this.#reason !== undefined
  }

  /** The error for the client; undefined when nothing was cancelled. */
  get error(): HttpError | undefined {
    return this.#reason === undefined ? undefined : queryEnded(this.#reason)
  }

  cancel(reason: CancelReason): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#controller.abort(new Error(reason))
    this.#interrupt()
  }

  /** From now on `cancel` interrupts the connection, until the returned function is called. */
  guard(connection: Interruptible): () => void {
    this.#running = connection
    const hasRun = this.asked && this.#onRun?.(this.asked)
    if (this.isCancelled) this.#interrupt()
    return () => {
      if (this.#running !== undefined) hasRun?.()
      this.#running = undefined
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  #interrupt(): void {
    if (this.#running === undefined || this.#timer !== undefined) return
    this.#running.interrupt()
    // The time is counted in interrupts: while this process stands still there are none, and nothing is stuck.
    let left = Math.ceil(this.#afterMs / againMs)
    this.#timer = setInterval(() => {
      this.#running?.interrupt()
      if (--left === 0) this.#onStuck(this.#reason!, this.asked)
    }, againMs)
  }
}
