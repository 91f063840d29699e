import type { Breaker } from './Breaker.js'
import type { EngineLink } from './EngineLink.js'

/** What knows whether statements may be asked now. */
export interface Gate {
  link: EngineLink
  breaker: Breaker
}

/** What stands between a user's statement and the engine: nothing, no engine, or a rest of that user's own. */
export type Admission = { kind: 'admitted' } | { kind: 'starting' } | { kind: 'resting'; leftMs: number }

export const restingMessage = (leftMs: number) =>
  `Statements of this user have ended the query engine again and again, so others come first. Ask again in ${Math.ceil(leftMs / 1000)} seconds.`

/**
 * Waits until the engine is there and, where a user is given whose statements have ended it, until that user may ask:
 * whoever else waited for the start has been answered by then.
 */
export const whenAdmitted = async (
  { link, breaker }: Gate,
  { user, withinMs }: { user: string | undefined; withinMs: number },
): Promise<Admission> => {
  const untilMs = performance.now() + withinMs
  for (;;) {
    if (!(await link.whenUp(Math.max(0, untilMs - performance.now())))) return { kind: 'starting' }
    const leftMs = user === undefined ? 0 : breaker.restOf(user) - link.upForMs
    if (leftMs <= 0) return { kind: 'admitted' }
    if (performance.now() + leftMs > untilMs) return { kind: 'resting', leftMs }
    await link.whenDown(leftMs)
  }
}
