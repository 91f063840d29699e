import {
  choice,
  choiceProblems,
  eventsOfPersons,
  isAsked,
  personKey,
  range,
  zone,
  zoneProblem,
} from './askedEvents.js'
import type { TableMacro } from './tableMacro.js'

const dayOf = (moment: string) => `timezone(time_zone, ${moment})::DATE`

export const daily: TableMacro = {
  name: 'daily',
  comment: 'People, sessions, page views and events of each day, with a row for days without any.',
  parameters: [...range, ...choice, zone],
  columns: ['day', 'people', 'sessions', 'page_views', 'events'],
  problems: [...choiceProblems, zoneProblem],
  tables: [
    [
      'seen',
      `SELECT ${dayOf('e."timestamp"')} AS day, ${personKey} AS person_key, e.session_id, e.event
       FROM ${eventsOfPersons} WHERE ${isAsked}`,
    ],
    [
      'counted',
      `SELECT s.day, count(DISTINCT s.person_key) AS people, count(DISTINCT s.session_id) AS sessions,
         count(*) FILTER (s.event = '$pageview') AS page_views, count(*) AS events
       FROM seen s GROUP BY s.day`,
    ],
    [
      'bounds',
      `SELECT coalesce(${dayOf('from_time::TIMESTAMPTZ')}, min(c.day)) AS first_day,
         coalesce(${dayOf('until_time::TIMESTAMPTZ - INTERVAL 1 MICROSECOND')}, max(c.day)) AS last_day
       FROM counted c`,
    ],
    [
      'days',
      `SELECT unnest(generate_series(b.first_day::TIMESTAMP, b.last_day::TIMESTAMP, INTERVAL 1 DAY))::DATE AS day
       FROM bounds b`,
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
