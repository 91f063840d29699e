import type { Answer } from '../wire'

/** What an answer means for the payloads of its request. */
export type Outcome =
  | { status: 'accepted'; taskId?: string | undefined }
  /** The network or the service is not well: keep, wait, try again. */
  | { status: 'retry'; afterMs?: number | undefined; isUnanswered?: true }
  /** At least one of these payloads will never be taken. */
  | { status: 'refused'; errorCode: string }
  /** The service refuses this key or environment: keep everything until someone mends it. */
  | { status: 'misconfigured'; errorCode: string }

/** The codes that name a bad payload (contract, "Error codes"). */
const badPayload = /^((event|property|trait)-name-too-long|unknown-built-in-property)$/
const badSetup = /^(environment-not-found|invalid-headers)$/

/** Reads status and answer. Safe under every answer: what is not understood is kept and tried again. */
export function readOutcome(status: number, answer: Answer, retryAfterMs?: number): Outcome {
  const { ok, errorCode = `http-${status}` } = answer
  if (badPayload.test(errorCode)) return { status: 'refused', errorCode }
  if (badSetup.test(errorCode) || [401, 403, 404].includes(status))
    return { status: 'misconfigured', errorCode }
  // A 2xx without `ok: true` is no acceptance: a captive portal answers 200 with its own page.
  if (status >= 200 && status < 300 && ok === true) return { status: 'accepted', taskId: answer.taskId }
  if ([400, 413, 422].includes(status)) return { status: 'refused', errorCode }
  return { status: 'retry', afterMs: retryAfterMs }
}

/** `Retry-After` is a number of seconds or a date. */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  if (!header) return undefined
  const ms = /^\d+$/.test(header) ? +header * 1000 : Date.parse(header) - now
  return ms >= 0 ? ms : undefined
}
