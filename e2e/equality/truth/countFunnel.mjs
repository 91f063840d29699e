import { byPerson, isNamed, median, share } from './readings.mjs'

const minuteMs = 60_000

/** @typedef {import('../types').TrueEvent} TrueEvent */
/**
 * @typedef {object} FunnelOptions
 * @property {string[]} steps
 * @property {number} [withinMinutes]
 * @property {number} [from]
 * @property {number} [until]
 * @property {(event: TrueEvent) => string | null} [breakdown]
 */

/** From this start, always the earliest next step. @param {TrueEvent[]} events @param {number} start @param {FunnelOptions} options */
function walk(events, start, { steps, withinMinutes = Infinity }) {
  const chain = events.slice(start, start + 1)
  const first = chain[0]?.at ?? 0
  for (const event of events.slice(start + 1)) {
    const wanted = steps[chain.length]
    if (wanted === undefined) break
    if (isNamed(event, wanted) && event.at - first <= withinMinutes * minuteMs) chain.push(event)
  }
  return chain
}

/** The longest chain of a person; of these the one that ends first, then the one that began first. @param {TrueEvent[]} events @param {FunnelOptions} options */
function bestChain(events, options) {
  const { steps, from = -Infinity, until = Infinity } = options
  const seen = events.filter(({ at }) => at >= from)
  /** @type {TrueEvent[]} */
  let best = []
  for (const [index, event] of seen.entries()) {
    if (!isNamed(event, steps[0] ?? '') || event.at >= until) continue
    const chain = walk(seen, index, options)
    const isEarlier = (chain.at(-1)?.at ?? 0) < (best.at(-1)?.at ?? 0)
    if (chain.length > best.length || (chain.length === best.length && isEarlier)) best = chain
  }
  return best
}

/**
 * How many people took the steps one after the other: breakdown, step, name, people, conversion, step conversion, median
 * time from the step before, in half minutes: it may lie between two minutes.
 * @param {import('../types').Truth} truth
 * @param {FunnelOptions} options
 * @returns {import('../types').Row[]}
 */
export function countFunnel(truth, options) {
  const { steps, breakdown = () => null } = options
  /** @type {Map<string | null, TrueEvent[][]>} */
  const chains = new Map(options.breakdown ? [] : [[null, []]])
  for (const events of byPerson(truth).values()) {
    const chain = bestChain(events, options)
    if (!chain[0]) continue
    const value = breakdown(chain[0])
    chains.set(value, [...(chains.get(value) ?? []), chain])
  }
  return [...chains].flatMap(([value, all]) =>
    steps.map((name, index) => {
      const there = all.filter((chain) => chain.length > index)
      const before = all.filter((chain) => chain.length >= index)
      const minutes = there.map((chain) => ((chain[index]?.at ?? 0) - (chain[index - 1]?.at ?? 0)) / minuteMs)
      return [
        value,
        index + 1,
        name,
        there.length,
        share(there.length, all.length),
        index ? share(there.length, before.length) : null,
        index && there.length ? Math.round(median(minutes) * 2) : null,
      ]
    }),
  )
}
