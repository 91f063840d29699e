import { countFunnel } from '../truth/countFunnel.mjs'
import { countRetention } from '../truth/countRetention.mjs'
import { countDays, countTotals, countValues } from '../truth/listPeople.mjs'
import { bounceRateOf, countBounces, listSessions, pagesPerSession } from '../truth/listSessions.mjs'
import { groupBy, viewedPath, withoutBots } from '../truth/readings.mjs'
import { convertByChannel, countGoals, goals } from './goals.mjs'
import { cardOf, readCount, readDay, readValue } from './readTexts.mjs'

/** @typedef {import('../types').Card} Card */
/** @typedef {import('../types').Row} Row */
/** @typedef {import('../types').Truth} Truth */
/** @typedef {{ name: string, about: string, read(cards: Card[]): Row[], expect(truth: Truth): Row[] }} Reading */
/** @typedef {{ address: string, lastCard: string, readings: Reading[] }} Screen one page, and what is read there */

/** Days in which everything happened, also by a wrong clock. */
export const scope = { range: 'custom', from: '2026-01-15', until: '2026-07-15' }
const lastNoon = Date.parse(`${scope.until}T12:00Z`)
const stages = ['/', '/pricing', 'Signed Up', 'Order Placed']
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })
const mean = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
const wholePercent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 0 })
/** The periods that the table of the retention has room for. */
const mostPeriods = 31

/** @param {string} path @param {Record<string, string | string[]>} search */
function addressOf(path, search) {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...scope, ...search }))
    for (const each of [value].flat()) parameters.append(name, each)
  return `/app/${path}?${parameters}`
}

/** @param {string} name @param {(truth: Truth) => Truth} among @returns {Reading} */
const totals = (name, among) => ({
  name,
  about: 'the four figures at the top',
  read: (cards) =>
    cardOf(cards, 'Totals').items.flatMap(([title = '', figure], at) =>
      at < 4 ? [[title, readCount(figure)]] : [],
    ),
  expect: (truth) => [countTotals(among(truth))].flatMap(Object.entries),
})

/** @type {Reading} */
const sessionTotals = {
  name: 'totals of sessions',
  about: 'bounce rate and pages a session',
  read: (cards) =>
    cardOf(cards, 'Totals').items.flatMap(([title = '', figure = '']) =>
      ['Bounce rate', 'Pages a session'].includes(title) ? [[title, figure]] : [],
    ),
  expect(truth) {
    const sessions = listSessions(withoutBots(truth))
    return [
      ['Bounce rate', percent.format(Number(bounceRateOf(sessions)))],
      ['Pages a session', mean.format(Number(pagesPerSession(sessions)))],
    ]
  },
}

/** One of the figures by day; those of days without are 0. @param {string} title @param {number} column of `countDays` @param {string} timeZone @returns {Reading} */
const byDay = (title, column, timeZone) => {
  const isSome = (/** @type {Row} */ [, figure]) => figure !== 0
  return {
    name: `${title} over time`,
    about: 'the chart, as a table: each day that has some',
    read: (cards) =>
      cardOf(cards, `${title} over time`)
        .rows.map(([day, figure]) => [readDay(day), readCount(figure?.[0])])
        .filter(isSome),
    expect: (truth) =>
      countDays(withoutBots(truth), timeZone)
        .map((row) => [row[0] ?? null, row[column] ?? null])
        .filter(isSome),
  }
}

/** As screens call a country or a language. @param {'region' | 'language'} type @param {string | number | null | undefined} code */
const nameOf = (type, code) =>
  new Intl.DisplayNames('en', { type, languageDisplay: 'standard' }).of(String(code))

/** The values of a dimension: value, people, how often. @param {string} card @param {string} title @param {(truth: Truth) => Row[]} count @returns {Reading} */
const ranking = (card, title, count) => ({
  name: title,
  about: `the card ${card}: people, and how often`,
  read: (cards) =>
    cardOf(cards, card).rows.map(([value, times, people]) => [
      readValue(value),
      readCount(people?.[0]),
      readCount(times?.[0]),
    ]),
  expect: (truth) => count(withoutBots(truth)),
})

/** Value, people, sessions. @param {string} card @param {string} title @param {(session: Row) => string | number | null | undefined} read a row of `listSessions` @returns {Reading} */
const ofSessions = (card, title, read) =>
  ranking(card, title, (truth) =>
    [...groupBy(listSessions(truth), (row) => JSON.stringify(read(row) ?? null))].map(([value, own]) => [
      JSON.parse(value),
      new Set(own.map(([, person]) => person)).size,
      own.length,
    ]),
  )

/**
 * Five views of the overview, so that each tab of each card is opened.
 * @param {string} timeZone of the browser that shows the screens
 * @returns {Screen[]}
 */
