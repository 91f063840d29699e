import { byPerson, dayOf, isNamed, share } from './readings.mjs'

const dayMs = 86_400_000

/** The first day of the period. @param {number} at @param {{ unit: 'day' | 'week', timeZone?: string }} options */
function periodOf(at, { unit, timeZone }) {
  const day = Date.parse(dayOf(at, timeZone))
  // A week begins on Monday.
  return unit === 'day' ? day : day - ((new Date(day).getUTCDay() + 6) % 7) * dayMs
}

/**
 * How many of the people who did something for the first time in a period came back: cohort, size, period, people, share.
 * @param {import('../types').Truth} truth
 * @param {{ first?: string, again?: string, unit: 'day' | 'week', timeZone?: string, from?: number, everybody?: boolean, until?: number }} options `from`: nobody belongs to it who was there before, but for `everybody`; `until`: periods go so far, also without events
 * @returns {import('../types').Row[]}
 */
export function countRetention(truth, options) {
  const { first, again, unit, from = -Infinity, everybody = false, until = -Infinity } = options
  const isFirst = (/** @type {import('../types').TrueEvent} */ event) => !first || isNamed(event, first)
  const isAgain = (/** @type {import('../types').TrueEvent} */ event) => !again || isNamed(event, again)
  /** @type {Map<number, Set<number>[]>} the periods in which each of a cohort came back */
  const cohorts = new Map()
  let last = until === -Infinity ? until : periodOf(until, options)
  for (const all of byPerson(truth).values()) {
    const events = all.filter(({ at }) => at >= from)
    for (const event of events)
      if (isFirst(event) || isAgain(event)) last = Math.max(last, periodOf(event.at, options))
    const begin = events.findIndex(isFirst)
    const began = events[begin]
    if (!began || (!everybody && all.some((event) => event.at < from && isFirst(event)))) continue
    const cohort = periodOf(began.at, options)
    const returns = new Set(
      events
        .slice(begin + 1)
        .filter(isAgain)
        .map(({ at }) => periodOf(at, options)),
    )
    cohorts.set(cohort, [...(cohorts.get(cohort) ?? []), returns])
  }
  const lengthMs = unit === 'day' ? dayMs : 7 * dayMs
  return [...cohorts].flatMap(([cohort, people]) =>
    Array.from({ length: (last - cohort) / lengthMs + 1 }, (_, period) => {
      const back = people.filter((returns) => returns.has(cohort + period * lengthMs)).length
      return [dayOf(cohort), people.length, period, back, share(back, people.length)]
    }),
  )
}
