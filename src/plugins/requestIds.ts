import type { Ids } from '../core/types'

// The ids of a visitor as one text, which a request takes to the site's own server in a cookie or a header:
//
//   device~anonymous[~session~seconds]
//
// `seconds` is the Unix time of the newest event that is told: a server does not add to a session that is over.

/** A text tells of a new event no more often than this. */
const tellEveryMs = 60_000

/** Follows the session of a page. `tell` is called when the text is new. */
export const createRequestIds = (ids: () => Ids, tell = () => {}) => {
  let at = Date.now()
  let toldAt = 0
  return {
    /** The text; empty while no id is known. */
    read() {
      const { deviceId, anonymousId, sessionId } = ids()
      const session = sessionId && `~${sessionId}~${Math.floor(at / 1000)}`
      return anonymousId && encodeURIComponent(`${deviceId}~${anonymousId}${session}`)
    },
    /** An event was tracked. */
    touch() {
      at = Date.now()
      if (at - toldAt < tellEveryMs) return
      toldAt = at
      tell()
    },
  }
}

export interface RequestIds {
  deviceId: string
  anonymousId: string
  /** Empty when it is over, or was not told. */
  sessionId: string
}

/** The clocks of a browser and a server differ, and a text is up to a minute old. */
const slackMs = 2 * tellEveryMs

/** Reads the text; undefined when it is none. Throws what is not encoded. */
export const readRequestIds = (
  text: string,
  { idleMs, now }: { idleMs: number; now: number },
): RequestIds | undefined => {
  const [deviceId, anonymousId, sessionId = '', seconds] = decodeURIComponent(text).split('~')
  if (!deviceId || !anonymousId) return
  const isOver = now - Number(seconds) * 1000 > idleMs + slackMs
  return { deviceId, anonymousId, sessionId: isOver ? '' : sessionId }
}
