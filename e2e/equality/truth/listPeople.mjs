import { byPerson, dayOf, groupBy, labelOf, minuteOf, viewedPath } from './readings.mjs'

const dayMs = 86_400_000
/** @typedef {import('../types').Truth} Truth */
/** @typedef {import('../types').TrueEvent} TrueEvent */
/** @typedef {import('../types').Row} Row */

/** Person, name, events, first seen, last seen: an identify is seen, too. @param {Truth} truth @returns {Row[]} */
export function listPeople(truth) {
  const identified = groupBy(truth.traits, ({ user }) => truth.personOf(user))
  return [...byPerson(truth)].map(([person, events]) => {
    const times = [...events, ...(identified.get(person) ?? [])].map(({ at }) => at)
    return [
      labelOf(events),
      truth.isNamed(person) ? person : '',
      events.length,
      minuteOf(Math.min(...times)),
      minuteOf(Math.max(...times)),
    ]
  })
}

/** Person, trait, value: the latest time wins. @param {Truth} truth @returns {Row[]} */
export function listTraits(truth) {
  /** @type {Map<string, { at: number, name: string, value: unknown, person: string }>} */
  const latest = new Map()
  for (const { user, traits, at } of truth.traits) {
    const person = truth.personOf(user)
    for (const [name, value] of Object.entries(traits)) {
      const key = JSON.stringify([person, name])
      if (at >= (latest.get(key)?.at ?? -Infinity)) latest.set(key, { at, name, value, person })
    }
  }
  return [...latest.values()].map(({ person, name, value }) => [person, name, JSON.stringify(value)])
}

/** @param {TrueEvent} event */
const isTouch = ({ isFromNews, utm }) => isFromNews || Object.keys(utm).length > 0

/** What brought each person: person, time, referrer, source, medium, campaign. @param {Truth} truth @param {'first' | 'last'} which @returns {Row[]} */
export const listTouches = (truth, which) =>
  [...byPerson(truth).values()].map((events) => {
    const at = which === 'first' ? 0 : -1
    const touch = /** @type {TrueEvent} */ (events.filter(isTouch).at(at) ?? events.at(at))
    const { source = null, medium = null, campaign = null } = touch.utm
    return [labelOf(events), minuteOf(touch.at), touch.isFromNews ? 'news' : null, source, medium, campaign]
  })

/** @param {Truth} truth */
export const countTotals = ({ events, personOf }) => ({
  People: new Set(events.map(({ visitor }) => personOf(visitor))).size,
  Sessions: new Set(events.map(({ session }) => session)).size,
  'Page views': events.filter(viewedPath).length,
  Events: events.length,
})

/** Day, people, sessions, page views, events; a row for every day from the first to the last. @param {Truth} truth @param {string} timeZone @returns {Row[]} */
export function countDays(truth, timeZone) {
  const days = groupBy(truth.events, ({ at }) => dayOf(at, timeZone))
  const known = [...days.keys()].toSorted()
  const [first, last] = [Date.parse(known[0] ?? ''), Date.parse(known.at(-1) ?? '')]
  if (Number.isNaN(first)) return []
  return Array.from({ length: (last - first) / dayMs + 1 }, (_, index) => {
    const day = dayOf(first + index * dayMs)
    const own = days.get(day) ?? []
    return [day, ...Object.values(countTotals({ ...truth, events: own }))]
  })
}

/** Each value, with people and events. @param {Truth} truth @param {TrueEvent[]} events @param {(event: TrueEvent) => string | null} read @returns {Row[]} */
export const countValues = ({ personOf }, events, read) =>
  [...groupBy(events, (event) => JSON.stringify(read(event)))].map(([value, own]) => [
    JSON.parse(value),
    new Set(own.map(({ visitor }) => personOf(visitor))).size,
    own.length,
  ])
