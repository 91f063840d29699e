import { Refusal } from '../http/Refusal.js'
import type { CancelReason } from './createQueryLog.js'
import type { Stopper } from './createStopper.js'

const reasonText: Record<CancelReason, string> = {
  cancelled: 'The query was cancelled.',
  timeout: 'The query took longer than this service allows.',
  gone: 'The client went away.',
  stopping: 'The service is stopping.',
}

/** The refusal of what was stopped; undefined when it was not. */
export const refuseStopped = (stopper: Stopper): Refusal | undefined => {
  const reason = stopper.reason()
  if (reason === undefined) return undefined
  const status = reason === 'stopping' ? 503 : 400
  return new Refusal(status, { error: `query-${reason}`, message: reasonText[reason] })
}
