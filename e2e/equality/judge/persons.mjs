import { listPeople, listTraits } from '../truth/listPeople.mjs'
import { byPerson, groupBy, labels, minuteOf, withoutBots } from '../truth/readings.mjs'
import { scope } from './screens.mjs'
import { cardOf, readCount } from './readTexts.mjs'

/** @typedef {import('../types').Row} Row */

/** As many as the screens show at most, of any time, with bots. */
const all = { people: `/app/persons?more=1&bots=1&${new URLSearchParams(scope)}`, timeline: '&rows=10000' }

const buyers = `/app/persons?${new URLSearchParams({ ...scope, more: '1', filter: 'event|is|Order Placed' })}`

const least = (/** @type {string[]} */ marks) => marks.toSorted()[0] ?? null
/** The library's own ids are unknown to the script. @param {string} id */
const named = (id) => (id.startsWith('anonymous-') ? '' : id)

/** Who ordered, with how many events in all. @param {import('../types').Truth} truth @returns {Row[]} */
function listBuyers(truth) {
  const people = withoutBots(truth)
  return [...byPerson(people)].flatMap(([person, events]) =>
    events.some(({ name }) => name === 'Order Placed')
      ? [[truth.isNamed(person) ? person : '', events.length]]
      : [],
  )
}

/**
 * Looks at the list of the people, at the timeline of each, and at the list of those who ordered.
 * @param {(address: string, lastCard: string) => Promise<import('../types').Card[]>} look
 * @returns {Promise<import('../types').Answer[]>}
 */
export async function describePeople(look) {
  const { rows, links } = cardOf(await look(all.people, 'People'), 'People')
  /** @type {Row[]} */
  const people = []
  /** @type {Row[]} */
  const timelines = []
  for (const [at, [[name = '', id = name] = [], , , events, first, last]] of rows.entries()) {
    const { visits } = cardOf(await look(links[at] + all.timeline, 'Timeline'), 'Timeline')
    const label = least(visits.flat().map(({ properties }) => properties.mark ?? ''))
    const seen = [first, last].map((cell) => minuteOf(Date.parse(cell?.[0] ?? '')))
    people.push([label, named(name), named(id), readCount(events?.[0]), ...seen])
    for (const visit of visits) {
      const session = least(visit.map(({ properties }) => properties.mark ?? ''))
      for (const { properties, name: event, time, url } of visit)
        timelines.push([
          properties.mark ?? null,
          event,
          minuteOf(Date.parse(time)),
          new URL(`http://${url}`).pathname,
          label,
          session,
        ])
    }
  }
  const bought = cardOf(await look(buyers, 'People'), 'People')
  return [
    {
      by: 'screen',
      name: 'people who ordered',
      about: 'id, and all events',
      source: buyers,
      rows: bought.rows.map(([[name = '', id = name] = [], , , events]) => [
        named(id),
        readCount(events?.[0]),
      ]),
      expect: listBuyers,
    },
    {
      by: 'screen',
      name: 'list of people',
      about: 'name, id, events, first and last seen',
      source: all.people,
      rows: people,
      expect: listNamed,
    },
    {
      by: 'screen',
      name: 'timelines',
      about: 'the page of each person: every event, in which session',
      source: '/app/persons?id=…',
      rows: timelines,
      expect: listTimelines,
    },
  ]
}

/** @param {import('../types').Truth} truth @returns {Row[]} */
function listNamed(truth) {
  const names = new Map(
    listTraits(truth).flatMap(([person, trait, value]) => (trait === 'name' ? [[person, value]] : [])),
  )
  return listPeople(truth).map(([label = null, id = null, ...rest]) => [
    label,
    names.has(id) ? JSON.parse(String(names.get(id))) : id,
    id,
    ...rest,
  ])
}

/** @param {import('../types').Truth} truth @returns {Row[]} */
function listTimelines(truth) {
  const people = labels(byPerson(truth))
  const sessions = labels(groupBy(truth.events, ({ session }) => session))
  return truth.events.map(({ mark, name, at, path, visitor, session }) => [
    mark,
    name,
    minuteOf(at),
    path,
    people.get(truth.personOf(visitor)) ?? null,
    sessions.get(session) ?? null,
  ])
}
