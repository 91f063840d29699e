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
} from '../../schema/askedEvents.js'
import {
  isOnePeriod,
  joinSpan,
  periodOfMoment,
  spansIn,
  spansOf,
  type TableMacro,
  withNext,
} from './tableMacro.js'

const dateOf = (local: string) => `${local}::DATE`
const dayOf = (moment: string) => dateOf(`timezone(time_zone, ${moment})`)

const isBegun = '(from_time IS NULL OR s.started_at >= from_time::TIMESTAMPTZ)'
const isEnded = '(until_time IS NULL OR s.ended_at < until_time::TIMESTAMPTZ)'

/** The sessions that can have events of the range. */
const visits = `SELECT s.session_key, s.started_at, s.ended_at, s.id_key, s.id_keys, s.page_views, s.events,
    (bots OR s.bot IS NULL) AND ${isBegun} AND ${isEnded} AS is_whole
  FROM analytics.raw.marked_spans s WHERE s.environment = environment
    AND (until_time IS NULL OR s.started_at < until_time::TIMESTAMPTZ)
    AND (from_time IS NULL OR s.ended_at >= from_time::TIMESTAMPTZ)`

/**
 * Sessions are far fewer than events, and know how many these are and whose. So events are read only where they are in
 * no session, or in one that counts in part: at an end of the range, over midnight, or where some are a bot's.
 *
 * The sessions are picked by CASE. By WHERE, each reader of `visit` would have a condition; DuckDB would then work out all
 * of them for each of its rows, though every row meets one.
 */
const loose = `analytics.raw.marked_timed_events e SEMI JOIN (
    SELECT CASE WHEN NOT v.is_whole THEN v.session_key END AS session_key FROM visit v UNION ALL SELECT 0::UBIGINT
  ) b ON b.session_key = coalesce(e.session_key, 0::UBIGINT)`

const pieces = (day: string) => `
  SELECT ${day}v.id_key, 1 AS sessions, NULL::UBIGINT AS session_key, v.page_views, v.events FROM visit v WHERE v.is_whole
  UNION ALL
  SELECT ${day}unnest(v.id_keys), 0, NULL, 0, 0 FROM visit v WHERE v.is_whole AND v.id_keys IS NOT NULL
  UNION ALL
  SELECT ${day}v.id_key, 0, v.session_key, v.page_views, v.events FROM loose v`

const counted = `count(DISTINCT ${personKeyOf('s.id_key')}) AS people,
         (coalesce(sum(s.sessions), 0) + count(DISTINCT s.session_key))::BIGINT AS sessions,
         coalesce(sum(s.page_views), 0)::BIGINT AS page_views, coalesce(sum(s.events), 0)::BIGINT AS events
       FROM piece s LEFT JOIN ${movedIds} m ON m.id_key = s.id_key`

const looseCounts = `e.id_key, e.session_key, count(*) FILTER (e.event = '$pageview') AS page_views, count(*) AS events`

export const totals: TableMacro = {
  name: 'totals',
  comment: 'People, sessions, page views and events of a range.',
  parameters: [...range, ...choice],
  columns: ['people', 'sessions', 'page_views', 'events'],
  problems: choiceProblems,
  tables: [
    ['visit', visits],
    ['loose', `SELECT ${looseCounts} FROM ${loose} WHERE ${isAsked} GROUP BY 1, 2`],
    ['piece', pieces('')],
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
    ['near', visits],
    ['begun', spansOf(spansIn('(SELECT n.started_at AS "timestamp" FROM near n) e'), dateOf)],
    ['begun_next', withNext('begun')],
    [
      'visit',
      `SELECT n.* REPLACE (n.is_whole AND ${isOnePeriod('n.started_at', 'n.ended_at', dateOf)} AS is_whole),
         ${periodOfMoment(dateOf, 'n.started_at')} AS day
       FROM near n ${joinSpan('n.started_at', 'begun_next')}`,
    ],
    ['part', `SELECT e."timestamp", e.id_key, e.session_key, e.event FROM ${loose} WHERE ${isAsked}`],
    ['span', spansOf(spansIn('part e'), dateOf)],
    [
      'loose',
      `SELECT ${periodOfMoment(dateOf)} AS day, ${looseCounts} FROM part e ${joinSpan()} GROUP BY 1, 2, 3`,
    ],
    ['piece', pieces('v.day, ')],
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
