import type { Answer } from '../wire'

/** What an answer means for the payloads of its request. */
export interface Outcome {
  /**
   * `retry`: the network or the service is not well: keep, wait, try again. `refused`: at least one of these payloads
   * will never be taken. `misconfigured`: the service refuses this key or environment: keep everything until someone
   * mends it.
   */
  status: 'accepted' | 'retry' | 'refused' | 'misconfigured'
  errorCode?: string
  taskId?: string | undefined
  afterMs?: number | undefined
  isUnanswered?: true
}

/** The codes that name a bad payload (contract, "Error codes"). */
const badPayload = /^((event|property|trait)-name-too-long|unknown-built-in-property)$/

/** Reads status and answer. Safe under every answer: what is not understood is kept and tried again. */
export function readOutcome(code: number, answer: Answer, afterMs?: number): Outcome {
  const { ok, taskId, errorCode = `http-${code}` } = answer
  if (badPayload.test(errorCode)) return { status: 'refused', errorCode }
  if (/^(environment-not-found|invalid-headers)$/.test(errorCode) || [401, 403, 404].includes(code))
    return { status: 'misconfigured', errorCode }
  // A 2xx without `ok: true` is no acceptance: a captive portal answers 200 with its own page.
  if (code >= 200 && code < 300 && ok === true) return { status: 'accepted', taskId }
  return [400, 413, 422].includes(code) ? { status: 'refused', errorCode } : { status: 'retry', afterMs }
}

/** `Retry-After` is a number of seconds or a date. */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  const ms = isNaN(+header!) ? Date.parse(header!) - now : +header! * 1000
  return ms > 0 ? ms : undefined
}
