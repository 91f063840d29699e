/** @typedef {import('../types').TrueEvent} TrueEvent */
/** @typedef {import('../types').Truth} Truth */

/** A moment as SQL writes it, to the minute: that much is known of when the page made the call. @param {number} at */
export const minuteOf = (at) => new Date(at).toISOString().slice(0, 16).replace('T', ' ')

/** Making one takes longer than all else here. @type {Map<string, Intl.DateTimeFormat>} */
const calendars = new Map()

/** The calendar day of a moment. @param {number} at */
export function dayOf(at, timeZone = 'UTC') {
  const calendar = calendars.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone })
  calendars.set(timeZone, calendar)
  return calendar.format(at)
}

/** The page view's path; undefined for another event. @param {TrueEvent} event */
export const viewedPath = ({ name, path }) => (name === '$pageview' ? path : undefined)

/** Whether an event is the one that is named: by its name, or as the view of a path. @param {TrueEvent} event @param {string} name */
export const isNamed = (event, name) =>
  name.startsWith('/') ? viewedPath(event) === name : event.name === name

/** @template T @param {Iterable<T>} all @param {(one: T) => string} keyOf @returns {Map<string, T[]>} */
export function groupBy(all, keyOf) {
  /** @type {Map<string, T[]>} */
  const groups = new Map()
  for (const one of all) {
    const key = keyOf(one)
    const group = groups.get(key)
    if (group) group.push(one)
    else groups.set(key, [one])
  }
  return groups
}

/** As most answers have it: without bots. @param {Truth} truth @returns {Truth} */
export const withoutBots = (truth) => ({ ...truth, events: truth.events.filter(({ isBot }) => !isBot) })

/** In the order of their times; what one task did keeps its order. @param {TrueEvent[]} events */
export const inOrder = (events) => events.toSorted((a, b) => a.at - b.at)

/** The events of each person, in order. @param {Truth} truth */
export const byPerson = ({ events, personOf }) => groupBy(inOrder(events), ({ visitor }) => personOf(visitor))

/** What a group is called on both sides, because ids are the library's own: its smallest mark. @param {TrueEvent[]} events */
export const labelOf = (events) =>
  events.reduce((least, { mark }) => (mark < least ? mark : least), '\u{10ffff}')

/** The label of each group. @param {Map<string, TrueEvent[]>} groups */
export const labels = (groups) => new Map([...groups].map(([key, events]) => [key, labelOf(events)]))

/** @param {number[]} values */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const [low = 0, high = 0] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]]
  return (low + high) / 2
}

/** Shares are compared to six digits. @param {number} part @param {number} whole */
export const share = (part, whole) => (whole ? Math.round((part / whole) * 1e6) / 1e6 : null)
