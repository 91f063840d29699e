import type { CancelReason } from './createQueryLog.js'

export interface Stopper {
  readonly signal: AbortSignal
  reason(): CancelReason | undefined
  stop(reason: CancelReason): void
  /** From now on a stop interrupts the connection; the result ends that. */
  guard(connection: { interrupt(): void }): () => void
}

const againMs = 20

/**
 * One way to stop a query, wherever it is. An interrupt that comes while DuckDB is between two calls
 * is forgotten, so it is repeated until the query has ended.
 */
export const createStopper = (): Stopper => {
  const controller = new AbortController()
  let reason: CancelReason | undefined
  let running: { interrupt(): void } | undefined
  let timer: NodeJS.Timeout | undefined

  const interrupt = () => {
    if (running === undefined || timer !== undefined) return
    running.interrupt()
    timer = setInterval(() => running?.interrupt(), againMs)
  }
  return {
    signal: controller.signal,
    reason: () => reason,
    stop(why) {
      if (reason !== undefined) return
      reason = why
      controller.abort(new Error(why))
      interrupt()
    },
    guard(connection) {
      running = connection
      if (reason !== undefined) interrupt()
      return () => {
        running = undefined
        clearInterval(timer)
        timer = undefined
      }
    },
  }
}
