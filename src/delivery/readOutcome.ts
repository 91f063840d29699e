import type { Answer } from '../wire'

/** What an answer means for the payloads of its request. */
export interface Outcome {
  /**
   * `retry`: the network or the service is not well: keep, wait, try again. `refused`: at least one of these payloads
   * will never be taken. `misconfigured`: the service refuses this key or environment: keep everything until someone
   * mends it.
   */
  status: 'accepted' | 'retry' | 'refused' | 'misconfigured'
  /** The service's, or the status as one. */
  errorCode?: string
  taskId?: string | undefined
  afterMs?: number | undefined
  isUnanswered?: true
}

/** Status and code of a payload that is bad, and of a key or an environment that is (contract, "Error codes"). */
const badPayload = / ((event|property|trait)-name-too-long|unknown-built-in-property)$/
const badSetup = /^40[134] | (environment-not-found|invalid-headers)$/

/** Reads status and answer. Safe under every answer: what is not understood is kept and tried again. */
export function readOutcome(code: number, answer: Answer, afterMs?: number): Outcome {
  const errorCode = answer.errorCode ?? `http-${code}`
  const said = `${code} ${errorCode}`
  if (badPayload.test(said)) return { status: 'refused', errorCode }
  if (badSetup.test(said)) return { status: 'misconfigured', errorCode }
  // A 2xx without `ok: true` is no acceptance: a captive portal answers 200 with its own page.
  if (said.startsWith('2') && answer.ok === true)
    return { status: 'accepted', taskId: answer.taskId ?? undefined }
  return { status: /^4(00|13|22) /.test(said) ? 'refused' : 'retry', errorCode, afterMs }
}

/** `Retry-After` is a number of seconds or a date. */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  const ms = +header! * 1000 || Date.parse(header!) - now
  return ms > 0 ? ms : undefined
}
