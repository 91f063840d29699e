import { quoteText } from '../duckdb/quote.js'
import { deviceSql, membersSql, type Reader, renamed, type Row, Unreadable, urlSql } from './reading.js'

const browsers = {
  chrome: 'Chrome',
  crios: 'Chrome',
  'chromium-webview': 'Chrome',
  'edge-chromium': 'Edge',
  'edge-ios': 'Edge',
  edge: 'Edge',
  firefox: 'Firefox',
  fxios: 'Firefox',
  safari: 'Safari',
  ios: 'Safari',
  'ios-webview': 'Safari',
  opera: 'Opera',
  samsung: 'Samsung Internet',
  facebook: 'Facebook',
  instagram: 'Instagram',
}
const systems = {
  'mac os': 'macOS',
  'android os': 'Android',
  ios: 'iOS',
  linux: 'Linux',
  ...Object.fromEntries(['7', '8', '8.1', '10', 'xp', 'vista'].map((each) => [`windows ${each}`, 'Windows'])),
  'chrome os': 'Chrome OS',
}

/** Values of `event_type`: a page view, and an event of the site's own. */
const kinds = [1, 2]
const utms = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term']

/** The properties of events, of which each has a row. */
const dataOf = (data: Row) => {
  const value = `coalesce(to_json(TRY_CAST(${data.text('number_value')} AS DOUBLE)), to_json(${data.text('string_value')}))`
  return `(SELECT ${data.text('event_id')} AS event_id,
    string_agg(to_json(${data.text('data_key')})::VARCHAR || ':' || ${value}::VARCHAR, ',') AS members
    FROM ${data.source} GROUP BY 1)`
}

/** Rows of `website_event`; in a dump of PostgreSQL or MySQL what a session is like is in `session`. */
export const umami: Reader = (tables, { site }) => {
  const rows = tables.find((each) => each.has('session_id', 'created_at', 'url_path'))
  if (rows === undefined)
    throw new Unreadable('No file has the columns of website_event: session_id, created_at and url_path.')
  const session = tables.find((each) => each !== rows && each.has('session_id', 'browser', 'os'))
  const data = tables.find((each) => each.has('event_id', 'data_key', 'string_value'))
  const joins = [rows.source]
  if (session !== undefined)
    joins.push(`${session.source} ON ${session.text('session_id')} = ${rows.text('session_id')}`)
  if (data !== undefined) joins.push(`${dataOf(data)} d ON d.event_id = ${rows.text('event_id')}`)
  /** A column of the event goes before that of its session. */
  const text = (...names: string[]) =>
    `coalesce(${[rows, session].flatMap((each) => each?.text(...names) ?? []).join(', ')})`
  const type = rows.text('event_type')
  const event = `CASE WHEN ${rows.text('event_name')} IS NULL THEN '$pageview' ELSE ${rows.text('event_name')} END`
  const host = `coalesce(${text('hostname')}, ${quoteText(site)})`
  const withQuery = (address: string, query: string) => `${address} || coalesce('?' || ${query}, '')`
  const domain = rows.text('referrer_domain')
  return {
    kind: 'events',
    from: joins.join(' LEFT JOIN '),
    event: {
      time: rows.text('created_at'),
      event,
      refused: `CASE WHEN ${type} NOT IN (${kinds.map((each) => `'${each}'`).join(', ')}) THEN 'event_type ' || ${type} || ' is neither a page view nor an event' END`,
      // An id of one visitor alone: with both an import would link what live events may link otherwise.
      distinct_id: text('distinct_id'),
      anonymous_id: `CASE WHEN ${text('distinct_id')} IS NULL THEN ${rows.text('session_id')} END`,
      session_id: rows.text('visit_id', 'session_id'),
      insert_id: rows.text('event_id'),
      builtIn: {
        url: urlSql(withQuery(rows.text('url_path'), rows.text('url_query')), host),
        referer: `'https://' || ${domain} || ${withQuery(`coalesce(${rows.text('referrer_path')}, '/')`, rows.text('referrer_query'))}`,
        browser: renamed(text('browser'), browsers),
        os: renamed(text('os'), systems),
        device: deviceSql(text('device')),
        country: text('country'),
        language: text('language'),
        ...Object.fromEntries(utms.map((name) => [name, rows.text(name)])),
      },
      properties: `concat_ws(',', ${data === undefined ? 'NULL' : 'd.members'}, ${membersSql([
        ['title', rows.text('page_title')],
        ['tag', rows.text('tag')],
        ['screen', text('screen')],
        ['region', text('region', 'subdivision1')],
        ['city', text('city')],
      ])})`,
    },
  }
}
