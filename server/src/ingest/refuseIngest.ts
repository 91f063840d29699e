import { Refusal } from '../http/Refusal.js'

export type IngestErrorCode =
  | 'environment-not-found'
  | 'invalid-headers'
  | 'unknown-built-in-property'
  | 'event-name-too-long'
  | 'property-name-too-long'
  | 'trait-name-too-long'

/** A refusal that the contract has a code for. */
export const refuseByCode = (code: IngestErrorCode, message: string): Refusal =>
  new Refusal(400, { ok: false, task_id: null, error_code: code, message })

/** A refusal that the contract has no code for: `error_code` stays null and `error` says what it is. */
export const refuseIngest = (
  status: number,
  error: string,
  message: string,
  headers: Record<string, string> = {},
): Refusal => new Refusal(status, { ok: false, task_id: null, error_code: null, error, message }, headers)
