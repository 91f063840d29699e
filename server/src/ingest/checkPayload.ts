import { builtInProperties } from './builtInProperties.js'
import { checkTimestamp } from './checkTimestamp.js'
import { checkValue } from './checkValue.js'
import { isLongerThan } from './isLongerThan.js'
import type { AliasPayload, EntryKind, IdentifyPayload, TrackPayload } from './payloads.js'
import { refuseByCode, refuseIngest } from './refuseIngest.js'

const maxNameLength = 400
const short = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text)

export type Payload = TrackPayload | IdentifyPayload | AliasPayload

/** Refuses a payload that may not be stored. True when its timestamp must be rewritten. */
export type CheckPayload = (payload: Payload, where: string) => boolean

const checkNames = (kind: 'track' | 'identify', values: Record<string, unknown>, where: string) => {
  for (const name in values) {
    if (kind === 'track' && name.charCodeAt(0) === 0x24 && !builtInProperties.has(name)) {
      const message = `${where}: ${short(name)} is no built-in property. Name your own without a leading $.`
      throw refuseByCode('unknown-built-in-property', message)
    }
    if (isLongerThan(name, maxNameLength)) {
      const message = `${where}: the name ${short(name)} has more than ${maxNameLength} characters.`
      throw refuseByCode(kind === 'track' ? 'property-name-too-long' : 'trait-name-too-long', message)
    }
    const value = values[name]
    const problem = typeof value === 'string' ? undefined : checkValue(value, 1)
    if (problem !== undefined) {
      throw refuseIngest(400, 'invalid-body', `${where}: ${short(name)} ${problem}.`)
    }
  }
}

const checkTime = (payload: Payload & { timestamp?: number | string | null }, where: string): boolean => {
  const { timestamp } = payload
  if (timestamp === undefined || timestamp === null) return false
  const check = checkTimestamp(timestamp)
  if (check === 'plain') return false
  if (check === 'invalid') {
    const message = `${where}: timestamp must be Unix milliseconds or an ISO 8601 time, not ${short(String(timestamp))}.`
    throw refuseIngest(400, 'invalid-body', message)
  }
  return true
}

export const createPayloadCheck = (kind: EntryKind, environments: ReadonlySet<string>): CheckPayload => {
  const checkEnvironment = ({ environment }: Payload, where: string) => {
    if (environments.has(environment)) return
    const message = `${where}: the environment ${JSON.stringify(short(environment))} does not exist here.`
    throw refuseByCode('environment-not-found', message)
  }

  const checks: Record<EntryKind, CheckPayload> = {
    track(payload, where) {
      const { event, properties } = payload as TrackPayload
      checkEnvironment(payload, where)
      if (isLongerThan(event, maxNameLength)) {
        const message = `${where}: the event name ${short(event)} has more than ${maxNameLength} characters.`
        throw refuseByCode('event-name-too-long', message)
      }
      checkNames('track', properties, where)
      return checkTime(payload, where)
    },
    identify(payload, where) {
      checkEnvironment(payload, where)
      checkNames('identify', (payload as IdentifyPayload).traits ?? {}, where)
      return checkTime(payload, where)
    },
    alias(payload, where) {
      checkEnvironment(payload, where)
      return false
    },
  }
  return checks[kind]
}
