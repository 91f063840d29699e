import {
  checkDays,
  choice,
  choiceProblems,
  isAsked,
  movedIds,
  personKeyOf,
  range,
  zone,
  zoneProblem,
} from './askedEvents.js'
import { joinSpan, periodOfEvent, spansOf } from './localTime.js'
import type { TableMacro } from './tableMacro.js'

const dateOf = (local: string) => `${local}::DATE`
const dayOf = (moment: string) => dateOf(`timezone(time_zone, ${moment})`)

/** A visit's events of a period are counted first: there are far fewer visits, so persons are looked up for those only. */
const visitCounts = `e.id_key, e.session_key,
         count(*) FILTER (e.event = '$pageview') AS page_views, count(*) AS events`
const counted = `count(DISTINCT ${personKeyOf('s.id_key')}) AS people,
         count(DISTINCT s.session_key) AS sessions, coalesce(sum(s.page_views), 0)::BIGINT AS page_views,
         coalesce(sum(s.events), 0)::BIGINT AS events
       FROM seen s LEFT JOIN ${movedIds} m ON m.id_key = s.id_key`

export const totals: TableMacro = {
  name: 'totals',
  comment: 'People, sessions, page views and events of a range.',
  parameters: [...range, ...choice],
  columns: ['people', 'sessions', 'page_views', 'events'],
  problems: choiceProblems,
  tables: [
    ['seen', `SELECT ${visitCounts} FROM analytics.raw.timed_events e WHERE ${isAsked} GROUP BY 1, 2`],
    ['answer', `SELECT ${counted}`],
  ],
  order: '1',
}

export const daily: TableMacro = {
  name: 'daily',
  comment: 'People, sessions, page views and events of each day, with a row for days without any.',
  parameters: [...range, ...choice, zone],
  columns: ['day', 'people', 'sessions', 'page_views', 'events'],
  problems: [...choiceProblems, zoneProblem],
  tables: [
    ['span', spansOf(`analytics.raw.timed_events e WHERE ${isAsked}`, dateOf)],
    [
      'seen',
      `SELECT ${periodOfEvent(dateOf)} AS day, ${visitCounts}
       FROM analytics.raw.timed_events e ${joinSpan} WHERE ${isAsked} GROUP BY 1, 2, 3`,
    ],
    ['counted', `SELECT s.day, ${counted} GROUP BY s.day`],
    [
      'bounds',
      `SELECT coalesce(${dayOf('from_time::TIMESTAMPTZ')}, min(c.day)) AS first_day,
         coalesce(${dayOf('until_time::TIMESTAMPTZ - INTERVAL 1 MICROSECOND')}, max(c.day)) AS last_day
       FROM counted c`,
    ],
    [
      'days',
      `SELECT unnest(generate_series(b.first_day::TIMESTAMP, b.last_day::TIMESTAMP, INTERVAL 1 DAY))::DATE AS day
       FROM bounds b WHERE ${checkDays('(b.last_day - b.first_day)')} IS NULL`,
    ],
    [
      'answer',
      `SELECT d.day, coalesce(c.people, 0) AS people, coalesce(c.sessions, 0) AS sessions,
         coalesce(c.page_views, 0) AS page_views, coalesce(c.events, 0) AS events
       FROM days d LEFT JOIN counted c ON c.day = d.day`,
    ],
  ],
  order: '1',
}
