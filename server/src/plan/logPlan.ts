import type { Logger } from '../Logger.js'
import { reasonOf } from '../reasonOf.js'
import type { AcceptLog } from '../wal/AcceptLog.js'
import type { Plan } from './readPlan.js'

/** The kind of the plan's entry in the log. */
export const planKind = 'plan'

const retryMs = 5000

export interface LoggedPlan {
  /** The plan that requests name in the log; undefined until the log has the plan itself. */
  readonly id: string | undefined
  stop(): void
}

/**
 * Writes the plan to the log, and again in a while where the log takes nothing. Each request then names the plan by
 * which its events are judged, so that all engines judge alike, whenever they read the log.
 */
export const logPlan = async (plan: Plan, log: AcceptLog, logger: Logger): Promise<LoggedPlan> => {
  let id: string | undefined
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const body = Buffer.from(JSON.stringify([plan]))
  const write = async () => {
    try {
      await log.append({ kind: planKind, count: 1, receivedAtMs: Date.now(), body })
      id = plan.id
    } catch (error) {
      logger.warn('The log does not take the plan; until it does, events are not judged.', {
        reason: reasonOf(error),
      })
      if (!isStopped) timer = setTimeout(() => void write(), retryMs)
    }
  }
  await write()
  return {
    get id() {
      return id
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
