import { keyOf, orderKey, seqOfKey } from './askedEvents.js'
import { channelSql } from './channels.js'
import { foreignReferrer, hostOf, utmColumns } from './derivedColumns.js'
import { pointerSql } from '../duckdb/quote.js'

/** What a session has of its sender: the first value that one of its events has. */
export const senderColumns = ['browser', 'os', 'device', 'language', 'country'] as const

/** The path of a page view; empty where its URL has none. */
const pagePath = `CASE WHEN e.event = '$pageview' AND e.url IS NOT NULL THEN coalesce(e.path, '') END`
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
  { column: 'entry_path', sql: pagePath, which: 'first' },
  { column: 'exit_path', sql: pagePath, which: 'last' },
  {
    column: 'referrer',
    sql: `CASE WHEN e.touch THEN ${foreignReferrer('e.referrer', 'e.url')} END`,
    which: 'first',
  },
  ...['device_id', ...utmColumns, 'click_id', ...senderColumns, 'viewport'].map(own),
]

/** The tables that have a session, each in one of them. */
export const sessionTables = ['sessions', 'young_sessions', 'reopened_sessions'] as const

export const sessionKey = 'hash(environment, session_id)'

/** The columns that are not picked from one event. */
const counts = 'events, page_views, visible_ms'

/** The events that are not folded into the table below. */
export const unfoldedEvents = 'analytics.raw.unfolded_events'

/** Says that all events up to a sequence are folded. The number is a part of the view, because DuckDB skips blocks only by constants. */
export const setFolded = (through: number): string =>
  `CREATE OR REPLACE VIEW ${unfoldedEvents} AS FROM analytics.raw.events WHERE seq > ${through};`

const columnsAs = (
  text: string,
) => `session_key UBIGINT, environment ${text}, session_id ${text}, started_at TIMESTAMPTZ,
  first_seq BIGINT, ended_at TIMESTAMPTZ, last_seq BIGINT, events BIGINT, page_views BIGINT, visible_ms DOUBLE,
  ${picks.map(({ column }) => `${column} ${text}`).join(', ')}, exit_path_key HUGEINT, late_keys HUGEINT[],
  anonymous BOOLEAN, bot ${text}, id_key UBIGINT, id_keys UBIGINT[], referrer_host ${text}, channel ${text}`

/**
 * The sessions as the folded events make them; apart the young ones, and those that have unfolded events, too. At each
 * checkpoint DuckDB writes the last row group of a table anew, and to compress it is most of that work: so young
 * sessions wait, uncompressed, until they are a row group, which is written once.
 *
 * The value that one event gives has that event's `orderKey`, by which the value of a late event is known to be older
 * or newer. It is written only where the event is not the session's first (for the last values: its last). As that is
 * rare, but for the last page view, most of the keys share one column.
 *
 * `id_key` is the key of `last_id`. `id_keys` are those of all ids of its events, where there are several. Channels are
 * kept, because to plan a statement with their patterns takes longer than to ask a small store.
 */
export const sessionSchema = `
CREATE TABLE analytics.raw.sessions (${columnsAs('VARCHAR')});
CREATE TABLE analytics.raw.young_sessions (${columnsAs('VARCHAR USING COMPRESSION uncompressed')});
CREATE TABLE analytics.raw.reopened_sessions (${columnsAs('VARCHAR USING COMPRESSION uncompressed')});
${setFolded(0)}`

const list = (sqlOf: (pick: Picked) => string, of = picks) => of.map(sqlOf).join(', ')

const rare = picks.filter(({ column }) => column !== 'exit_path')
const writtenKey = (pick: Picked) =>
  pick.column === 'exit_path' ? 'exit_path_key' : `late_keys[${rare.indexOf(pick) + 1}]`

/** An event as a session of its own. */
const ofEvents = (events: string) => `
SELECT x.session_key, x.environment, x.session_id, moment AS started_at, moment AS ended_at, key AS first_key,
  key AS last_key, 1 AS events, page_views, visible_ms,
  ${list(({ column }) => `${column}, CASE WHEN ${column} IS NOT NULL THEN key END AS ${column}_key`)},
  anonymous, bot, id_key, NULL::UBIGINT[] AS id_keys
FROM (
  SELECT e.session_key, e.environment, e.session_id, e."timestamp" AS moment, ${orderKey} AS key,
    (e.event = '$pageview')::INTEGER AS page_views, ${visibleMs} AS visible_ms,
    ${list(({ column, sql }) => `${sql} AS ${column}`)}, e.anonymous, e.bot, e.id_key
  FROM ${events}
) x`

const ofSessions = (sessions: string) => `
SELECT x.session_key, x.environment, x.session_id, started_at, ended_at, first_key, last_key, ${counts},
  ${list(
    (pick) =>
      `${pick.column}, CASE WHEN ${pick.column} IS NOT NULL THEN coalesce(${writtenKey(pick)}, ${pick.which}_key) END AS ${pick.column}_key`,
  )}, anonymous, bot, id_key, id_keys
FROM (
  SELECT *, ${keyOf('started_at', 'first_seq')} AS first_key, ${keyOf('ended_at', 'last_seq')} AS last_key
  FROM ${sessions}
) x`

/** Events `e`, each as a session of its own, and what is known of their sessions from a table. */
const pieces = (events: string, known: string | undefined) =>
  `${ofEvents(events)}${known === undefined ? '' : ` UNION ALL ${ofSessions(known)}`}`