function overviews(timeZone) {
  /** A referrer is a host with a port that nobody knows before. @param {Reading} reading @returns {Reading} */
  const anyHost = (reading) => ({
    ...reading,
    read: (cards) => reading.read(cards).map(([value, ...rest]) => [value === null ? null : 'news', ...rest]),
  })
  const columns = ['people', 'sessions', 'page_views', 'events']
  const titles = ['People', 'Sessions', 'Page views', 'Events']
  const pages = [
    ranking('Pages', 'pages', (truth) =>
      countValues(truth, truth.events.filter(viewedPath), (event) => viewedPath(event) ?? null),
    ),
    ofSessions('Pages', 'entry pages', (row) => row[5]),
    ofSessions('Pages', 'exit pages', (row) => row[6]),
  ]
  const sources = [
    anyHost(ofSessions('Sources', 'referrers', (row) => row[9])),
    ofSessions('Sources', 'sources', (row) => row[10]),
    ofSessions('Sources', 'mediums', (row) => row[11]),
    ofSessions('Sources', 'campaigns', (row) => row[12]),
    ofSessions('Sources', 'channels', (row) => row[13]),
  ]
  const devices = [
    ofSessions('Devices', 'browsers', (row) => row[14]),
    ofSessions('Devices', 'systems', (row) => row[15]),
    ofSessions('Devices', 'devices', (row) => row[16]),
    ofSessions('Devices', 'classes of screens', (row) => row[19]),
  ]
  const places = [
    ofSessions('Places', 'countries', (row) => nameOf('region', row[18])),
    ofSessions('Places', 'languages', (row) => nameOf('language', row[17])),
  ]
  const events = ranking('Events', 'events by name', (truth) =>
    countValues(truth, truth.events, ({ name }) => name),
  )
  const tabs = {
    by_pages: ['path', 'entry', 'exit'],
    by_sources: ['referrer_host', 'utm_source', 'utm_medium', 'utm_campaign', 'channel'],
    by_devices: ['browser', 'os', 'device', 'screen_class'],
    by_places: ['country', 'language'],
  }
  return sources.map((source, at) => ({
    address: addressOf('', {
      metric: columns[at] ?? 'people',
      more: ['Pages', 'Sources', 'Events', 'Devices', 'Places'],
      ...Object.fromEntries(
        Object.entries(tabs).map(([name, values]) => [name, values[at] ?? values[0] ?? '']),
      ),
    }),
    lastCard: 'Places',
    readings: [
      ...(at === 0 ? [totals('totals', withoutBots), sessionTotals, events] : []),
      ...titles.slice(at, at + 1).map((title) => byDay(title, at + 1, timeZone)),
      source,
      ...[pages[at], devices[at], places[at]].filter((reading) => reading !== undefined),
    ],
  }))
}

/** @type {Screen} */
const withBots = {
  address: addressOf('', { bots: '1' }),
  lastCard: 'Places',
  readings: [totals('totals with bots', (truth) => truth)],
}

/** @type {Screen[]} */
const conversions = goals.map((goal) => ({
  address: addressOf('', { goal: goal.name, more: 'Sources' }),
  lastCard: 'Goal',
  readings: [
    {
      name: `goal: ${goal.name}`,
      about: 'people and sessions that reached it, of how many',
      read: (cards) => cardOf(cards, 'Goal').items.map((item) => [item.join(' ').replace(/ ?, .*/, '')]),
      expect(truth) {
        const [, people = 0, sessions = 0] = countGoals(truth).find(([name]) => name === goal.name) ?? []
        const all = countTotals(withoutBots(truth))
        const said = (/** @type {string} */ title, /** @type {number} */ count, /** @type {number} */ of) =>
          `Of ${title} ${percent.format(count / of)} ${count} of ${of}`
        return [
          [said('people', Number(people), all.People)],
          [said('sessions', Number(sessions), all.Sessions)],
        ]
      },
    },
    {
      name: `${goal.name} by channel`,
      about: 'the card Sources: sessions, and the share that reached the goal',
      read: (cards) =>
        cardOf(cards, 'Sources').rows.map((row) => [
          readValue(row[0]),
          readCount(row[1]?.[0]),
          // The last column is the change.
          row.at(-2)?.[0] ?? null,
        ]),
      expect: (truth) =>
        convertByChannel(truth, goal).map(([channel, sessions, share]) => [
          channel,
          sessions,
          percent.format(share),
        ]),
    },
  ],
}))

/** @param {Record<string, string>} search @param {string} title @param {Omit<Reading, 'name' | 'about'>} reading @returns {Screen} */
const explore = (search, title, reading) => ({
  address: addressOf('explore', search),
  lastCard: title,
  readings: [{ name: `explore: ${title}`, about: 'each value, or day, and its figure', ...reading }],
})

