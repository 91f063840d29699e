import { channelSql } from '../channels.js'
import { derivedComments, screenClassSql, utmColumns } from '../derivedColumns.js'
import { pointerSql } from '../pointerSql.js'
import { foreignReferrer, hostOf, pathOf } from '../urlParts.js'
import type { View } from '../viewSql.js'
import { choice, choiceProblems, isSince, isUntil, orderKey, range, sessionKey } from './askedEvents.js'
import type { TableMacro } from './tableMacro.js'

const agent = ['browser', 'os', 'device', 'language', 'country'] as const
const firstOf = ['device_id', ...utmColumns, 'click_id', ...agent, 'viewport'] as const
const channel = channelSql({
  source: 's.utm_source',
  medium: 's.utm_medium',
  campaign: 's.utm_campaign',
  clickId: 's.click_id',
  referrer: 's.referrer',
  referrerHost: 's.referrer_host',
})
const pageUrl = `CASE WHEN e.event = '$pageview' THEN e.url END`
/** What the plugin `engagement` records: the milliseconds in which a page was visible. */
const visibleMs = `CASE WHEN e.event = 'Page Engaged'
  THEN TRY_CAST(json_extract_string(e.properties, ${pointerSql(`'visible_ms'`)}) AS DOUBLE) END`
/** A visit with as much engaged time is no bounce: the ten seconds of an "engaged session" in Google Analytics 4. */
const leastEngagedSeconds = 10

const firstComment = (name: string) => `The first ${name} that an event has.`

const columns: View['columns'] = [
  ['environment', 's.environment', 'The environment that the session belongs to.'],
  ['session_id', 's.session_id', 'The visit, as sent. Events without one are in no session.'],
  [
    'person_id',
    'coalesce(m.person_id, s.last_id)',
    'The person of its last event that names one, as in events and persons.',
  ],
  ['device_id', 's.device_id', 'The device, as sent.'],
  ['started_at', 's.started_at', 'When its first event happened.'],
  ['ended_at', 's.ended_at', 'When its last event happened.'],
  [
    'duration_seconds',
    '(epoch_us(s.ended_at)::DOUBLE - epoch_us(s.started_at)) / 1e6',
    'From the first event to the last; 0 where there is only one.',
  ],
  ['entry', pathOf('s.entry_url'), 'The path of the first page view.'],
  ['exit', pathOf('s.exit_url'), 'The path of the last page view.'],
  ['page_views', 's.page_views', 'How many page views there are.'],
  ['events', 's.events', 'How many events there are, page views included.'],
  [
    'engaged_seconds',
    's.engaged_seconds',
    'How long its pages were visible, as the plugin engagement records it; NULL without.',
  ],
  [
    'bounced',
    `CASE WHEN s.page_views > 0
      THEN s.page_views = 1 AND coalesce(s.engaged_seconds < ${leastEngagedSeconds}, true) END`,
    'Whether there is one page view, and less than 10 engaged seconds; NULL without a page view.',
  ],
  ['referrer', 's.referrer', 'The first referrer that is another site than the page itself.'],
  ['referrer_host', 's.referrer_host', 'The host of referrer.'],
  [
    'channel',
    channel,
    'What brought it: direct, search, social, mail, paid, referral or AI assistant, by the columns around this one.',
  ],
  ...[...utmColumns, 'click_id', ...agent].map((name) => [name, `s.${name}`, firstComment(name)] as const),
  ['screen_class', screenClassSql('s.viewport'), 'phone, tablet or desktop, by the first viewport.'],
  ['anonymous', 's.anonymous', derivedComments.anonymous],
  ['bot', 's.bot', 'Why no person seems to have done it: the verdict about one of its events; else NULL.'],
]

/** The columns that are computed from a session's events. */
const aggregates = `min(e."timestamp") AS started_at, max(e."timestamp") AS ended_at,
    count(*) AS events, count(*) FILTER (e.event = '$pageview') AS page_views,
    sum(${visibleMs}) / 1000 AS engaged_seconds,
    arg_max(coalesce(e.distinct_id, e.anonymous_id), ${orderKey}) AS last_id,
    arg_min(${pageUrl}, ${orderKey}) AS entry_url, arg_max(${pageUrl}, ${orderKey}) AS exit_url,
    arg_min(${foreignReferrer('e.referrer', 'e.url')}, ${orderKey}) AS referrer,
    ${firstOf.map((name) => `arg_min(e.${name}, ${orderKey}) AS ${name}`).join(', ')},
    bool_or(e.anonymous) AS anonymous, min(e.bot) AS bot`

/** The host is found once for each session: the rules of its channel read it several times. */
const withPerson = (sessions: string) =>
  `(SELECT *, ${hostOf('referrer')} AS referrer_host FROM (${sessions})) s LEFT JOIN analytics.raw.id_map m ON m.id_key = hash(s.environment, s.last_id)`

const own = (name: string, comment: string) => [name, `s.${name}`, comment] as const

export const sessionViews: readonly View[] = [
  {
    name: 'all_sessions',
    comment: 'Every session, one a row, those of bots too.',
    from: withPerson(`SELECT e.environment, e.session_id, ${aggregates} FROM analytics.raw.all_events e
      WHERE e.session_id IS NOT NULL GROUP BY e.environment, e.session_id`),
    columns,
  },
  {
    name: 'sessions',
    comment: 'Every session, one a row, without those of bots.',
    from: 'analytics.main.all_sessions s WHERE s.bot IS NULL',
    columns: columns.filter(([name]) => name !== 'bot').map(([name, , comment]) => own(name, comment)),
  },
]

const list = columns.map(([name, sql]) => `${sql} AS ${name}`).join(', ')
const isOfSession = 'e.environment = environment AND e.session_id IS NOT NULL'
const isInRange = `(${isSince} AND ${isUntil})`

/** The sessions of a range. The view `sessions` would group all events ever stored to find them. */
export const sessionsOfRange: TableMacro = {
  name: 'sessions',
  comment: 'The sessions that began in a range, one a row.',
  parameters: [...range, ...choice],
  columns: columns.map(([name]) => name),
  problems: choiceProblems,
  tables: [
    [
      'met',
      `SELECT DISTINCT ${sessionKey} AS session_key FROM analytics.raw.all_events e
       WHERE ${isOfSession} AND ${isInRange}`,
    ],
    // A few sessions have events on both sides of a bound of the range.
    [
      'beyond',
      `SELECT e.seq FROM analytics.raw.all_events e SEMI JOIN met ON met.session_key = ${sessionKey}
       WHERE ${isOfSession} AND NOT ${isInRange}`,
    ],
    [
      'grouped',
      `SELECT environment AS environment, any_value(e.session_id) AS session_id, ${aggregates} FROM (
         SELECT e.* FROM analytics.raw.all_events e WHERE ${isOfSession} AND ${isInRange}
         UNION ALL SELECT e.* FROM analytics.raw.all_events e SEMI JOIN beyond b ON b.seq = e.seq
       ) e GROUP BY ${sessionKey} HAVING (from_time IS NULL OR min(e."timestamp") >= from_time::TIMESTAMPTZ)`,
    ],
    ['answer', `SELECT ${list} FROM ${withPerson('FROM grouped')} WHERE bots OR s.bot IS NULL`],
  ],
  order: '5, 2',
}
