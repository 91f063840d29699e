import { maybe } from './maybe'
import type { Draft, Ids, Kind, Properties } from './types'

// Every name, limit and error code of the service's API, and what its answers mean. Nothing else knows them.

/** Event, property and trait names: 400 characters at most (contract, "Limits"), counted in code points. */
const maxNameLength = 400

export const isTooLong = (name: string) => name.length > maxNameLength && [...name].length > maxNameLength

/** A name with a `$` that the service does not know, by which it refuses the whole request. */
export const isUnknown = (name: string) =>
  /^\$(?!(app_(build|name(space)?|version)|device(_(manufacturer|model|type))?|(lib|os)(_version)?|ip|referer|release|screen_name|url|user_agent|utm_(campaign|content|medium|source|term)|view_(id|name|type)|viewport)$)/.test(
    name,
  )

/** The fields of one payload, besides its environment (contract, "Product analytics payloads"). */
export const toFields = (
  kind: Kind,
  ids: Ids,
  draft: Partial<Draft>,
  timestamp: string | undefined,
): Properties =>
  kind === 'alias'
    ? { distinct_id: ids.distinctId, new_user_id: draft.userId }
    : kind === 'identify'
      ? { timestamp, distinct_id: ids.distinctId, anonymous_id: ids.anonymousId, traits: draft.traits ?? {} }
      : {
          event: draft.event,
          timestamp,
          properties: draft.properties ?? {},
          ...(kind === 'track' && {
            distinct_id: ids.distinctId,
            anonymous_id: ids.userId && ids.anonymousId,
            device_id: ids.deviceId,
            session_id: ids.sessionId,
          }),
        }

/** One URL for each operation: always the same, so that the preflight is cached. */
export const urlOf = (kind: Kind, endpoint: string, apiKey: string | false) =>
  endpoint.replace(/\/+$/, '') + '/' + kind + (apiKey ? '?apiKey=' + encodeURIComponent(apiKey) : '')

/** How the API key travels when it is not in the URL. */
export const headersOf = (auth: 'query' | 'header' | 'bearer', apiKey: string): Record<string, string> => ({
  'Content-Type': 'application/json',
  ...(auth === 'header' && { 'X-API-Key': apiKey }),
  ...(auth === 'bearer' && { Authorization: 'Bearer ' + apiKey }),
})

/** One request's body. */
export const toBody = (batch: { body: string }[]) => '[' + batch.map((payload) => payload.body).join() + ']'

/** The id of an event, from its payload; empty where there is none. */
export const readId = (body = '', insertId: string | false): string =>
  maybe(() => JSON.parse(body).properties[insertId as string]) ?? ''

/** What an answer means for the payloads of its request. */
export interface Answer {
  /**
   * `retry`: the network or the service is not well: keep, wait, try again. `refused`: at least one of these payloads
   * will never be taken. `misconfigured`: the service refuses this key or environment: keep everything until someone
   * mends it.
   */
  status: 'accepted' | 'retry' | 'refused' | 'misconfigured'
  /** The service's, or the status as one. */
  errorCode?: string
  taskId?: string | undefined
  /** What `Retry-After` says. */
  afterMs?: number
  /** The service says that it takes events without ids. */
  isCounting?: boolean
  /** There was none: no connection, or none in time. */
  isMissing?: true
  /** Status and body of one to try again that is not the service's: its JSON has `ok` or a code. */
  strange?: string
}

/** What an answer means by its code (contract, "Error codes"), or by its status as one. Any other is tried again. */
const meaningOf = (code: string): Answer['status'] | false =>
  /^((event|property|trait)-name-too-long|unknown-built-in-property|http-4(00|13|22))$/.test(code)
    ? 'refused'
    : /^(environment-not-found|invalid-headers|http-40[134])$/.test(code) && 'misconfigured'

/** Reads status and body. Safe under every answer: what is not understood is kept and tried again. */
export const readAnswer = (status: number, text: string, afterMs: number): Answer => {
  // A proxy or a captive portal answers without JSON.
  const told: { ok?: unknown; task_id?: string; error_code?: string; error?: string; anonymous?: boolean } =
    maybe(() => JSON.parse(text)) ?? {}
  const code = told.error_code ?? told.error
  const bare = 'http-' + status
  // A 2xx without `ok: true` is no acceptance: a captive portal answers 200, too.
  const isAccepted = status < 300 && told.ok === true
  const meaning = meaningOf(`${code}`) || meaningOf(bare) || (isAccepted ? 'accepted' : 'retry')
  return {
    status: meaning,
    errorCode: code ?? bare,
    taskId: told.task_id ?? undefined,
    isCounting: isAccepted && told.anonymous === true,
    afterMs,
    strange: meaning === 'retry' && (code ?? told.ok) === undefined ? status + ' ' + text : '',
  }
}
