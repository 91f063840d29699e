import type { Instance } from './instance'

/** Clocks are set back by seconds all day; by more, someone has changed the time. */
export const clockSlackMs = 60_000

/**
 * Whether an event of that time belongs to the session that is known: neither idle for too long, nor too old, nor of
 * another clock or visitor. Times are those of the events: what has waited for consent makes the sessions that it would have made.
 */
export const isInSession = (w: Instance, at: number) => {
  const limits = w.config.session
  const { ids, session } = w.settings
  const { startedAt = -Infinity, lastAt = 0, of } = session ?? {}
  return (
    of === ids?.anonymousId &&
    at - lastAt < limits.idleMs &&
    at - startedAt < limits.maxMs &&
    at > startedAt - clockSlackMs &&
    w.browser.now() > lastAt - clockSlackMs
  )
}
