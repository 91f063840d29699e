import { countFunnel } from '../truth/countFunnel.mjs'
import { countRetention } from '../truth/countRetention.mjs'
import { countGoals, goals } from './goals.mjs'
import { kindOf } from '../people/kinds.mjs'
import { countDays, countValues, listPeople, listTouches, listTraits } from '../truth/listPeople.mjs'
import { countBounces, countPaths, listSessions } from '../truth/listSessions.mjs'
import { byPerson, groupBy, isNamed, labels, minuteOf, viewedPath, withoutBots } from '../truth/readings.mjs'

const mark = `properties->>'mark'`
const minute = (/** @type {string} */ column) =>
  `strftime(timezone('UTC', date_trunc('minute', ${column})), '%Y-%m-%d %H:%M')`
/** Ids are the library's own: on both sides a person, a device and a session are called by their smallest mark. */
const labelled = (/** @type {string} */ column) =>
  `(SELECT ${column}, min(${mark}) AS label FROM events GROUP BY 1)`
const host = (/** @type {string} */ column) => `CASE WHEN ${column} IS NOT NULL THEN 'news' END`
const share = (/** @type {string} */ column) => `round(${column}, 6)`

/** @param {{ name: string, about: string, arguments: string, options: import('../truth/countFunnel.mjs').FunnelOptions }} parts @returns {import('../types').Question} */
const funnel = ({ name, about, arguments: given, options }) => ({
  name,
  about,
  sql: `SELECT breakdown, step, name, people, ${share('conversion')}, ${share('step_conversion')},
  round(median_seconds / 30)::INTEGER FROM funnel([${options.steps.map((step) => `'${step}'`).join(', ')}], ${given})`,
  expect: (truth) => countFunnel(withoutBots(truth), options),
})

/** @param {string} name @param {{ first?: string, again?: string, unit: 'day' | 'week', from?: number, everybody?: boolean }} options @returns {import('../types').Question} */
const retention = (name, options) => {
  const [first, again] = [options.first, options.again].map((event) => (event ? `'${event}'` : 'NULL'))
  const since = options.from ? `, from_time := '${new Date(options.from).toISOString()}'` : ''
  const whom = options.everybody ? ', everybody := true' : ''
  return {
    name,
    about: `${options.from ? (options.everybody ? 'of everybody, ' : 'of new people, ') : ''}retention by ${options.unit}: ${options.first ?? 'any event'}, then ${options.again ?? 'any event'}`,
    sql: `SELECT cohort::VARCHAR, size, period, people, ${share('share')} FROM retention(${first}, ${again}, '${options.unit}'${since}${whom})`,
    expect: (truth) => countRetention(withoutBots(truth), options),
  }
}

/** @param {'first' | 'last'} which @returns {import('../types').Question} */
const touch = (which) => ({
  name: `${which} touch`,
  about: `what brought each person the ${which} time`,
  sql: `SELECT p.label, ${minute('t.timestamp')}, ${host('t.referrer_host')}, t.utm_source, t.utm_medium, t.utm_campaign
  FROM ${which}_touch() t JOIN ${labelled('person_id')} p USING (person_id)`,
  expect: (truth) => listTouches(withoutBots(truth), which),
})

/** @param {string} timeZone @returns {import('../types').Question} */
const days = (timeZone) => ({
  name: `days in ${timeZone}`,
  about: 'people, sessions, page views and events of each day',
  sql: `SELECT day::VARCHAR, people, sessions, page_views, events FROM daily(time_zone := '${timeZone}')`,
  expect: (truth) => countDays(withoutBots(truth), timeZone),
})

/** When some have been there before. */
const thirdWeek = Date.UTC(2026, 2, 16)
const stages = ['/', '/pricing', 'Signed Up', 'Order Placed']
const properties = /** @type {const} */ (['words', 'plan', 'price', 'what', 'größe', 'from'])

/** The rows of one goal each. */
const goalRows = goals.map(
  ({ name }) => `SELECT '${name}', count(DISTINCT person_id), count(DISTINCT session_id), count(*)
  FROM goal_events('${name}')`,
)

