import { maybe } from '../core/maybe'
import type { Plugin } from '../core/types'

/** Ids that another library has stored. */
export interface OldIds {
  deviceId?: string | null | undefined
  anonymousId?: string | null | undefined
  /** The id of a user who was signed in. */
  userId?: string | null | undefined
}

/** Looks for the ids of one library; undefined when it was never here. */
export type ReadOldIds = () => OldIds | undefined

type Fields = Record<string, string | null | undefined>

const readCookie = (name: string): string | undefined =>
  maybe(() => {
    const found = document.cookie.split('; ').find((pair) => pair.startsWith(`${name}=`))
    return found && decodeURIComponent(found.slice(name.length + 1))
  })

/** Where storage is refused, there is nothing. */
const readStorage = (name: string): string | undefined => maybe(() => localStorage.getItem(name)) ?? undefined

const parse = (text: string | undefined): unknown => maybe(() => JSON.parse(text!) as unknown)

/** What lies under a name in both places; localStorage has more, and counts more. */
const readFields = (name: string): Fields => ({
  ...(parse(readCookie(name)) as Fields),
  ...(parse(readStorage(name)) as Fields),
})

/**
 * Reads the ids of altertable-js, with its API key. While nobody is signed in there, the anonymous id is its `distinctId`.
 *
 * @example
 * waymark.init('pk_1', { endpoint: 'https://api.example.com', plugins: [importIds(fromAltertable('pk_1'))] })
 */
export const fromAltertable =
  (apiKey: string, environment = 'production'): ReadOldIds =>
  () => {
    const { deviceId, distinctId, anonymousId } = readFields(`atbl.${apiKey}.${environment}`)
    return anonymousId ? { deviceId, anonymousId, userId: distinctId } : { deviceId, anonymousId: distinctId }
  }

/** Reads the ids of posthog-js, with its project's key. */
export const fromPosthog =
  (token: string): ReadOldIds =>
  () => {
    const { $device_id, distinct_id, $user_state } = readFields(`ph_${token}_posthog`)
    return $user_state === 'identified'
      ? { anonymousId: $device_id, userId: distinct_id }
      : { deviceId: $device_id, anonymousId: distinct_id }
  }

/** Reads the ids of Amplitude's Browser SDK 2, with its API key: base64 of JSON that is encoded as in a URL. */
export const fromAmplitude =
  (apiKey: string): ReadOldIds =>
  () => {
    const text = maybe(() => decodeURIComponent(atob(readCookie(`AMP_${apiKey.slice(0, 10)}`)!)))
    const { deviceId, userId } = (parse(text) ?? {}) as Fields
    return { deviceId, userId }
  }

/** Reads the ids of mixpanel-browser, with its project's token. */
export const fromMixpanel =
  (token: string): ReadOldIds =>
  () => {
    const { $device_id, $user_id, distinct_id } = readFields(`mp_${token}_mixpanel`)
    return $user_id
      ? { anonymousId: $device_id, userId: $user_id }
      : { deviceId: $device_id, anonymousId: distinct_id }
  }

/** Reads the ids of Segment's analytics.js: each id in a cookie and in localStorage, as JSON or as it is. */
export const fromSegment = (): ReadOldIds => () => {
  const read = (name: string) => {
    const text = readStorage(name) ?? readCookie(name)
    const value = parse(text) ?? text
    return value === undefined ? value : String(value)
  }
  return { anonymousId: read('ajs_anonymous_id'), userId: read('ajs_user_id') }
}

/** Reads the id of Google Analytics: the client id, which is the last two numbers of the cookie `_ga`. */
export const fromGoogleAnalytics = (): ReadOldIds => () => ({
  anonymousId: /\d+\.\d+$/.exec(readCookie('_ga') ?? '')?.[0],
})

/**
 * Gives a browser that waymark does not know yet the ids that another library has stored there, so that its visitor
 * stays the same person. The first that finds any counts. Give it in `plugins`: one that is used later is too late.
 */
export const importIds = (...readers: ReadOldIds[]): Plugin => ({
  name: 'import-ids',
  restore(stored) {
    if (stored.deviceId) return
    for (const read of readers) {
      const { deviceId, anonymousId, userId } = read() ?? {}
      const either = anonymousId || deviceId
      if (either) return { deviceId: deviceId || either, anonymousId: either, ...(userId && { userId }) }
    }
  },
})
