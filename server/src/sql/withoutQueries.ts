import { setTimeout as delay } from 'node:timers/promises'
import { createMutex } from '../duckdb/transactions.js'

export interface WithoutQueriesOptions {
  /** All that may be under way beside the work: queries, and what stores rows. */
  others: readonly { hold(): () => void; isIdle: boolean }[]
  /** Whether DuckDB holds little besides what it can drop at any moment. */
  isMemoryFree(): Promise<boolean>
  cancelAll(): void
  /** How long queries may take to end by themselves, and again to end once they were cancelled. @defaultValue 2000 */
  patienceMs?: number
}

export interface Outcome {
  /** What the work was rejected with; undefined when it was done. */
  error: unknown
  /** Whether nothing else ran or held much memory before and after it. */
  wasFree: boolean
  /** Whether nothing else ran, whatever memory was held. */
  wasAlone: boolean
}

const usualPatienceMs = 2000
const checkEveryMs = 20

/**
 * Does work that needs much memory, one at a time. Nothing else is started meanwhile, and queries that take too long
 * are cancelled.
 */
export const withoutQueries = (options: WithoutQueriesOptions) => {
  const { others, isMemoryFree, cancelAll, patienceMs = usualPatienceMs } = options
  const oneAtATime = createMutex()
  const isAlone = () => others.every(({ isIdle }) => isIdle)
  const isFree = async () => isAlone() && (await isMemoryFree())

  const becomesFree = async () => {
    const untilMs = performance.now() + patienceMs
    while (!(await isFree())) {
      if (performance.now() > untilMs) return false
      await delay(checkEveryMs)
    }
    return true
  }

  const doAlone = async (work: (isFree: boolean) => Promise<void>): Promise<Outcome> => {
    const letGo = others.map((each) => each.hold())
    try {
      let wasFree = await becomesFree()
      if (!wasFree) {
        cancelAll()
        wasFree = await becomesFree()
      }
      const wasAlone = isAlone()
      try {
        await work(wasFree)
        return { error: undefined, wasFree, wasAlone }
      } catch (error) {
        return { error, wasFree: wasFree && (await isFree()), wasAlone }
      }
    } finally {
      for (const each of letGo) each()
    }
  }
  return (work: (isFree: boolean) => Promise<void>) => oneAtATime(() => doAlone(work))
}
