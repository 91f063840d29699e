import { toJson } from './toJson'
import type { Ids, Properties } from './types'

/** The only file that knows the contract's field names. Each function returns the JSON of one payload. */
export const wire = {
  track: (
    environment: string,
    event: string,
    timestamp: string,
    ids: Ids,
    sessionId: string,
    properties: Properties = {},
  ) =>
    toJson({
      environment,
      event,
      timestamp,
      distinct_id: ids.distinctId,
      anonymous_id: ids.userId && ids.anonymousId,
      device_id: ids.deviceId,
      session_id: sessionId,
      properties,
    }),
  identify: (environment: string, timestamp: string, ids: Ids, traits: Properties = {}) =>
    toJson({ environment, timestamp, distinct_id: ids.distinctId, anonymous_id: ids.anonymousId, traits }),
  alias: (environment: string, distinctId: string, newUserId: string) =>
    toJson({ environment, distinct_id: distinctId, new_user_id: newUserId }),
}

/** One request's body. */
export const toBody = (rows: { payloads: { body: string }[] }[]) =>
  `[${rows.flatMap((row) => row.payloads.map((payload) => payload.body)).join()}]`

/** The id of an event, from its payload; empty where there is none. */
export function readId(body: string, insertId: string | false): string {
  try {
    return JSON.parse(body).properties[`${insertId}`] ?? ''
  } catch {
    return ''
  }
}

/** What the analytics operations answer; every field may be missing. */
export interface Answer {
  ok?: unknown
  taskId?: string | null
  errorCode?: string | null
}

/** Reads an answer that may be anything. */
export function readAnswer(text: string): Answer {
  try {
    const { ok, task_id, error_code, error } = JSON.parse(text)
    return { ok, taskId: task_id, errorCode: error_code ?? error }
  } catch {
    return {}
  }
}
