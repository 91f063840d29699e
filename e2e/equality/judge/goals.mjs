import { listSessions } from '../truth/listSessions.mjs'
import { groupBy, isNamed, labelOf, viewedPath, withoutBots } from '../truth/readings.mjs'

/** @typedef {import('../types').Row} Row */
/** @typedef {import('../types').Truth} Truth */
/** @typedef {import('../types').TrueEvent} TrueEvent */
/** @typedef {{ name: string, value: object, isReached(event: TrueEvent): boolean }} Goal */

/** What is saved before anything is asked, and which events reach it. @type {Goal[]} */
export const goals = [
  {
    name: 'An order',
    value: { event: 'Order Placed' },
    isReached: (event) => isNamed(event, 'Order Placed'),
  },
  {
    name: 'The prices',
    value: { event: '/pri*' },
    isReached: (event) => viewedPath(event)?.startsWith('/pri') ?? false,
  },
  {
    name: 'Plan pro',
    value: { property: 'plan', value: 'pro' },
    isReached: ({ properties }) => properties['plan'] === 'pro',
  },
]

/** @param {(item: object) => Promise<void>} save */
export async function saveGoals(save) {
  for (const { name, value } of goals) await save({ kind: 'goal', name, value })
}

/** Goal, people, sessions, events. @param {Truth} truth @returns {Row[]} */
export const countGoals = (truth) =>
  goals.map(({ name, isReached }) => {
    const reached = withoutBots(truth).events.filter(isReached)
    return [
      name,
      new Set(reached.map(({ visitor }) => truth.personOf(visitor))).size,
      new Set(reached.map(({ session }) => session)).size,
      reached.length,
    ]
  })

/** Channel, sessions, the share of them that reached a goal. @param {Truth} truth @param {Goal} goal @returns {[string, number, number][]} */
export function convertByChannel(truth, { isReached }) {
  const { events } = withoutBots(truth)
  const reached = new Set(
    [...groupBy(events, ({ session }) => session).values()].filter((own) => own.some(isReached)).map(labelOf),
  )
  const byChannel = groupBy(listSessions(withoutBots(truth)), (row) => String(row[13]))
  return [...byChannel].map(([channel, own]) => [
    channel,
    own.length,
    own.filter(([label]) => reached.has(String(label))).length / own.length,
  ])
}