const whole = `x.session_key, any_value(x.environment) AS environment, any_value(x.session_id) AS session_id,
  min(started_at) AS started_at, max(ended_at) AS ended_at, sum(events)::BIGINT AS events,
  sum(page_views)::BIGINT AS page_views, sum(visible_ms) AS visible_ms, bool_or(anonymous) AS anonymous,
  min(bot) AS bot, list(id_key) AS own_ids, list(id_keys) AS known_ids`

const idKeys = `CASE WHEN last_id IS NOT NULL THEN hash(w.environment, last_id) END AS id_key,
  CASE WHEN len(list_distinct(own_ids)) > 1 OR len(flatten(known_ids)) > 0
    THEN list_sort(list_distinct(list_concat(own_ids, flatten(known_ids)))) END AS id_keys`

/** The host is found once for each session: the rules of its channel read it several times. */
const withHost = (sessions: string) =>
  `(SELECT s.*, ${hostOf('s.referrer')} AS referrer_host FROM (${sessions}) s) s`
const channel = channelSql({
  source: 's.utm_source',
  medium: 's.utm_medium',
  campaign: 's.utm_campaign',
  clickId: 's.click_id',
  referrer: 's.referrer',
  referrerHost: 's.referrer_host',
})

const picked = ({ column, which }: Picked) =>
  `arg_${which === 'first' ? 'min' : 'max'}(${column}, ${column}_key) AS ${column}`
const keyOfPicked = ({ column, which }: Picked) =>
  `${which === 'first' ? 'min' : 'max'}(${column}_key) AS ${column}_key`

const [firsts, lasts] = (['first', 'last'] as const).map((each) =>
  picks.filter(({ which }) => which === each),
) as [Picked[], Picked[]]
/** A bit for each column of which the first value counts. */
const bits = (isSet: (pick: Picked) => string) =>
  firsts.map((pick, at) => `(${isSet(pick)})::INTEGER * ${2 ** at}`).join(' | ')

const lateKey = ({ column, which }: Pick<Picked, 'column' | 'which'>) => `nullif(${column}_key, ${which}_key)`

interface Known {
  /** A table with what is known of the sessions. */
  known?: string
  into?: 'sessions' | 'young_sessions'
}

/**
 * Writes the sessions of events `e`. An event is a session of its own, and sessions with one id are united, so it
 * does not matter in which order events come.
 *
 * First values are looked for in few pieces: in the first of a session, and in those with a value that it lacks.
 */
export const insertSessions = (events: string, { known, into = 'sessions' }: Known = {}): string => `
INSERT INTO analytics.raw.${into}
WITH piece AS MATERIALIZED (
  SELECT *, ${bits(({ column }) => `${column} IS NOT NULL`)} AS has,
    ${bits(({ column }) => `${column} IS NOT NULL AND ${column}_key = first_key`)} AS has_first
  FROM (${pieces(events, known)})
), whole AS (
  SELECT ${whole}, min(first_key) AS first_key, max(last_key) AS last_key,
    ${list((pick) => `${picked(pick)}, ${keyOfPicked(pick)}`, lasts)}, arg_min(has_first, first_key) AS has_first
  FROM piece x GROUP BY x.session_key
), begun AS (
  SELECT x.session_key, ${list((pick) => `${picked(pick)}, ${keyOfPicked(pick)}`, firsts)}
  FROM piece x JOIN whole w ON w.session_key = x.session_key
  WHERE x.first_key = w.first_key OR x.has & ~w.has_first <> 0 GROUP BY x.session_key
)
SELECT session_key, environment, session_id, started_at, ${seqOfKey('first_key')}, ended_at,
  ${seqOfKey('last_key')}, ${counts},
  ${list(({ column }) => column)}, ${lateKey({ column: 'exit_path', which: 'last' })},
  CASE WHEN coalesce(${list(lateKey, rare)}) IS NOT NULL THEN [${list(lateKey, rare)}] END, anonymous, bot, id_key,
  id_keys, referrer_host, ${channel}
FROM ${withHost(`SELECT w.*, b.* EXCLUDE (session_key), ${idKeys} FROM whole w JOIN begun b ON b.session_key = w.session_key`)}`

/** In a view that a macro reads, a bare `environment` would be the macro's parameter. */
const shown = `s.session_key, s.environment, s.session_id, started_at, ended_at, ${counts}, ${list(({ column }) => column)},
  anonymous, bot, id_key, id_keys, referrer_host`
const spans = 's.session_key, s.environment, started_at, ended_at, events, page_views, bot, id_key, id_keys'

const inTables = (columns: string) =>
  ['sessions', 'young_sessions']
    .map((table) => `SELECT ${columns} FROM analytics.raw.${table} s UNION ALL`)
    .join(' ')

/** The sessions with unfolded events, with the picked values of some columns. */
const united = (values: string) => `
  SELECT w.*, ${idKeys}
  FROM (
    SELECT ${whole}, ${values}
    FROM (${pieces(`${unfoldedEvents} e WHERE e.session_key IS NOT NULL`, 'analytics.raw.reopened_sessions')}) x
    GROUP BY x.session_key
  ) w`

const lastId = picks.filter(({ column }) => column === 'last_id')

/**
 * All sessions: the table's, and those with unfolded events, which are united here. Answers that need times, counts and
 * ids alone read `session_spans`: DuckDB plans it in half of the time.
 */
export const allSessions = `
CREATE OR REPLACE VIEW analytics.raw.all_sessions AS
${inTables(`${shown}, channel`)} SELECT ${shown}, ${channel} FROM ${withHost(united(list(picked)))};
CREATE OR REPLACE VIEW analytics.raw.session_spans AS
${inTables(spans)} SELECT ${spans} FROM (${united(list(picked, lastId))}) s;`
