import type { TrackOptions, Waymark } from '../core/types'

export type Checked = Pick<Waymark, 'track' | 'page' | 'identify'>

type Warn = (code: string, text: string) => void

/** Below this a time is one of 1973 or earlier in milliseconds, and one of our days in seconds. */
const secondsBelow = 1e11

/** Checks the options of every call: names what the service would take, and not as it is meant. */
export const checkCalls = (waymark: Checked, warn: Warn) => {
  const { track, page, identify } = waymark
  const check = ({ timestamp }: TrackOptions = {}) => {
    if (typeof timestamp === 'number' && Math.abs(timestamp) < secondsBelow)
      warn(
        'timestamp-in-seconds',
        `The event gets a time of ${new Date(timestamp).getFullYear()}: is the timestamp ${timestamp} one in seconds? Give milliseconds.`,
      )
  }
  waymark.track = (event, properties, options) => {
    check(options)
    return track(event, properties, options)
  }
  waymark.page = (properties, options) => {
    check(options)
    return page(properties, options)
  }
  waymark.identify = (user, traits, options) => {
    check(options)
    return identify(user, traits, options)
  }
}
