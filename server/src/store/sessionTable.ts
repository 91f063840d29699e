import { keyOf, orderKey, seqOfKey } from './answers/askedEvents.js'
import { utmColumns } from './derivedColumns.js'
import { pointerSql } from './pointerSql.js'
import { foreignReferrer } from './urlParts.js'

/** What a session has of its sender: the first value that one of its events has. */
export const senderColumns = ['browser', 'os', 'device', 'language', 'country'] as const

const pageUrl = `CASE WHEN e.event = '$pageview' THEN e.url END`
/** What the plugin `engagement` records: the milliseconds in which a page was visible. */
const visibleMs = `CASE WHEN e.event = 'Page Engaged'
  THEN TRY_CAST(json_extract_string(e.properties, ${pointerSql(`'visible_ms'`)}) AS DOUBLE) END`

interface Picked {
  column: string
  /** The value of an event `e`; NULL where it has none. */
  sql: string
  /** Which event counts among those that have a value. */
  which: 'first' | 'last'
}

const own = (column: string): Picked => ({ column, sql: `e.${column}`, which: 'first' })

const picks: readonly Picked[] = [
  { column: 'last_id', sql: 'coalesce(e.distinct_id, e.anonymous_id)', which: 'last' },
  { column: 'entry_url', sql: pageUrl, which: 'first' },
  { column: 'exit_url', sql: pageUrl, which: 'last' },
  { column: 'referrer', sql: foreignReferrer('e.referrer', 'e.url'), which: 'first' },
  ...['device_id', ...utmColumns, 'click_id', ...senderColumns, 'viewport'].map(own),
]

export const sessionKey = 'hash(environment, session_id)'

/** The columns that are not picked from one event. */
const counts = 'events, page_views, visible_ms'

/** The events that are not folded into the table below. */
export const unfoldedEvents = 'analytics.raw.unfolded_events'

/** Says that all events up to a sequence are folded. The number is a part of the view, because DuckDB skips blocks only by constants. */
export const setFolded = (through: number): string =>
  `CREATE OR REPLACE VIEW ${unfoldedEvents} AS FROM analytics.raw.events WHERE seq > ${through};`

const columns = `session_key UBIGINT, environment VARCHAR, session_id VARCHAR, started_at TIMESTAMPTZ,
  first_seq BIGINT, ended_at TIMESTAMPTZ, last_seq BIGINT, events BIGINT, page_views BIGINT, visible_ms DOUBLE,
  ${picks.map(({ column }) => `${column} VARCHAR, ${column}_key HUGEINT`).join(', ')}, anonymous BOOLEAN,
  bot VARCHAR`

/**
 * The sessions as the folded events make them; apart those that have unfolded events, too. Beside each value that
 * one event gives stands the `orderKey` of that event, by which the value of a late event is known to be older or
 * newer. It is NULL where that event is the session's first (for the last values: its last), as nearly always.
 */
export const sessionTables = `
CREATE TABLE analytics.raw.sessions (${columns});
CREATE TABLE analytics.raw.reopened_sessions (${columns});
${setFolded(0)}`

const list = (sqlOf: (pick: Picked) => string) => picks.map(sqlOf).join(', ')

/** An event as a session of its own. */
const ofEvents = (events: string) => `
SELECT x.environment, x.session_id, moment AS started_at, moment AS ended_at, key AS first_key, key AS last_key,
  1 AS events, page_views, visible_ms,
  ${list(({ column }) => `${column}, CASE WHEN ${column} IS NOT NULL THEN key END AS ${column}_key`)},
  anonymous, bot
FROM (
  SELECT e.environment, e.session_id, e."timestamp" AS moment, ${orderKey} AS key,
    (e.event = '$pageview')::INTEGER AS page_views, ${visibleMs} AS visible_ms,
    ${list(({ column, sql }) => `${sql} AS ${column}`)}, e.anonymous, e.bot
  FROM ${events}
) x`

const ofSessions = (sessions: string) => `
SELECT x.environment, x.session_id, started_at, ended_at, first_key, last_key, ${counts},
  ${list(
    ({ column, which }) =>
      `${column}, CASE WHEN ${column} IS NOT NULL THEN coalesce(${column}_key, ${which}_key) END AS ${column}_key`,
  )}, anonymous, bot
FROM (
  SELECT *, ${keyOf('started_at', 'first_seq')} AS first_key, ${keyOf('ended_at', 'last_seq')} AS last_key
  FROM ${sessions}
) x`

/** Unites the sessions of events `e` with what is known of them from a table. */
const united = (events: string, known: string | undefined, keys: boolean) => `
SELECT x.environment, x.session_id, min(started_at) AS started_at, max(ended_at) AS ended_at,
  ${keys ? 'min(first_key) AS first_key, max(last_key) AS last_key,' : ''} sum(events)::BIGINT AS events,
  sum(page_views)::BIGINT AS page_views, sum(visible_ms) AS visible_ms,
  ${list(({ column, which }) => {
    const end = which === 'first' ? 'min' : 'max'
    const key = keys ? `, ${end}(${column}_key) AS ${column}_key` : ''
    return `arg_${end}(${column}, ${column}_key) AS ${column}${key}`
  })}, bool_or(anonymous) AS anonymous, min(bot) AS bot
FROM (${ofEvents(events)}${known === undefined ? '' : ` UNION ALL ${ofSessions(known)}`}) x
GROUP BY x.environment, x.session_id`

/**
 * Writes the sessions of events `e`. An event is a session of its own, and sessions with one id are united, so it
 * does not matter in which order events come. `known` is a table with what is known of these sessions.
 */
export const insertSessions = (events: string, known?: string): string => `
INSERT INTO analytics.raw.sessions
SELECT ${sessionKey}, environment, session_id, started_at, ${seqOfKey('first_key')}, ended_at,
  ${seqOfKey('last_key')}, ${counts},
  ${list(({ column, which }) => `${column}, nullif(${column}_key, ${which}_key)`)}, anonymous, bot
FROM (${united(events, known, true)})`

/** In a view that a macro reads, a bare `environment` would be the macro's parameter. */
const shown = `s.environment, s.session_id, started_at, ended_at, ${counts}, ${list(({ column }) => column)},
  anonymous, bot`

/** All sessions: the table's, and those with unfolded events, which are united here. */
export const allSessions = `
CREATE OR REPLACE VIEW analytics.raw.all_sessions AS
SELECT ${shown} FROM analytics.raw.sessions s
UNION ALL
SELECT ${shown}
FROM (${united(`${unfoldedEvents} e WHERE e.session_id IS NOT NULL`, 'analytics.raw.reopened_sessions', false)}) s;`
