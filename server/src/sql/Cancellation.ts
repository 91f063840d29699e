import { refuse, type HttpError } from '../http/HttpError.js'

export type CancelReason = 'cancelled' | 'timeout' | 'gone' | 'stopping' | 'memory' | 'unread' | 'disk'

interface Interruptible {
  interrupt(): void
}

const againMs = 20

/** What cannot be interrupted ends, in a process of its own, with the process. */
export type OnStuck = (reason: CancelReason) => void

const reasonText: Record<CancelReason, string> = {
  cancelled: 'The query was cancelled.',
  timeout: 'The query took longer than this service allows.',
  gone: 'The client went away.',
  stopping: 'The service is stopping.',
  unread: 'The client did not read its answer, and too many others did not read theirs.',
  memory: 'The service needed the memory to store what it had accepted.',
  disk: 'The disk has too little room left for this statement. It was ended and has changed nothing; delete what is not needed, or make the disk larger.',
}

const statusOf: Partial<Record<CancelReason, number>> = { stopping: 503, memory: 503, disk: 507 }

/** What is told to the client whose query was ended, or was not begun. */
export const queryEnded = (reason: CancelReason): HttpError =>
  refuse(statusOf[reason] ?? 400, `query-${reason}`, reasonText[reason])

/**
 * One way to stop a query, wherever it is. An interrupt that comes while DuckDB is between two calls
 * is forgotten, so it is repeated until the query has ended.
 */
export class Cancellation {
  readonly #controller = new AbortController()
  #reason: CancelReason | undefined
  #running: Interruptible | undefined
  #timer: NodeJS.Timeout | undefined
  #stuck: NodeJS.Timeout | undefined
  readonly #afterMs: number
  readonly #onStuck: OnStuck

  /** `onStuck` is called when what runs goes on so long after it was cancelled. */
  constructor(afterMs: number, onStuck: OnStuck) {
    this.#afterMs = afterMs
    this.#onStuck = onStuck
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get isCancelled(): boolean {
    return this.#reason !== undefined
  }

  /** What is told to the client; undefined when nothing was cancelled. */
  get error(): HttpError | undefined {
    return this.#reason === undefined ? undefined : queryEnded(this.#reason)
  }

  cancel(reason: CancelReason): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#controller.abort(new Error(reason))
    this.#interrupt()
  }

  /** From now on a cancel interrupts the connection; the result ends that. */
  guard(connection: Interruptible): () => void {
    this.#running = connection
    if (this.isCancelled) this.#interrupt()
    return () => {
      this.#running = undefined
      clearInterval(this.#timer)
      clearTimeout(this.#stuck)
      this.#timer = undefined
    }
  }

  #interrupt(): void {
    if (this.#running === undefined || this.#timer !== undefined) return
    this.#running.interrupt()
    this.#timer = setInterval(() => this.#running?.interrupt(), againMs)
    this.#stuck = setTimeout(() => this.#onStuck(this.#reason!), this.#afterMs)
  }
}
