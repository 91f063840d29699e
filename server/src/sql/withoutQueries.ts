import { setTimeout as delay } from 'node:timers/promises'
import type { ConcurrencyLimit } from '../store/ConcurrencyLimit.js'

export interface WithoutQueriesOptions {
  /** The limit that queries run under. */
  limit: ConcurrencyLimit
  /** Whether DuckDB holds little besides what it can drop at any moment. */
  isMemoryFree(): Promise<boolean>
  cancelAll(): void
  /** How long queries may take to end by themselves, and again to end once they were cancelled. @defaultValue 2000 */
  patienceMs?: number
}

export interface Outcome {
  /** What the work was rejected with; undefined when it was done. */
  error: unknown
  /** Whether no query ran, and nothing else held much memory, before and after it. */
  wasFree: boolean
}

const usualPatienceMs = 2000
const checkEveryMs = 20

/** Does work that needs much memory. No query is started meanwhile, and queries that take too long are cancelled. */
export const withoutQueries = (options: WithoutQueriesOptions) => {
  const { limit, isMemoryFree, cancelAll, patienceMs = usualPatienceMs } = options
  const isFree = async () => limit.isIdle && (await isMemoryFree())

  const becomesFree = async () => {
    const untilMs = performance.now() + patienceMs
    while (!(await isFree())) {
      if (performance.now() > untilMs) return false
      await delay(checkEveryMs)
    }
    return true
  }

  return async (work: (isFree: boolean) => Promise<void>): Promise<Outcome> => {
    const letGo = limit.hold()
    try {
      let wasFree = await becomesFree()
      if (!wasFree) {
        cancelAll()
        wasFree = await becomesFree()
      }
      try {
        await work(wasFree)
        return { error: undefined, wasFree }
      } catch (error) {
        return { error, wasFree: wasFree && (await isFree()) }
      }
    } finally {
      letGo()
    }
  }
}
