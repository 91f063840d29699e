import type { Culprit } from './messages.js'
import type { EngineLink } from './EngineLink.js'

interface Ends {
  times: number
  reason: string
  /** By `performance.now()`: a clock that is ahead for a moment would refuse the statement until that time comes. */
  untilMs: number
}

/** A statement that has ended the engine so often is refused. */
const mostEnds = 2
const refusedMs = 24 * 3_600_000
/** A user who has not ended the engine for so long begins anew. */
const restingMs = 600_000
/** By then a busy machine has answered those who waited, and has a process ready for the next start. */
const firstRestMs = 3000
const longestRestMs = 60_000
/** How many statements, and how many users, are kept in mind; beyond that the oldest are forgotten. */
const maxKept = 1000

/** They are in the order of their last ends. */
const dropOld = (ends: Map<string, Ends>) => {
  for (const [key, { untilMs }] of ends) {
    if (untilMs >= performance.now()) return
    ends.delete(key)
  }
}

const count = (
  ends: Map<string, Ends>,
  key: string,
  { reason, forMs }: { reason: string; forMs: number },
) => {
  dropOld(ends)
  const times = (ends.get(key)?.times ?? 0) + 1
  ends.delete(key)
  ends.set(key, { times, reason, untilMs: performance.now() + forMs })
  if (ends.size > maxKept) ends.delete(ends.keys().next().value!)
}

/**
 * Remembers which statements have ended the engine, for a day after the last time, and whose they were: an engine that
 * is back answers all others before such a user. Statements in ever other words have their user in common.
 */
export class Breaker {
  readonly #statements = new Map<string, Ends>()
  readonly #users = new Map<string, Ends>()

  /** Notes whose statement the engine ended at. */
  note({ user, statement }: Culprit, reason: string): void {
    count(this.#users, user, { reason, forMs: restingMs })
    if (statement !== undefined) count(this.#statements, statement, { reason, forMs: refusedMs })
  }

  /** How long after a start of the engine this user's statements wait. It doubles with each end. */
  restOf(user: string): number {
    dropOld(this.#users)
    const times = this.#users.get(user)?.times ?? 0
    return times === 0 ? 0 : Math.min(firstRestMs * 2 ** (times - 1), longestRestMs)
  }

  /** The statements that are refused now, each with what its client is told. */
  refused(): (readonly [key: string, reason: string])[] {
    dropOld(this.#statements)
    const zeroMs = Date.now() - performance.now()
    return [...this.#statements]
      .filter(([, { times }]) => times >= mostEnds)
      .map(([key, { times, reason, untilMs }]) => [
        key,
        `This statement has ended the query engine ${times} times (${reason}), and is refused until ${new Date(Math.round(zeroMs + untilMs)).toISOString()}. Write it in another way.`,
      ])
  }
}

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
