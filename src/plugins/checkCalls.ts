import type { TrackOptions, Waymark } from '../core/types'

export type Checked = Pick<Waymark, 'track' | 'page' | 'identify'>

type Warn = (code: string, text: string) => void

/** Below this a time is one of 1973 or earlier in milliseconds, and one of our days in seconds. */
const secondsBelow = 1e11

/** Names what the service would take, and not as it is meant. */
const checkCall = (warn: Warn, known: Map<unknown, string>, options: TrackOptions = {}, event?: string) => {
  const { timestamp, insertId } = options
  if (typeof timestamp === 'number' && Math.abs(timestamp) < secondsBelow)
    warn(
      'timestamp-in-seconds',
      `The event gets a time of ${new Date(timestamp).getFullYear()}: is the timestamp ${timestamp} one in seconds? Give milliseconds.`,
    )
  if (event === undefined || insertId === undefined) return
  const other = known.get(insertId)
  if (other !== undefined && other !== event)
    warn(
      'insert-id-of-two-events',
      `The service drops "${event}" as a copy of "${other}", because both have the insertId "${insertId}". Put the event's name into it.`,
    )
  known.set(insertId, event)
}

/** Checks the options of every call. */
export const checkCalls = (waymark: Checked, warn: Warn) => {
  const { track, page, identify } = waymark
  const known = new Map<unknown, string>()
  waymark.track = (event, properties, options) => {
    checkCall(warn, known, options, event)
    return track(event, properties, options)
  }
  waymark.page = (properties, options) => {
    checkCall(warn, known, options, '$pageview')
    return page(properties, options)
  }
  waymark.identify = (user, traits, options) => {
    checkCall(warn, known, options)
    return identify(user, traits, options)
  }
}
