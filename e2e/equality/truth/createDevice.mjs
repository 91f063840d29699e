const minuteMs = 60_000
const idleMs = 30 * minuteMs
const longestMs = 24 * 60 * minuteMs

/**
 * One device: who uses it, and in which session, by docs/library.md, "Identity and sessions". `visitor` is the device
 * from one sign-out to the next.
 * @param {string} id
 * @param {import('../types').Consent} consent
 */
export function createDevice(id, consent) {
  let visitors = 0
  let sessions = 0
  /** @type {string | undefined} */
  let user
  /** @type {{ id: string, startedAt: number, lastAt: number } | undefined} */
  let session
  /** @type {import('../types').Utm} */
  let utm = {}

  /** @param {number} at */
  const begin = (at) => {
    session = { id: `${id}/session-${++sessions}`, startedAt: at, lastAt: at }
    // docs/plugins.md, "campaign": the properties of the URL last "for the session".
    utm = {}
    return session
  }

  return {
    id,
    /** What holds now: a choice, or what the page assumes. */
    consent,
    get visitor() {
      return `${id}/visitor-${visitors}`
    },
    get user() {
      return user
    },
    get utm() {
      return utm
    },
    /** Comes from a campaign or from another site. @param {import('../types').Utm} next */
    arriveBy(next) {
      utm = next
    },
    /** The session of an event at that time. @param {number} at */
    sessionAt(at) {
      const isOver =
        !session ||
        at - session.lastAt >= idleMs ||
        at - session.startedAt >= longestMs ||
        at < session.lastAt - minuteMs
      if (isOver || !session) return begin(at)
      session.lastAt = Math.max(session.lastAt, at)
      return session
    },
    /** @param {number} at */
    reset(at) {
      visitors++
      user = undefined
      begin(at)
    },
    /** Another user than the last is another visitor. @param {string} next @param {number} at */
    login(next, at) {
      if (user !== undefined && user !== next) this.reset(at)
      user = next
    },
    /** What was stored is wiped. */
    forget() {
      visitors++
      user = undefined
      session = undefined
    },
  }
}

/** @typedef {ReturnType<typeof createDevice>} TrueDevice */