/** @param {string} timeZone @returns {Screen[]} */
const explorations = (timeZone) => [
  explore({ event: 'Order Placed', by: 'prop.plan' }, 'Events of Order Placed by plan', {
    read: (cards) =>
      cardOf(cards, 'Events of Order Placed by plan').rows.map(([plan, count]) => [
        readValue(plan),
        readCount(count?.[0]),
      ]),
    expect: (truth) =>
      countValues(
        withoutBots(truth),
        withoutBots(truth).events.filter(({ name }) => name === 'Order Placed'),
        ({ properties: { plan } }) => (plan === undefined ? null : String(plan)),
      ).map(([plan, , times]) => [plan ?? null, times ?? null]),
  }),
  explore({ show: 'bounce_rate', by: 'entry' }, 'Bounce rate by Entry page', {
    read: (cards) =>
      cardOf(cards, 'Bounce rate by Entry page').rows.map(([entry, rate, sessions]) => [
        readValue(entry),
        readCount(sessions?.[0]),
        rate?.[0] ?? null,
      ]),
    expect: (truth) =>
      countBounces(withoutBots(truth)).map(([entry, sessions, rate]) => [
        entry ?? null,
        sessions ?? null,
        rate === null ? '–' : percent.format(Number(rate)),
      ]),
  }),
  explore({ show: 'people', over: 'day', filter: 'path|is|/pricing' }, 'People by day', {
    read: (cards) =>
      cardOf(cards, 'People by day')
        .rows.map(([day, figure]) => [readDay(day), readCount(figure?.[0])])
        .filter(([, figure]) => figure !== 0),
    expect(truth) {
      const events = withoutBots(truth).events.filter(({ path }) => path === '/pricing')
      return countDays({ ...truth, events }, timeZone)
        .map(([day, people]) => [day ?? null, people ?? null])
        .filter(([, people]) => people !== 0)
    },
  }),
]

const funnelOptions = { steps: stages, withinMinutes: 7 * 24 * 60 }
/** @type {Screen} */
const funnel = {
  address: addressOf('funnel', { step: stages, by: '$utm_source' }),
  lastCard: 'By $utm_source at the first step',
  readings: [
    {
      name: 'the funnel',
      about: 'name, people, of all, of the step before',
      read: (cards) =>
        cardOf(cards, 'Funnel').items.map(([, name = '', people, of = '', before = '']) => [
          name,
          readCount(people),
          of,
          before.endsWith('%') ? before : null,
        ]),
      expect: (truth) =>
        countFunnel(withoutBots(truth), funnelOptions).map(([, step, name, people, of, before]) => [
          name ?? null,
          people ?? null,
          percent.format(Number(of)),
          step === 1 ? null : percent.format(Number(before)),
        ]),
    },
    {
      name: 'the funnel by source',
      about: 'source, and the people of each step',
      read: (cards) =>
        cardOf(cards, 'By $utm_source at the first step')
          // The table of what chance makes of it, below, has no counts.
          .rows.filter(([, ...steps]) => steps.every(([people = '']) => /^[\d,]+$/.test(people)))
          .map(([value, ...steps]) => [readValue(value), ...steps.map(([people]) => readCount(people))]),
      expect(truth) {
        const breakdown = (/** @type {import('../types').TrueEvent} */ { utm }) => utm.source ?? null
        const rows = countFunnel(withoutBots(truth), { ...funnelOptions, breakdown })
        return [...groupBy(rows, ([value]) => JSON.stringify(value))].map(([value, steps]) => [
          JSON.parse(value),
          ...steps.map((row) => row[3] ?? null),
        ])
      },
    },
  ],
}

/** @param {string} timeZone @param {{ unit: 'day' | 'week', first?: string, again?: string }} options @returns {Screen} */
const retention = (timeZone, { unit, ...names }) => ({
  address: addressOf('retention', { unit, ...names }),
  lastCard: 'Retention',
  readings: [
    {
      name: `retention table by ${unit}${names.first ? ` of ${names.first}` : ''}`,
      about: 'cohort, size, period, share, people of each cell',
      read: (cards) =>
        cardOf(cards, 'Retention')
          .rows.filter(([name]) => !name?.join().startsWith('All,'))
          .flatMap(([name, size, ...cells]) =>
            cells.flatMap((cell, period) =>
              cell.length
                ? [[readDay(name), readCount(size?.[0]), period, cell[0] ?? null, readCount(cell.at(-1))]]
                : [],
            ),
          ),
      expect: (truth) =>
        countRetention(withoutBots(truth), { unit, timeZone, until: lastNoon, ...names })
          .filter(([, , period]) => Number(period) < mostPeriods)
          .map(([cohort, size, period, people, share]) => [
            cohort ?? null,
            size ?? null,
            period ?? null,
            wholePercent.format(Number(share)),
            people ?? null,
          ]),
    },
  ],
})

/** The screens with figures, and what the truth says to each. @param {string} timeZone of the browser that shows them @returns {Screen[]} */
export const listScreens = (timeZone) => [
  ...overviews(timeZone),
  withBots,
  ...conversions,
  ...explorations(timeZone),
  funnel,
  retention(timeZone, { unit: 'day' }),
  retention(timeZone, { unit: 'week' }),
  retention(timeZone, { unit: 'week', first: 'Signed Up', again: 'Order Placed' }),
]
