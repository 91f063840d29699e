import { refuse, shorten } from '../http/HttpError.js'
import { checkValue, checkTimestamp } from '../http/json/storableJson.js'

/** The `$` names that clients of this API send. Any other `$` name is refused. */
export const builtInProperties: ReadonlySet<string> = new Set(
  (
    '$lib $lib_version $release $url $viewport $referer $ip $os $os_version $user_agent ' +
    '$utm_source $utm_medium $utm_campaign $utm_term $utm_content ' +
    '$device $device_type $device_model $device_manufacturer ' +
    '$app_name $app_version $app_build $app_namespace $screen_name $view_id $view_name $view_type'
  ).split(' '),
)

/** Further names that a server key may send: what other programs have found out about events of the past. */
export const historyProperties: ReadonlySet<string> = new Set(
  '$imported $browser $country $language'.split(' '),
)

/** Texts that a bug gives for an id: all who get one would be one person. The library refuses the same (`readUserId`). */
export const bugIds = '0 -1 nan null undefined none nil true false guest anonymous'.split(' ')
const bugId = new RegExp(String.raw`^(?:${bugIds.join('|')}|\[object .*\])?$`, 'i')

/** Whether a text can be nobody's id. */
export const isBugId = (id: string): boolean => bugId.test(id.trim())

/** The ids that a payload may leave out. One that is nobody's counts as left out. */
export const optionalIds: Record<EntryKind, readonly (keyof TrackPayload)[]> = {
  track: ['distinct_id', 'anonymous_id', 'device_id', 'session_id'],
  identify: ['anonymous_id'],
  alias: [],
}
/** The ids that say whom a payload is about: with one that is nobody's it is set aside. */
const requiredIds: Record<EntryKind, readonly string[]> = {
  track: [],
  identify: ['distinct_id'],
  alias: ['distinct_id', 'new_user_id'],
}

/** What is stored, and is probably not what the sender means: counted for whoever sets up a page. */
export interface Marks {
  /** Ids that are nobody's. */
  ids: number
  /** Numbers for times that the view `events` marks in `timestamp_problem`. */
  times: number
}

/** Times nearer to 1970 are seconds where milliseconds are read: as such they are of 1973 and earlier. */
export const secondsBelowMs = 100_000_000_000
/** The first millisecond after the year 9999: as microseconds it is of 1978. */
export const microsecondsFromMs = 253_402_300_800_000

/** Whether a text has more than `most` Unicode code points; a surrogate pair is one. */
export const isLongerThan = (text: string, most: number): boolean => {
  // A code point takes one or two UTF-16 units, so most texts are decided by their length alone.
  if (text.length <= most) return false
  if (text.length > 2 * most) return true
  let points = 0
  for (let at = 0; at < text.length; points++) at += text.codePointAt(at)! > 0xffff ? 2 : 1
  return points > most
}

const maxNameLength = 400

export type Payload = TrackPayload | IdentifyPayload | AliasPayload

/** What a check says of a payload that may be stored. */
export interface Checked {
  /** Its timestamp or one of its ids must be written in another way. */
  isRewritten: boolean
  /** It is about nobody. */
  isAside: boolean
}

/** Refuses a payload that may not be stored, and counts what is probably not meant. */
export type CheckPayload = (payload: Payload, where: string, marks: Marks) => Checked

const checkNames = (
  kind: 'track' | 'identify',
  values: Record<string, unknown>,
  where: string,
  isHistory = false,
) => {
  for (const name in values) {
    const isKnown = () => builtInProperties.has(name) || (isHistory && historyProperties.has(name))
    if (kind === 'track' && name.charCodeAt(0) === 0x24 && !isKnown()) {
      const message = `${where}: the property ${JSON.stringify(shorten(name))} is no built-in one. Name your own without a leading $.`
      throw refuse(400, 'unknown-built-in-property', message)
    }
    if (isLongerThan(name, maxNameLength)) {
      const message = `${where}: the name ${shorten(name)} has more than ${maxNameLength} characters.`
      throw refuse(400, kind === 'track' ? 'property-name-too-long' : 'trait-name-too-long', message)
    }
    const value = values[name]
    const problem = typeof value === 'string' ? undefined : checkValue(value, 1)
    if (problem !== undefined) {
      throw refuse(400, 'invalid-body', `${where}: ${shorten(name)} ${problem}.`)
    }
  }
}

