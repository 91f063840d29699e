import { kindOf } from '../people/kinds.mjs'
import { byPerson, groupBy, inOrder, labelOf, labels, minuteOf, share, viewedPath } from './readings.mjs'

const minuteMs = 60_000
/** @typedef {import('../types').TrueEvent} TrueEvent */

/** The first value that there is. @template T @param {TrueEvent[]} events @param {(event: TrueEvent) => T | undefined} read @returns {T | null} */
const first = (events, read) => events.map(read).find((value) => value !== undefined) ?? null

/** docs/answers.md, "Channels", as far as people here come from anywhere. @type {Record<string, string>} */
const channels = { email: 'mail', cpc: 'paid', social: 'social' }

/** @param {TrueEvent[]} events of a session */
function channelOf(events) {
  const medium = first(events, ({ utm }) => utm.medium)
  const isKnown = medium !== null || events.some(({ isFromNews }) => isFromNews)
  return channels[medium ?? ''] ?? (isKnown ? 'referral' : 'direct')
}

/**
 * Session, person, device, start, minutes, entry, exit, page views, events, referrer, source, medium, campaign, channel,
 * browser, system, kind of device, language, country, class of the screen.
 * @param {import('../types').Truth} truth
 * @returns {import('../types').Row[]}
 */
export function listSessions(truth) {
  const events = inOrder(truth.events)
  const people = labels(byPerson(truth))
  const devices = labels(groupBy(events, ({ device }) => device))
  return [...groupBy(events, ({ session }) => session).values()].map((own) => {
    const [begin, end] = /** @type {[TrueEvent, TrueEvent]} */ ([own[0], own.at(-1)])
    const views = own.map(viewedPath).filter((path) => path !== undefined)
    return [
      labelOf(own),
      people.get(truth.personOf(end.visitor)) ?? null,
      devices.get(begin.device) ?? null,
      minuteOf(begin.at),
      Math.round((end.at - begin.at) / minuteMs),
      views[0] ?? null,
      views.at(-1) ?? null,
      views.length,
      own.length,
      first(own, ({ isFromNews }) => (isFromNews ? 'news' : undefined)),
      first(own, ({ utm }) => utm.source),
      first(own, ({ utm }) => utm.medium),
      first(own, ({ utm }) => utm.campaign),
      channelOf(own),
      ...Object.values(kindOf(begin.device).is),
    ]
  })
}

/** Nobody's engaged time is recorded, so one page view is a bounce. @param {import('../types').Row[]} sessions of `listSessions` */
export const bounceRateOf = (sessions) => {
  const viewed = sessions.filter((row) => Number(row[7]) > 0)
  return share(viewed.filter((row) => row[7] === 1).length, viewed.length)
}

/** @param {import('../types').Row[]} sessions of `listSessions` */
export const pagesPerSession = (sessions) =>
  share(
    sessions.reduce((sum, row) => sum + Number(row[7]), 0),
    sessions.length,
  )

/** Entry, sessions, bounce rate, pages a session. @param {import('../types').Truth} truth @returns {import('../types').Row[]} */
export const countBounces = (truth) =>
  [...groupBy(listSessions(truth), (row) => JSON.stringify(row[5]))].map(([entry, own]) => [
    JSON.parse(entry),
    own.length,
    bounceRateOf(own),
    pagesPerSession(own),
  ])

/**
 * The ways through the site: step, from, to, sessions.
 * @param {import('../types').Truth} truth
 * @param {number} depth
 * @returns {import('../types').Row[]}
 */
export function countPaths(truth, depth) {
  /** @type {Map<string, number>} */
  const counts = new Map()
  for (const own of groupBy(inOrder(truth.events), ({ session }) => session).values()) {
    const views = own.map(viewedPath).filter((path) => path !== undefined)
    const moved = views.filter((path, index) => path !== views[index - 1])
    for (const [index, path] of moved.slice(0, depth).entries()) {
      const key = JSON.stringify([index + 1, path, moved[index + 1] ?? null])
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  return [...counts].map(([key, sessions]) => [...JSON.parse(key), sessions])
}
