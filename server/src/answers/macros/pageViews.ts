import { derivedComments, foreignReferrer, hostOf, utmColumns } from '../../schema/derivedColumns.js'
import { columnsOf, type View } from '../../duckdb/quote.js'
import {
  anonymous,
  anonymousProblem,
  choice,
  choiceProblems,
  isAsked,
  isPerson,
  movedIds,
  orderKey,
  personKeyOf,
  range,
  seqOfKey,
} from '../../schema/askedEvents.js'
import type { TableMacro } from './tableMacro.js'

const source = ['referrer_host', 'utm_source', 'utm_medium', 'utm_campaign'] as const

const touch = (which: 'first' | 'last'): TableMacro => {
  const pick = which === 'first' ? 'min' : 'max'
  return {
    name: `${which}_touch`,
    comment: `What brought each person here the ${which} time: a referrer from elsewhere, or a campaign.`,
    parameters: [...range, ...choice, anonymous],
    columns: ['person_id', '"timestamp"', ...source],
    problems: [...choiceProblems, anonymousProblem],
    tables: [
      [
        'seen',
        `SELECT e.id_key, ${pick}(${orderKey}) FILTER (e.touch) AS touch, ${pick}(${orderKey}) AS key
         FROM analytics.raw.marked_timed_events e WHERE ${isAsked} AND ${isPerson} GROUP BY 1`,
      ],
      [
        'picked',
        `SELECT any_value(m.person_id) AS person_id, coalesce(${pick}(s.touch), ${pick}(s.key)) AS key
         FROM seen s LEFT JOIN ${movedIds} m ON m.id_key = s.id_key
         WHERE s.id_key IS NOT NULL GROUP BY ${personKeyOf('s.id_key')}`,
      ],
      // Texts are read for these events only.
      [
        'answer',
        `SELECT coalesce(p.person_id, e.distinct_id, e.anonymous_id) AS person_id, e."timestamp",
           ${hostOf(foreignReferrer('e.referrer', 'e.url'))} AS referrer_host, e.utm_source, e.utm_medium, e.utm_campaign
         FROM picked p JOIN analytics.raw.marked_timed_events e ON e.seq = ${seqOfKey('p.key')} WHERE ${isAsked}`,
      ],
    ],
    order: '1',
  }
}

export const firstTouch = touch('first')
export const lastTouch = touch('last')

/** The derived columns of an event `e` with these names. */
const derived = (...names: (keyof typeof derivedComments)[]): View['columns'] =>
  columnsOf('e', Object.fromEntries(names.map((name) => [name, derivedComments[name]])))

export const pageViews: View = {
  name: 'page_views',
  comment: 'Every page view, one a row: the events named $pageview.',
  from: `analytics.main.events e WHERE e.event = '$pageview'`,
  columns: [
    ...columnsOf('e', {
      environment: 'Environments are apart.',
      event_id: 'As in events.',
      timestamp: 'When it happened, as the client says; else when it was received.',
      person_id: 'Who it was, as in events and persons.',
      session_id: 'The visit, as sent.',
      device_id: 'The device, as sent.',
      url: 'The property $url.',
      host: 'The host of url, with its port if it has one.',
      path: 'The path of url, without query and fragment.',
      referrer: 'The property $referer.',
    }),
    [
      'referrer_host',
      hostOf(foreignReferrer('e.referrer', 'e.url')),
      'The host of referrer; NULL where it is the page itself.',
    ],
    ...derived(...utmColumns, 'click_id', 'browser', 'os', 'device', 'language', 'country'),
    ...columnsOf('e', { viewport: 'The property $viewport.' }),
    ...derived('screen_class', 'anonymous'),
    ...columnsOf('e', { bot: 'Why no person seems to have done it; else NULL.' }),
  ],
}