/** What is asked of the service, and what the truth says to it. @type {import('../types').Question[]} */
export const questions = [
  {
    name: 'events',
    about: 'every event, once: when, where, whose, on which device and in which session',
    sql: `SELECT ${mark}, e.event, ${minute('e.timestamp')}, e.path, p.label, d.label, s.label FROM events e
  JOIN ${labelled('person_id')} p USING (person_id) JOIN ${labelled('device_id')} d USING (device_id)
  JOIN ${labelled('session_id')} s USING (session_id)`,
    expect(truth) {
      const people = labels(byPerson(truth))
      const devices = labels(groupBy(truth.events, ({ device }) => device))
      const sessions = labels(groupBy(truth.events, ({ session }) => session))
      return truth.events.map((event) => [
        event.mark,
        event.name,
        minuteOf(event.at),
        event.path,
        people.get(truth.personOf(event.visitor)) ?? null,
        devices.get(event.device) ?? null,
        sessions.get(event.session) ?? null,
      ])
    },
  },
  {
    name: 'how many',
    about: 'events, marks, insert ids, people, devices and sessions',
    sql: `SELECT count(*), count(DISTINCT ${mark}), count(DISTINCT insert_id), count(DISTINCT person_id),
  count(DISTINCT device_id), count(DISTINCT session_id) FROM events`,
    expect({ events, personOf }) {
      const count = (/** @type {(event: import('../types').TrueEvent) => string} */ read) =>
        new Set(events.map(read)).size
      return [
        [
          events.length,
          events.length,
          events.length,
          count(({ visitor }) => personOf(visitor)),
          count(({ device }) => device),
          count(({ session }) => session),
        ],
      ]
    },
  },
  {
    name: 'properties',
    about: 'what was said of each event, letter for letter',
    sql: `SELECT ${mark}, ${properties.map((name) => `prop(properties, '${name}')`).join(', ')} FROM events WHERE event <> '$pageview'`,
    expect: ({ events }) =>
      events
        .filter(({ name }) => name !== '$pageview')
        .map((event) => [
          event.mark,
          ...properties.map((name) =>
            event.properties[name] === undefined ? null : String(event.properties[name]),
          ),
        ]),
  },
  {
    name: 'what with, and where from',
    about: 'campaign, browser, system, device, language, country and class of the screen of each event',
    sql: `SELECT ${mark}, utm_source, utm_medium, utm_campaign, browser, os, device, language, country, screen_class
  FROM events WHERE bot IS NULL`,
    expect: (truth) =>
      withoutBots(truth).events.map((event) => [
        event.mark,
        event.utm.source ?? null,
        event.utm.medium ?? null,
        event.utm.campaign ?? null,
        ...Object.values(kindOf(event.device).is),
      ]),
  },
  {
    name: 'events by system',
    about: 'people and events of each system, by the name of a property that nobody sends',
    sql: `SELECT value, people, events FROM breakdown(NULL, '$os')`,
    expect: (truth) =>
      countValues(withoutBots(truth), withoutBots(truth).events, ({ device }) => kindOf(device).is.os),
  },
  {
    name: 'people',
    about: 'every person: name, events, first and last seen',
    sql: `SELECT p.label, CASE WHEN starts_with(q.person_id, 'anonymous-') THEN '' ELSE q.person_id END, q.events,
  ${minute('q.first_seen')}, ${minute('q.last_seen')} FROM persons q LEFT JOIN ${labelled('person_id')} p USING (person_id)`,
    expect: listPeople,
  },
  {
    name: 'traits',
    about: 'the latest value of each trait of each person',
    sql: 'SELECT person_id, name, value::VARCHAR FROM identity_traits',
    expect: listTraits,
  },
  {
    name: 'sessions',
    about: 'every session: whose, when, how long, from where to where, by which channel, with what',
    sql: `SELECT l.label, p.label, d.label, ${minute('s.started_at')}, round(s.duration_seconds / 60)::INTEGER, s.entry, s.exit,
  s.page_views, s.events, ${host('s.referrer_host')}, s.utm_source, s.utm_medium, s.utm_campaign,
  s.channel, s.browser, s.os, s.device, s.language, s.country, s.screen_class FROM sessions s
  JOIN ${labelled('session_id')} l USING (session_id) JOIN ${labelled('person_id')} p USING (person_id)
  JOIN ${labelled('device_id')} d USING (device_id)`,
    expect: (truth) => listSessions(withoutBots(truth)),
  },
  {
    name: 'bounces',
    about: 'sessions by entry, the share that saw no second page, and the mean of page views',
    sql: `SELECT entry, count(*), ${share('avg(bounced::INTEGER)')}, ${share('avg(page_views)')} FROM sessions GROUP BY entry`,
    expect: (truth) => countBounces(withoutBots(truth)),
  },
  {
    name: 'page views',
    about: 'people and views of each path',
    sql: 'SELECT path, count(DISTINCT person_id), count(*) FROM page_views GROUP BY path',
    expect: (truth) =>
      countValues(truth, truth.events.filter(viewedPath), (event) => viewedPath(event) ?? null),
  },
  days('UTC'),
  days('Europe/Berlin'),
  days('Pacific/Auckland'),
  {
    name: 'days with bots',
    about: 'the same in UTC, bots included',
    sql: 'SELECT day::VARCHAR, people, sessions, page_views, events FROM daily(bots := true)',
    expect: (truth) => countDays(truth, 'UTC'),
  },
  {
    name: 'bots',
    about: 'the verdict on each event of a bot, and on no other',
    sql: `SELECT ${mark}, bot FROM events WHERE bot IS NOT NULL`,
    expect: ({ events }) =>
      events.filter(({ isBot }) => isBot).map((event) => [event.mark, 'AI crawler GPTBot']),
  },
  funnel({
    name: 'funnel',
    about: 'from the first page to the order, without a limit',
    arguments: 'NULL',
    options: { steps: stages },
  }),
  funnel({
    name: 'funnel in an hour',
    about: 'the same within 61 minutes, of two weeks in March',
    arguments: `INTERVAL 61 MINUTE, from_time := '2026-03-09T00:00:00Z', until_time := '2026-03-23T00:00:00Z'`,
    options: {
      steps: stages,
      withinMinutes: 61,
      from: Date.UTC(2026, 2, 9),
      until: Date.UTC(2026, 2, 23),
    },
  }),
  funnel({
    name: 'funnel by source',
    about: 'from the price list to the order within three days, by utm_source',
    arguments: `INTERVAL 4321 MINUTE, breakdown := '$utm_source'`,
    options: {
      steps: ['/pricing', 'Order Placed'],
      withinMinutes: 4321,
      breakdown: ({ utm }) => utm.source ?? null,
    },
  }),
  funnel({
    name: 'funnel by device',
    about: 'from the price list to the order, by the kind of device',
    arguments: `NULL, breakdown := '$device'`,
    options: {
      steps: ['/pricing', 'Order Placed'],
      breakdown: ({ device }) => kindOf(device).is.device,
    },
  }),
  retention('retention by day', { unit: 'day' }),
  retention('retention by week', { unit: 'week' }),
  retention('retention of new people', { unit: 'week', from: thirdWeek }),
  retention('retention of new visitors of a page', { first: '/', unit: 'week', from: thirdWeek }),
  retention('retention of everybody', { unit: 'week', from: thirdWeek, everybody: true }),
  retention('retention of buyers', { first: 'Signed Up', again: 'Order Placed', unit: 'week' }),
  touch('first'),
  touch('last'),
  {
    name: 'plans',
    about: 'orders by plan',
    sql: `SELECT value, people, events FROM breakdown('Order Placed', 'plan')`,
    expect: (truth) =>
      countValues(
        truth,
        truth.events.filter((event) => isNamed(event, 'Order Placed')),
        ({ properties: { plan } }) => String(plan),
      ),
  },
  {
    name: 'paths',
    about: 'where sessions go, in three steps',
    sql: 'SELECT step, from_path, to_path, sessions FROM paths(NULL, 3)',
    expect: (truth) => countPaths(withoutBots(truth), 3),
  },
  {
    name: 'goals',
    about: 'people, sessions and events of each goal',
    sql: goalRows.join(' UNION ALL '),
    expect: countGoals,
  },
]
