/** All tabs share it. */
export interface Session {
  id: string
  startedAt: number
  /** When the last event was tracked. */
  lastAt: number
}

/** Clocks are set back by seconds all day; by more, someone has changed the time. */
const clockSlackMs = 60_000

/**
 * Whether an event belongs to a session: neither idle for too long, nor too old, nor of another clock. Times are those of
 * the events: what has waited for consent makes the sessions that it would have made.
 */
export const goesOn = (
  session: Session | undefined,
  at: number,
  now: number,
  { idleMs, maxMs }: { idleMs: number; maxMs: number },
) =>
  !!session &&
  at - session.lastAt < idleMs &&
  at - session.startedAt < maxMs &&
  at > session.startedAt - clockSlackMs &&
  now > session.lastAt - clockSlackMs