const checkTime = (payload: TrackPayload | IdentifyPayload, where: string, marks: Marks): boolean => {
  const { timestamp } = payload
  if (timestamp === undefined || timestamp === null) return false
  const check = checkTimestamp(timestamp)
  // A time that is written out is in no other unit.
  if (typeof timestamp === 'number') {
    const ms = Math.abs(timestamp)
    if (ms < secondsBelowMs || ms >= microsecondsFromMs) marks.times++
  }
  if (check === 'plain') return false
  if (check === 'invalid') {
    const message = `${where}: timestamp must be Unix milliseconds or an ISO 8601 time, not ${shorten(String(timestamp))}.`
    throw refuse(400, 'invalid-body', message)
  }
  return true
}

/** Refuses a payload whose environment does not exist or may not be written with the key. */
export const environmentCheck =
  (environments: ReadonlySet<string>) =>
  ({ environment }: Payload, where: string, writable: ReadonlySet<string>): void => {
    if (writable.has(environment)) return
    const name = JSON.stringify(shorten(environment))
    if (!environments.has(environment)) {
      throw refuse(400, 'environment-not-found', `${where}: the environment ${name} does not exist here.`)
    }
    const message = `${where}: this API key may not write to the environment ${name}.`
    throw refuse(403, 'environment-not-allowed', message)
  }

/** Makes the check of one kind; `isHistory` where properties of history may be in it. */
export const payloadCheck = (kind: EntryKind, isHistory = false): CheckPayload => {
  /** How many of these ids are nobody's. */
  const countBugs = (payload: Payload, names: readonly string[]) => {
    let bugs = 0
    for (const name of names) {
      const id = (payload as unknown as Record<string, string | null | undefined>)[name]
      if (id && isBugId(id)) bugs++
    }
    return bugs
  }
  return (payload, where, marks) => {
    if (kind === 'track') {
      const { event, properties } = payload as TrackPayload
      if (isLongerThan(event, maxNameLength)) {
        const message = `${where}: the event name ${shorten(event)} has more than ${maxNameLength} characters.`
        throw refuse(400, 'event-name-too-long', message)
      }
      checkNames('track', properties, where, isHistory)
    }
    if (kind === 'identify') checkNames('identify', (payload as IdentifyPayload).traits ?? {}, where)
    const isOddTime = kind !== 'alias' && checkTime(payload, where, marks)
    const leftOut = countBugs(payload, optionalIds[kind])
    const nobodys = countBugs(payload, requiredIds[kind])
    marks.ids += leftOut + nobodys
    return { isRewritten: isOddTime || leftOut > 0, isAside: nobodys > 0 }
  }
}

export type EntryKind = 'track' | 'identify' | 'alias'

export interface TrackPayload {
  environment: string
  event: string
  properties: Record<string, unknown>
  distinct_id?: string | null
  anonymous_id?: string | null
  device_id?: string | null
  session_id?: string | null
  timestamp?: number | string | null
}

export interface IdentifyPayload {
  environment: string
  distinct_id: string
  anonymous_id?: string | null
  traits?: Record<string, unknown> | null
  timestamp?: number | string | null
}

export interface AliasPayload {
  environment: string
  distinct_id: string
  new_user_id: string
}

const name = { type: 'string', minLength: 1 }
const optional = { type: 'string', nullable: true }
const timestamp = { type: ['integer', 'string', 'null'] }

const list = (required: string[], properties: object) => ({
  type: 'array',
  items: { type: 'object', required, properties },
})

/** Each schema is for an array of payloads: a single object is put into an array before it is checked. */
export const payloadSchemas: Record<EntryKind, object> = {
  track: list(['environment', 'event', 'properties'], {
    environment: { type: 'string' },
    event: name,
    properties: { type: 'object' },
    distinct_id: optional,
    anonymous_id: optional,
    device_id: optional,
    session_id: optional,
    timestamp,
  }),
  identify: list(['environment', 'distinct_id'], {
    environment: { type: 'string' },
    distinct_id: name,
    anonymous_id: optional,
    traits: { type: 'object', nullable: true },
    timestamp,
  }),
  alias: list(['environment', 'distinct_id', 'new_user_id'], {
    environment: { type: 'string' },
    distinct_id: name,
    new_user_id: name,
  }),
}
